// SPDX-License-Identifier: MIT
#include <mezzo/number/tanh.hpp>

#include <doctest/doctest.h>

#include <bit>
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
  return bits(math::tanh(T(-0.0))) == bits(T(-0.0)) && bits(math::tanh(T(0))) == 0 && math::tanh(T(30)) == 1 &&
         math::tanh(T(-30)) == -1 && math::tanh(infinity<T>) == 1 && math::tanh(-infinity<T>) == -1 &&
         math::tanh(largest<T>) == 1 && is_nan(math::tanh(nan<T>)) && math::tanh(smallest<T>) == smallest<T> &&
         math::sigmoid(T(0)) == T(0.5) && math::sigmoid(T(-0.0)) == T(0.5) && math::sigmoid(infinity<T>) == 1 &&
         math::sigmoid(-infinity<T>) == 0 && math::sigmoid(T(-800)) == 0 && math::sigmoid(T(800)) == 1 &&
         math::sigmoid(-largest<T>) == 0 && is_nan(math::sigmoid(nan<T>));
}
static_assert(special_values_hold<float>() && special_values_hold<double>());
static_assert(math::sigmoid(-200.0f) == 0.0f && math::sigmoid(-200.0) > 0.0);

// The lower tail of the sigmoid is e^x down to the subnormal numbers.
static_assert(math::sigmoid(-100.0f) == math::exp(-100.0f) && math::sigmoid(-740.0) == math::exp(-740.0));

}  // namespace

TEST_CASE("tanh and sigmoid of known arguments") {
  CHECK(math::tanh(0.5f) == doctest::Approx(0.46211716f).epsilon(2e-7));
  CHECK(math::tanh(0.625) == doctest::Approx(0.5545997223493823).epsilon(1e-15));
  CHECK(math::tanh(-3.0) == doctest::Approx(-0.9950547536867305).epsilon(1e-15));
  CHECK(math::sigmoid(2.0) == doctest::Approx(0.8807970779778823).epsilon(1e-15));
  CHECK(math::sigmoid(-2.0f) == doctest::Approx(0.11920292f).epsilon(2e-7));
}
