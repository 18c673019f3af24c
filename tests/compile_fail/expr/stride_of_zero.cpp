// expect-error: mezzo::stride: the distance must be at least 1; given 0
// SPDX-License-Identifier: MIT
//
// Windows that do not move are no convolution.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 1, 8, 8>> x;
  const tensor<float, shape<1, 1, 3, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d<same, stride<0>>(x, w);
#else
  const auto e = convolve2d<same, stride<1>>(x, w);
#endif
  static_cast<void>(e);
}
