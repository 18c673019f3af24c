// expect-error: what differs from the level is written as an override
// SPDX-License-Identifier: MIT
//
// An operation alone does not say what is to become of it.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<float16, op::gelu>;
#else
using policy = policies::O2<float16, lower<op::gelu>>;
#endif
