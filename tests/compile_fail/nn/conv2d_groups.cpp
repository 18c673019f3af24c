// expect-error: mezzo::conv2d: channels and outputs must divide evenly into the groups; given a remainder
// SPDX-License-Identifier: MIT
//
// Six channels are three groups of two.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<6, 4, 4>, conv2d<12, 3, same, stride<1>, groups<4>>>;
#else
using net = sequential<input<6, 4, 4>, conv2d<12, 3, same, stride<1>, groups<3>>>;
#endif
static_assert(net::stage_count == 1);
