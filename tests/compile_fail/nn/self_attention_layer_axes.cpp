// expect-error: mezzo::self_attention_layer: a sample must have two axes (time, width)
// SPDX-License-Identifier: MIT
#include <mezzo/nn/attention.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using list = self_attention_layer<2>::parameters<shape<8>>;
#else
using list = self_attention_layer<2>::parameters<shape<5, 8>>;
#endif
static_assert(list::count > 0);
