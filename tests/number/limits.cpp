// SPDX-License-Identifier: MIT
#include <mezzo/number/limits.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace mezzo;
using half = std::numeric_limits<float16>;
using brain = std::numeric_limits<bfloat16>;

static_assert(half::is_specialized && half::is_iec559 && half::has_infinity && half::has_signaling_NaN &&
              half::is_bounded);
static_assert(half::digits == 11 && half::digits10 == 3 && half::max_digits10 == 5 && half::radix == 2);
static_assert(half::max_exponent == 16 && half::min_exponent == -13 && half::max_exponent10 == 4 &&
              half::min_exponent10 == -4);
static_assert((half::min)() == 0x1p-14F && (half::max)() == 65504 && half::lowest() == -65504);
static_assert(half::epsilon() == 0x1p-10F && half::round_error() == 0.5F && half::denorm_min() == 0x1p-24F);
static_assert(half::infinity().bits() == 0x7C00 && half::quiet_NaN().bits() == 0x7E00);

static_assert(brain::is_specialized && brain::is_iec559 && brain::has_infinity && brain::has_signaling_NaN);
static_assert(brain::digits == 8 && brain::digits10 == 2 && brain::max_digits10 == 4 && brain::radix == 2);
static_assert(brain::epsilon() == 0x1p-7F && (brain::min)() == (std::numeric_limits<float>::min)());
static_assert((brain::max)().bits() == 0x7F7F && brain::lowest().bits() == 0xFF7F && brain::denorm_min().bits() == 1);
static_assert(brain::infinity().bits() == 0x7F80 && brain::quiet_NaN().bits() == 0x7FC0);

// The exponents of bfloat16 are those of float32.
using single = std::numeric_limits<float>;
static_assert(brain::max_exponent == single::max_exponent && brain::min_exponent == single::min_exponent);
static_assert(brain::max_exponent10 == single::max_exponent10 && brain::min_exponent10 == single::min_exponent10);

template <class T>
constexpr bool signals() {
  using codes = layout<typename T::format_type>;
  const auto code = std::numeric_limits<T>::signaling_NaN().bits();
  return codes::is_nan(code) && (code & codes::quiet) == 0;
}
static_assert(signals<float16>() && signals<bfloat16>());

static_assert(std::numeric_limits<const float16>::digits == 11 && std::numeric_limits<volatile bfloat16>::digits == 8);

}  // namespace

TEST_CASE("a signalling NaN is neither infinite nor quiet") {
  CHECK(signals<float16>());
  CHECK(signals<bfloat16>());
}
