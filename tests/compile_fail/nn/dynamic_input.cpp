// expect-error: mezzo::input: the sizes of a sample must be known to the compiler; given a dynamic one
// SPDX-License-Identifier: MIT
//
// The batch is not among the sizes of a sample.
#include <mezzo/nn/sequential.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr input<dynamic_extent, 4> samples{};
#else
constexpr input<4> samples{};
#endif
