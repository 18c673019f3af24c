// SPDX-License-Identifier: MIT
#include <mezzo/number/log.hpp>

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
  return bits(math::log(T(1))) == 0 && math::log(T(0)) == -infinity<T> && math::log(T(-0.0)) == -infinity<T> &&
         is_nan(math::log(T(-1))) && is_nan(math::log(-smallest<T>)) && is_nan(math::log(-infinity<T>)) &&
         math::log(infinity<T>) == infinity<T> && is_nan(math::log(nan<T>)) && math::log1p(T(-1)) == -infinity<T> &&
         is_nan(math::log1p(T(-1.5))) && is_nan(math::log1p(-infinity<T>)) && is_nan(math::log1p(nan<T>)) &&
         math::log1p(infinity<T>) == infinity<T> && bits(math::log1p(T(-0.0))) == bits(T(-0.0)) &&
         bits(math::log1p(T(0))) == 0 && math::log1p(smallest<T>) == smallest<T> &&
         math::log1p(-smallest<T>) == -smallest<T> && math::log1p(largest<T>) == math::log(largest<T>);
}
static_assert(special_values_hold<float>() && special_values_hold<double>());

// Subnormal arguments: log 2^-149 and log 2^-1074.
static_assert(math::log(smallest<float>) == -103.278929903431851f);
static_assert(math::log(smallest<double>) == -744.4400719213812);
static_assert(math::log(0x1.8p-127f) == -87.62422680280309f && math::log(largest<float>) == 88.7228391117f);

}  // namespace

TEST_CASE("log and log1p of known arguments") {
  CHECK(math::log(2.0f) == doctest::Approx(0.69314718f).epsilon(1e-7));
  CHECK(math::log(10.0) == doctest::Approx(2.302585092994046).epsilon(1e-15));
  CHECK(math::log(1.0000001) == doctest::Approx(9.9999994947e-8).epsilon(1e-8));
  CHECK(math::log1p(1e-10f) == doctest::Approx(1e-10f).epsilon(1e-7));
  CHECK(math::log1p(-0.75) == doctest::Approx(-1.3862943611198906).epsilon(1e-15));
}
