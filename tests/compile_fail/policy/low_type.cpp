// expect-error: the first argument of O1, O2 and O3 is the low type, such as bfloat16
// SPDX-License-Identifier: MIT
//
// A level needs to know how low.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<float, keep<float, op::sigmoid>>;
#else
using policy = policies::O2<float16, keep<float, op::sigmoid>>;
#endif
