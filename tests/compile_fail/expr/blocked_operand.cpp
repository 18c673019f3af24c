// expect-error: mezzo::expression: an operand is row-major or has one distance along each axis; given
// SPDX-License-Identifier: MIT
//
// The contents of L1 as an operand.
#include <mezzo/expr/pointwise.hpp>
#include <mezzo/tensor/convert_layout.hpp>

using namespace mezzo;

void use(const tensor<float, shape<2, 3>>& x, const view<float, shape<2, 3>, layout_fractal_nz<8>>& l1) {
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = x + l1;
#else
  tensor<float, shape<2, 3>> rows;
  convert_layout(l1, rows.as_view());
  const auto e = x + rows;
#endif
  static_cast<void>(e);
}
