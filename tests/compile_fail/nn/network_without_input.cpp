// expect-error: mezzo::sequential: a network begins with the sizes of a sample
// SPDX-License-Identifier: MIT
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;


#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<dense<4>, dense<3>>;
#else
using net = sequential<input<5>, dense<4>, dense<3>>;
#endif
static_assert(net::stage_count == 2);
