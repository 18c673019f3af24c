// expect-error: an operation of class unsafe cannot run in a low type
// SPDX-License-Identifier: MIT
//
// Plain binary cross-entropy takes the logarithm of a probability that a low type has rounded to 0 or 1.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O1<float16, lower<op::binary_cross_entropy>>;
#else
using policy = policies::O1<float16, lower<op::binary_cross_entropy_with_logits>>;
#endif
