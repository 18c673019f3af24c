// expect-error: mezzo::convolve2d: input and weights must have the same number of channels; given other sizes
// SPDX-License-Identifier: MIT
//
// Weights are (outputs, channels, rows, columns).
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 3, 8, 8>> x;
  const tensor<float, shape<3, 4, 3, 3>> swapped;
  const tensor<float, shape<4, 3, 3, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d(x, swapped);
#else
  const auto e = convolve2d(x, w);
#endif
  static_cast<void>(e);
}
