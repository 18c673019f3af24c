// expect-error: mezzo::blocked_layout: a block holds at least one index of each axis; given a block of 0
// SPDX-License-Identifier: MIT
//
// Blocks of nothing.
#include <mezzo/tensor/fractal.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using layout_of_blocks = layout_fractal_nz<0>;
#else
using layout_of_blocks = layout_fractal_nz<fractal_columns<float>>;
#endif

std::size_t use(const shape<2, 3>& sizes) { return layout_of_blocks::mapping<shape<2, 3>>(sizes).required_span_size(); }
