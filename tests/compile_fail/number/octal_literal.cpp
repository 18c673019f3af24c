// expect-error: a minifloat is written in decimal or hexadecimal, this is octal
// SPDX-License-Identifier: MIT
//
// What C++ reads as octal, a reader takes for decimal.
#include <mezzo/number/parse.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr float16 seventeen = 017_f16;
#else
constexpr float16 seventeen = 17_f16;
#endif
