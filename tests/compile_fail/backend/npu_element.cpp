// expect-error: mezzo::npu::element_of: the type must be one that the chips hold
// SPDX-License-Identifier: MIT
#include <mezzo/backend/npu/chip.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr auto e = npu::element_of<double>;
#else
constexpr auto e = npu::element_of<float>;
#endif
static_assert(npu::bytes_of(e) == 4);
