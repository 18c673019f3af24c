// expect-error: the groups' weights must have as many channels together as the input has; given other
// SPDX-License-Identifier: MIT
//
// Filters of a group read its channels alone.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 4, 8, 8>> x;
  const tensor<float, shape<4, 4, 3, 3>> all;
  const tensor<float, shape<4, 2, 3, 3>> half;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d<same, stride<1>, groups<2>>(x, all);
#else
  const auto e = convolve2d<same, stride<1>, groups<2>>(x, half);
#endif
  static_cast<void>(e);
}
