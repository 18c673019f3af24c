// expect-error: keep it in float or use the form that takes logits
// SPDX-License-Identifier: MIT
//
// To keep it in a low type is to lower it.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O1<bfloat16, keep<bfloat16, op::binary_cross_entropy>>;
#else
using policy = policies::O1<bfloat16, keep<float, op::binary_cross_entropy>>;
#endif
