// expect-error: mezzo::convert_layout: both views have the same sizes; given others; reshape one of them first
// SPDX-License-Identifier: MIT
//
// Rows into the layout of a matrix with as many columns.
#include <mezzo/tensor/convert_layout.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using sizes = shape<3, 2>;
#else
using sizes = shape<2, 3>;
#endif

void use(const view<const float, shape<2, 3>>& from, const view<float, sizes, layout_fractal_nz<8>>& to) {
  convert_layout(from, to);
}
