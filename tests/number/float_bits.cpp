// SPDX-License-Identifier: MIT
#include <mezzo/number/float_bits.hpp>

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

constexpr std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
// On bits, since a comparison with a NaN may be deleted under -ffast-math.
constexpr bool is_nan(float x) { return (bits(x) & 0x7fffffffU) > 0x7f800000U; }
constexpr bool is_nan(double x) { return (bits(x) & 0x7fffffffffffffffU) > 0x7ff0000000000000U; }

template <class T>
constexpr bool signs_hold() {
  return bits(math::abs(T(-0.0))) == bits(T(0)) && math::abs(T(-3)) == T(3) && math::abs(-infinity<T>) == infinity<T> &&
         is_nan(math::abs(-nan<T>)) && bits(math::abs(-nan<T>)) == bits(math::abs(nan<T>)) &&
         bits(math::copysign(T(2), T(-0.0))) == bits(T(-2)) && bits(math::copysign(T(-2), T(0))) == bits(T(2)) &&
         bits(math::copysign(T(0), T(-1))) == bits(T(-0.0)) &&
         bits(math::copysign(T(1), math::copysign(nan<T>, T(-1)))) == bits(T(-1));
}
static_assert(signs_hold<float>() && signs_hold<double>());

static_assert(math::real<float> && math::real<double> && !math::real<int> && !math::real<long double>);

template <class T>
constexpr bool holds_a_range() {
  using namespace math::detail;
  return held(T(5), T(-2), T(3)) == T(3) && held(T(-5), T(-2), T(3)) == T(-2) && held(T(1), T(-2), T(3)) == T(1) &&
         held(infinity<T>, T(-2), T(3)) == T(3) && held(-infinity<T>, T(-2), T(3)) == T(-2) &&
         !is_nan(held(nan<T>, T(-2), T(3))) && !is_nan(held(-nan<T>, T(-2), T(3))) &&
         size_up_to(T(-1), T(2)) == T(1) && size_up_to(-infinity<T>, T(2)) == T(2) && size_up_to(nan<T>, T(2)) == T(2);
}
static_assert(holds_a_range<float>() && holds_a_range<double>());

/// y * 2^k.
constexpr float scaled(float y, int k) { return math::detail::scaled(y, static_cast<std::uint32_t>(k) << 23); }
constexpr double scaled(double y, int k) { return math::detail::scaled(y, static_cast<std::uint64_t>(k) << 52); }
static_assert(scaled(1.5f, 127) == 0x1.8p+127f && scaled(1.5f, -149) == 0x1p-148f);
static_assert(scaled(1.25f, -149) == 0x1p-149f && scaled(0.5f, -149) == 0.0f && scaled(1.5f, -151) == 0.0f);
static_assert(scaled(0.75f, 128) == 0x1.8p+127f && scaled(1.25f, 128) == infinity<float>);
static_assert(scaled(1.5, 1023) == 0x1.8p+1023 && scaled(1.25, -1074) == 0x1p-1074);

}  // namespace

TEST_CASE("abs and copysign are the sign bit alone") {
  volatile float negative_zero = -0.0f;
  CHECK(bits(math::abs(static_cast<float>(negative_zero))) == 0);
  CHECK(math::copysign(4.0, static_cast<double>(negative_zero)) == -4.0);
}
