// expect-error: mezzo::transpose: the operand must have two axes
// SPDX-License-Identifier: MIT
//
// A row is a matrix with one row.
#include <mezzo/expr/rearrange.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4>> x;
  const tensor<float, shape<1, 4>> matrix;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = transpose(x);
#else
  const auto e = transpose(matrix);
#endif
  static_cast<void>(e);
}
