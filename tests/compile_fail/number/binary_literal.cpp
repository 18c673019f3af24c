// expect-error: a minifloat is written in decimal or hexadecimal, this is neither
// SPDX-License-Identifier: MIT
//
// Binary digits are not a way to write a floating-point number.
#include <mezzo/number/parse.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr bfloat16 five = 0b101_bf16;
#else
constexpr bfloat16 five = 5_bf16;
#endif
