// expect-error: fail
// SPDX-License-Identifier: MIT
//
// Given tiles are checked in constant evaluation too, where the call that refuses them is named.
#include <mezzo/backend/npu/plan.hpp>

using namespace mezzo::npu;

#if defined(MEZZO_EXPECT_ERROR)
constexpr tiles given{.m = 128, .n = 256, .k = 64, .l1_k = 512};
#else
constexpr tiles given{.m = 128, .n = 256, .k = 64, .l1_k = 256};
#endif
constexpr auto plan = plan_product(ascend910b1, product_task{.m = 1024, .n = 1024, .k = 1024}, given);
static_assert(plan.tile == given);
