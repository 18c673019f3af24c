// expect-error: mezzo::dense: the input of a dense module must be flat; given a sample with several axes
// SPDX-License-Identifier: MIT
//
// An image becomes a row by flatten.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<1, 4, 4>, conv2d<2, 3>, dense<2>>;
#else
using net = sequential<input<1, 4, 4>, conv2d<2, 3>, flatten, dense<2>>;
#endif
static_assert(net::stage_count == 2);
