// expect-error: mezzo::groups: the number of groups must be at least 1; given 0; write groups<1>
// SPDX-License-Identifier: MIT
//
// All channels together are one group.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 4, 8, 8>> x;
  const tensor<float, shape<4, 4, 3, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d<same, stride<1>, groups<0>>(x, w);
#else
  const auto e = convolve2d<same, stride<1>, groups<1>>(x, w);
#endif
  static_cast<void>(e);
}
