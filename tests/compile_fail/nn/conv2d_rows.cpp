// expect-error: mezzo::conv2d: the input of a convolution must be an image (channels, rows, columns)
// SPDX-License-Identifier: MIT
//
// One channel is a channel too.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<4, 4>, conv2d<2, 3>>;
#else
using net = sequential<input<1, 4, 4>, conv2d<2, 3>>;
#endif
static_assert(net::stage_count == 1);
