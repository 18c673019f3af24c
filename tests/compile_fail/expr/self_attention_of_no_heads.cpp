// expect-error: mezzo::self_attention: there must be at least one head
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using fn = self_attention_fn<0, no_mask>;
static_assert(sizeof(fn) > 0);
#else
using fn = self_attention_fn<1, no_mask>;
#endif
