// expect-error: mezzo::npu::static_plan: tiles must be whole fractals that fit L0A, L0B, L0C and L1
// SPDX-License-Identifier: MIT
//
// A tile of 256 by 256 leaves L0C of the second generation.
#include <mezzo/backend/npu/plan.hpp>

using namespace mezzo::npu;

#if defined(MEZZO_EXPECT_ERROR)
constexpr tiles given{.m = 256, .n = 256, .k = 32, .l1_k = 64};
#else
constexpr tiles given{.m = 128, .n = 256, .k = 32, .l1_k = 64};
#endif
constexpr auto plan = static_plan<ascend910b1, 1024, 1024, 1024, element::float16, element::float16, given>;
static_assert(plan.tile == given);
