// expect-error: mezzo::view: a stride needs a layout in which neighbours along an axis lie at one
// SPDX-License-Identifier: MIT
//
// The distance between rows that lie in blocks.
#include <mezzo/tensor/fractal.hpp>
#include <mezzo/tensor/view.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using layout_of_rows = layout_fractal_nz<8>;
#else
using layout_of_rows = layout_right;
#endif

std::ptrdiff_t use(const view<float, shape<2, 3>, layout_of_rows>& x) { return x.stride(0); }
