// expect-error: the window must fit into the padded input; given a larger window
// SPDX-License-Identifier: MIT
//
// With padding the same window fits.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 1, 2, 2>> x;
  const tensor<float, shape<1, 1, 3, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d(x, w);
#else
  const auto e = convolve2d<same>(x, w);
#endif
  static_cast<void>(e);
}
