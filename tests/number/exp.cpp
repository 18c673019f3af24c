// SPDX-License-Identifier: MIT
#include <mezzo/number/exp.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>


namespace math = mezzo::math;

namespace {

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T largest = std::numeric_limits<T>::max();
template <class T>
constexpr T smallest = std::numeric_limits<T>::denorm_min();

constexpr std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
// On bits, since a comparison with a NaN may be deleted under -ffast-math.
constexpr bool is_nan(float x) { return (bits(x) & 0x7fffffffU) > 0x7f800000U; }
constexpr bool is_nan(double x) { return (bits(x) & 0x7fffffffffffffffU) > 0x7ff0000000000000U; }

template <class T>
constexpr bool special_values_hold() {
  return math::exp(T(0)) == 1 && math::exp(T(-0.0)) == 1 && math::exp(infinity<T>) == infinity<T> &&
         math::exp(largest<T>) == infinity<T> && bits(math::exp(-infinity<T>)) == 0 && math::exp(-largest<T>) == 0 &&
         is_nan(math::exp(nan<T>)) && math::exp(smallest<T>) == 1 && bits(math::expm1(T(-0.0))) == bits(T(-0.0)) &&
         bits(math::expm1(T(0))) == 0 && math::expm1(smallest<T>) == smallest<T> &&
         math::expm1(-smallest<T>) == -smallest<T> && math::expm1(infinity<T>) == infinity<T> &&
         math::expm1(largest<T>) == infinity<T> && math::expm1(-infinity<T>) == -1 && math::expm1(T(-50)) == -1 &&
         is_nan(math::expm1(nan<T>));
}
static_assert(special_values_hold<float>() && special_values_hold<double>());

template <class T>
constexpr bool special_values_below_zero_hold() {
  return math::exp_below_zero(T(0)) == 1 && math::exp_below_zero(T(-0.0)) == 1 &&
         bits(math::exp_below_zero(-infinity<T>)) == 0 && math::exp_below_zero(-largest<T>) == 0 &&
         is_nan(math::exp_below_zero(nan<T>)) && is_nan(math::exp_below_zero(-nan<T>)) &&
         math::exp_below_zero(T(-3)) == math::exp(T(-3)) && math::exp_below_zero(T(-102)) == math::exp(T(-102));
}
static_assert(special_values_below_zero_hold<float>() && special_values_below_zero_hold<double>());

// The sign of a NaN stays.
static_assert(bits(math::exp(math::copysign(nan<float>, -1.0f))) >> 31 == 1 && bits(math::exp(nan<float>)) >> 31 == 0);

// The last argument before infinity, and the first after.
static_assert(math::exp(0x1.62e42ep+6f) < infinity<float> && math::exp(0x1.62e430p+6f) == infinity<float>);
static_assert(math::exp(0x1.62e42fefa39efp+9) < infinity<double>);
static_assert(math::exp(0x1.62e42fefa39f0p+9) == infinity<double>);
static_assert(math::expm1(0x1.62e42ep+6f) < infinity<float> && math::expm1(0x1.62e430p+6f) == infinity<float>);
static_assert(math::expm1(0x1.62e42fefa39efp+9) < infinity<double>);

// Gradual underflow: e^-100 is 3.72e-44, 27 times the smallest subnormal.
static_assert(math::exp(-100.0f) == 27 * smallest<float> && math::exp(-103.9f) == smallest<float>);
static_assert(math::exp(-104.0f) == 0.0f && math::exp(-745.0) == smallest<double> && math::exp(-746.0) == 0.0);

}  // namespace

TEST_CASE("exp and expm1 of known arguments") {
  CHECK(math::exp(1.0f) == doctest::Approx(2.7182818f).epsilon(1e-7));
  CHECK(math::exp(1.0) == doctest::Approx(2.718281828459045).epsilon(1e-15));
  CHECK(math::exp(-20.5) == doctest::Approx(1.2501528663867428e-9).epsilon(1e-15));
  CHECK(math::expm1(1e-10) == doctest::Approx(1.00000000005e-10).epsilon(1e-15));
  CHECK(math::expm1(-0.5f) == doctest::Approx(-0.39346934f).epsilon(1e-7));
}

// -ffast-math would take apart the sum that rounds to a whole number.
TEST_CASE("exp of unknown arguments, whatever the flags") {
  for (int i = -60; i <= 60; ++i) {
    const volatile float x = static_cast<float>(i) * 1.37f;
    const volatile double y = i * 11.13;
    CHECK(math::exp(float{x}) == doctest::Approx(std::exp(double{x})).epsilon(1e-6));
    CHECK(math::exp(double{y}) == doctest::Approx(std::exp(double{y})).epsilon(1e-14));
    CHECK(math::exp_below_zero(-std::abs(float{x})) == doctest::Approx(std::exp(-std::abs(double{x}))).epsilon(1e-6));
  }
}
