// expect-error: mezzo::time_dense: a sample must have two axes (time, width)
// SPDX-License-Identifier: MIT
#include <mezzo/nn/attention.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using list = time_dense<4>::parameters<shape<8>>;
#else
using list = time_dense<4>::parameters<shape<5, 8>>;
#endif
static_assert(list::count > 0);
