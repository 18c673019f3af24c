// expect-error: the first argument of O1, O2 and O3 is the low type, such as bfloat16
// SPDX-License-Identifier: MIT
//
// An override does not stand in its place.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O3<keep<float, op::sigmoid>>;
#else
using policy = policies::O3<bfloat16, keep<float, op::sigmoid>>;
#endif
