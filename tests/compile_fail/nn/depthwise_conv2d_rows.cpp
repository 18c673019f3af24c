// expect-error: mezzo::depthwise_conv2d: the input must be an image (channels, rows, columns)
// SPDX-License-Identifier: MIT
//
// One channel is a channel too.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<4, 4>, depthwise_conv2d<3>>;
#else
using net = sequential<input<1, 4, 4>, depthwise_conv2d<3>>;
#endif
static_assert(net::stage_count == 1);
