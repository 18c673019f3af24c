// expect-error: mezzo::convolve2d: input and weights must have four axes
// SPDX-License-Identifier: MIT
//
// An image alone is no batch.
#include <mezzo/expr/convolve.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<3, 8, 8>> image;
  const tensor<float, shape<1, 3, 8, 8>> batch;
  const tensor<float, shape<4, 3, 3, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = convolve2d(image, w);
#else
  const auto e = convolve2d(batch, w);
#endif
  static_cast<void>(e);
}
