// expect-error: mezzo::sequential: a network needs at least one module that computes; given none
// SPDX-License-Identifier: MIT
//
// A flatten alone is the same memory.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<1, 4, 4>, flatten>;
#else
using net = sequential<input<1, 4, 4>, flatten, dense<2>>;
#endif
static_assert(net::parameters::count < 3);
