// expect-error: an override names each operation once; given one twice
// SPDX-License-Identifier: MIT
//
// So does one that lowers it twice.
#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<float16, lower<op::gelu, op::gelu>>;
#else
using policy = policies::O2<float16, lower<op::gelu>, lower<op::gelu>>;
#endif
