// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers round the product where no instruction keeps it
#include <mezzo/number/fma.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace math = mezzo::math;

namespace {

template <class T>
constexpr T smallest = std::numeric_limits<T>::denorm_min();
template <class T>
constexpr T largest = std::numeric_limits<T>::max();
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

// Products whose last bits only one rounding keeps.
static_assert(math::fma(0x1.000002p+0f, 0x1.000002p+0f, -0x1.000004p+0f) == 0x1p-46f);
static_assert(math::fma(0x1.0000000000001p+0, 0x1.0000000000001p+0, -0x1.0000000000002p+0) == 0x1p-104);
// A tie that only a term far below breaks, either way.
static_assert(math::fma(0x1.000002p+0f, 0x1.000001p+0f - 0x1p-1f, smallest<float>) > 0.5f);
static_assert(math::fma(1.0f, 0x1.000002p+0f, 0x1p-24f) == 0x1.000004p+0f);
static_assert(math::fma(0x1p-12f, 0x1p-12f, 1.0f) == 1.0f);
static_assert(math::fma(0x1.000002p-12f, 0x1p-12f, 1.0f) == 0x1.000002p+0f);
static_assert(math::fma(-0x1p-60, 0x1p-60, 0x1p+53 + 2) == 0x1p+53 + 2);

template <class T>
constexpr bool is_zero(T x, bool negative) {
  return math::abs(x) == 0 && (math::detail::to_bits(x) != 0) == negative;
}
template <class T>
constexpr bool special_values_hold() {
  return is_zero(math::fma(T(2), T(3), T(-6)), false) && is_zero(math::fma(T(0), T(5), T(0)), false) &&
         is_zero(math::fma(T(-0.0), T(5), T(0)), false) && is_zero(math::fma(T(-0.0), T(5), T(-0.0)), true) &&
         math::fma(largest<T>, T(2), -largest<T>) == largest<T> &&
         math::fma(largest<T>, T(2), T(0)) == infinity<T> && math::fma(-largest<T>, T(2), T(1)) == -infinity<T> &&
         math::fma(smallest<T>, T(0.5), T(0)) == 0 && math::fma(smallest<T>, T(0.75), T(0)) == smallest<T> &&
         math::fma(smallest<T>, T(0.5), smallest<T>) == 2 * smallest<T> && math::fma(T(3), T(0), T(7)) == 7 &&
         math::fma(smallest<T>, smallest<T>, T(1)) == 1;
}
static_assert(special_values_hold<float>() && special_values_hold<double>());

/// Numbers of few or many bits, whose sums cancel, meet or lie far apart.
template <class T>
T sample(std::uint64_t counter, int spread) {
  const std::uint64_t word = (counter + 1) * 0x9e3779b97f4a7c15ULL;
  const std::uint64_t random = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9ULL;
  const int kept = static_cast<int>(random >> 58);
  const std::uint64_t fraction = (random ^ (random >> 32)) << 12 >> kept % 53 << kept % 53;
  const double magnitude = std::bit_cast<double>(std::uint64_t{1023} << 52 | fraction >> 12);
  const int exponent = static_cast<int>((random >> 40) % static_cast<unsigned>(spread)) - spread / 2;
  return static_cast<T>(std::ldexp((random & 1) != 0 ? -magnitude : magnitude, exponent));
}

template <class T>
bool same(T a, T b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

/// How often whole numbers and the processor (or the C library) disagree.
template <class T>
int disagreements(int spread) {
  int count = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const T a = sample<T>(3 * i, spread), b = sample<T>(3 * i + 1, spread), near = -(a * b);
    const T c = i % 4 == 0 ? near : i % 4 == 1 ? std::nextafter(near, T(0)) : sample<T>(3 * i + 2, spread);
    const T right = std::fma(a, b, c);
    count += !same(math::detail::fma_anywhere(a, b, c), right) || !same(math::fma(a, b, c), right);
  }
  return count;
}

}  // namespace

TEST_CASE("whole numbers and instructions give the same sums") {
  for (const int spread : {4, 30, 60, 120, 250}) {
    CHECK(disagreements<float>(spread) == 0);
    CHECK(disagreements<double>(8 * spread) == 0);
  }
}

TEST_CASE("a polynomial is Horner's rule") {
  static_assert(math::detail::polynomial(2.0f, 3.0f, 4.0f, 5.0f) == 25.0f);
  CHECK(math::detail::polynomial(-1.0, 3.0, 4.0, 5.0) == 4.0);
}
