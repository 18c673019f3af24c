// expect-error: an override names each operation once; given one twice
// SPDX-License-Identifier: MIT
//
// One override that names an operation twice contradicts itself.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<float16, keep<float, op::gelu, op::exp, op::gelu>>;
#else
using policy = policies::O2<float16, keep<float, op::gelu, op::exp>>;
#endif
