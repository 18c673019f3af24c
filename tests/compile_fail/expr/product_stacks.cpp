// expect-error: mezzo::matmul: stacked matrices must have the same leading axes; given other sizes
// SPDX-License-Identifier: MIT
//
// Stacks are not repeated: one matrix is written with two axes.
#include <mezzo/expr/product.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<5, 2, 3>> a;
  const tensor<float, shape<1, 3, 4>> one;
  const tensor<float, shape<3, 4>> matrix;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = matmul(a, one);
#else
  const auto e = matmul(a, matrix);
#endif
  static_cast<void>(e);
}
