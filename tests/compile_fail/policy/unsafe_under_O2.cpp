// expect-error: keep it in float with keep<float, op::...>
// SPDX-License-Identifier: MIT
//
// The way out that the sentence names is one.
#include <mezzo/policy/resolve.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<bfloat16>;
#else
using policy = policies::O2<bfloat16, keep<float, op::binary_cross_entropy>>;
#endif

using types = resolve<policy, op::binary_cross_entropy, bfloat16>;
