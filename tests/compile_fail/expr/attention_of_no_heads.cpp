// expect-error: mezzo::attention: there must be at least one head
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using fn = attention_fn<0, no_mask>;
#else
using fn = attention_fn<1, no_mask>;
#endif
static_assert(fn::heads == 1);
