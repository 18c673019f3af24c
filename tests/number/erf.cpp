// SPDX-License-Identifier: MIT
#include <mezzo/number/erf.hpp>

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
  return bits(math::erf(T(-0.0))) == bits(T(-0.0)) && bits(math::erf(T(0))) == 0 && math::erf(T(7)) == 1 &&
         math::erf(T(-7)) == -1 && math::erf(infinity<T>) == 1 && math::erf(-infinity<T>) == -1 &&
         math::erf(largest<T>) == 1 && is_nan(math::erf(nan<T>)) && math::erf(smallest<T>) == smallest<T> &&
         math::normal_cdf(T(0)) == T(0.5) && math::normal_cdf(infinity<T>) == 1 &&
         bits(math::normal_cdf(-infinity<T>)) == 0 && math::normal_cdf(-largest<T>) == 0 &&
         is_nan(math::normal_cdf(nan<T>)) && math::normal_pdf(infinity<T>) == 0 &&
         math::normal_pdf(-infinity<T>) == 0 && math::normal_pdf(largest<T>) == 0 && is_nan(math::normal_pdf(nan<T>)) &&
         math::normal_pdf(T(0)) == T(0.3989422804014327) && math::normal_pdf(T(-2)) == math::normal_pdf(T(2));
}
static_assert(special_values_hold<float>() && special_values_hold<double>());

// Subnormal densities, and the last before 0.
static_assert(math::normal_pdf(14.0f) > 0.0f && math::normal_pdf(14.5f) == 0.0f);
static_assert(math::normal_pdf(38.5) > 0.0 && math::normal_pdf(39.0) == 0.0);

}  // namespace

TEST_CASE("erf and the normal distribution at known arguments") {
  CHECK(math::erf(0.5f) == doctest::Approx(0.52049988f).epsilon(1e-7));
  CHECK(math::erf(1.0) == doctest::Approx(0.8427007929497149).epsilon(1e-15));
  CHECK(math::erf(-2.0) == doctest::Approx(-0.9953222650189527).epsilon(1e-15));
  CHECK(math::normal_cdf(1.0) == doctest::Approx(0.8413447460685429).epsilon(1e-15));
  CHECK(math::normal_cdf(-1.0f) == doctest::Approx(0.15865525f).epsilon(5e-7));
  CHECK(math::normal_pdf(1.0) == doctest::Approx(0.24197072451914337).epsilon(1e-15));
}

TEST_CASE("erf does not step where its two ranges meet") {
  CHECK(math::erf(0x1.fffffep-1f) <= math::erf(1.0f));
  CHECK(math::erf(0x1.fffffffffffffp-1) <= math::erf(1.0));
}

TEST_CASE("the distribution and its density by one exponential") {
  for (int i = -3000; i <= 3000; ++i) {
    const volatile float x = static_cast<float>(i) * 0.005f;
    const auto both = math::detail::normal_of_number(float{x});
    const double wide = x;
    const double cdf = std::erfc(-wide * 0.70710678118654752) / 2;
    const double pdf = std::exp(-wide * wide / 2) * 0.3989422804014327;
    CHECK(std::abs(both.cdf - cdf) <= 1.4 * 0x1p-24);
    CHECK(std::abs(both.pdf - pdf) <= 0.8 * 0x1p-24);
    CHECK(std::abs(math::normal_cdf(float{x}) - cdf) <= 1.2 * 0x1p-24);
  }
  // The density vanishes before its product with a large number could count.
  static_assert(math::detail::normal_of_number(1e30f).pdf == 0 && math::detail::normal_of_number(-1e30f).cdf == 0);
  static_assert(math::detail::normal_of_number(-2.0).pdf == math::normal_pdf(2.0));
}
