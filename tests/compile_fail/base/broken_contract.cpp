// expect-error: fail
// SPDX-License-Identifier: MIT
//
// A contract broken in constant evaluation is no constant expression, and the compiler names the call that broke it.
#include <mezzo/base/contract.hpp>

constexpr int checked(int value) {
  mezzo::expects(value > 0, "the value must be positive");
  return value;
}

#if defined(MEZZO_EXPECT_ERROR)
constexpr int value = checked(0);
#else
constexpr int value = checked(1);
#endif

static_assert(value == 1);
