// expect-error: mezzo::npu::static_plan: operands must be of a type that the chip's cube takes
// SPDX-License-Identifier: MIT
//
// The first generation has no bfloat16.
#include <mezzo/backend/npu/plan.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr auto plan = npu::static_plan<npu::ascend910a, 64, 64, 64, npu::element::bfloat16>;
#else
constexpr auto plan = npu::static_plan<npu::ascend910b1, 64, 64, 64, npu::element::bfloat16>;
#endif
static_assert(plan.cores > 0);
