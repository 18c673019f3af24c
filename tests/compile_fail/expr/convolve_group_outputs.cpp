// expect-error: mezzo::convolve2d: the outputs must divide evenly into the groups; given a remainder; make axis 0
// SPDX-License-Identifier: MIT
//
// Each channel has as many filters as any other.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 4, 8, 8>> x;
  const tensor<float, shape<6, 1, 3, 3>> six;
  const tensor<float, shape<8, 1, 3, 3>> eight;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d<same, stride<1>, depthwise>(x, six);
#else
  const auto e = convolve2d<same, stride<1>, depthwise>(x, eight);
#endif
  static_cast<void>(e);
}
