// expect-error: mezzo::matmul: the left operand must have as many columns as the right has rows; given other sizes
// SPDX-License-Identifier: MIT
//
// Weights stored the other way round are transposed where they are read.
#include <mezzo/expr/product.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4, 3>> x;
  const tensor<float, shape<2, 3>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = matmul(x, w);
#else
  const auto e = matmul(x, transpose(w));
#endif
  static_cast<void>(e);
}
