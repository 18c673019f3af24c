// SPDX-License-Identifier: MIT
#include <mezzo/number/sqrt.hpp>

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
  return bits(math::sqrt(T(0))) == 0 && bits(math::sqrt(T(-0.0))) == bits(T(-0.0)) && math::sqrt(T(4)) == 2 &&
         math::sqrt(T(2)) == T(1.4142135623730951) && math::sqrt(infinity<T>) == infinity<T> &&
         is_nan(math::sqrt(T(-1))) && is_nan(math::sqrt(-infinity<T>)) && is_nan(math::sqrt(nan<T>)) &&
         is_nan(math::sqrt(-smallest<T>));
}
static_assert(special_values_hold<float>() && special_values_hold<double>());
static_assert(math::sqrt(smallest<float>) == 0x1.6a09e6p-75f && math::sqrt(smallest<double>) == 0x1p-537);
static_assert(math::sqrt(largest<float>) == 0x1.fffffep+63f);

}  // namespace

// clang estimates the root under -ffast-math.
#if !(defined(__clang__) && defined(__FAST_MATH__))
TEST_CASE("the digits of constant evaluation are those of the instruction") {
  std::uint64_t word = 0x9e3779b97f4a7c15U;
  for (int i = 0; i < 20000; ++i) {
    word = word * 6364136223846793005U + 1442695040888963407U;
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(word >> 33) % 0x7f000000U + 0x800000U);
    const auto y = std::bit_cast<double>((word >> 1) % 0x7fe0000000000000U + 0x10000000000000U);
    REQUIRE(bits(math::detail::sqrt_by_digits(x)) == bits(math::sqrt(x)));
    REQUIRE(bits(math::detail::sqrt_by_digits(y)) == bits(math::sqrt(y)));
  }
}
#endif

// -ffast-math makes the processor take subnormal numbers for 0.
#if !defined(__FAST_MATH__)
TEST_CASE("the digits of constant evaluation are those of the instruction for subnormal numbers") {
  for (std::uint32_t subnormal = 1; subnormal < 5000; ++subnormal) {
    const auto x = std::bit_cast<float>(subnormal);
    REQUIRE(bits(math::detail::sqrt_by_digits(x)) == bits(math::sqrt(x)));
  }
}
#endif
