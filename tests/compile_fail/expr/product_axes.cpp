// expect-error: mezzo::matmul: both operands must be matrices
// SPDX-License-Identifier: MIT
//
// A row is a matrix with one row.
#include <mezzo/expr/product.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<3>> vector;
  const tensor<float, shape<1, 3>> row;
  const tensor<float, shape<3, 2>> w;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = matmul(vector, w);
#else
  const auto e = matmul(row, w);
#endif
  static_cast<void>(e);
}
