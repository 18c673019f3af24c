// SPDX-License-Identifier: MIT
#include <mezzo/number/minifloat.hpp>

#include <doctest/doctest.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

using namespace mezzo;

template <class T>
constexpr bool is_a_plain_value =
    std::is_trivially_default_constructible_v<T>&& std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T> &&
    sizeof(T) == sizeof(typename T::storage) && alignof(T) == alignof(typename T::storage);
static_assert(is_a_plain_value<float16> && is_a_plain_value<bfloat16>);

// Widening is implicit, narrowing never.
static_assert(std::convertible_to<float16, float> && std::convertible_to<bfloat16, float>);
static_assert(!std::convertible_to<float, float16> && !std::convertible_to<double, float16>);
static_assert(!std::convertible_to<int, bfloat16> && !std::convertible_to<float16, bfloat16>);
static_assert(std::constructible_from<float16, bfloat16> && std::constructible_from<bfloat16, float16>);
static_assert(std::constructible_from<float16, char> && std::constructible_from<float16, unsigned long long>);
static_assert(!std::is_constructible_v<float16, bool> && !std::is_constructible_v<bfloat16, bool>);
static_assert(!std::is_constructible_v<float16, const char*>);
template <class T>
concept compounds = requires(T a, float b) {
  a += b;
};
static_assert(!compounds<float16>);

static_assert(std::same_as<decltype(float16(1) + float16(2)), float>);
static_assert(std::same_as<decltype(float16(1) * bfloat16(2)), float>);
static_assert(std::same_as<decltype(float16(1) + 1.0), double>);
static_assert(std::same_as<decltype(bfloat16(1) - 1), float>);
static_assert(std::same_as<decltype(-float16(1)), float16>);
static_assert(std::same_as<std::common_type_t<float16, float>, float>);
static_assert(std::equality_comparable<float16> && std::totally_ordered<bfloat16>);
static_assert(std::three_way_comparable<float16, std::partial_ordering>);

static_assert(float16{}.bits() == 0 && bfloat16{}.bits() == 0);
static_assert((-float16(0.0F)).bits() == 0x8000 && (-float16::from_bits(0x7E01)).bits() == 0xFE01);
static_assert(bfloat16(float16(1.00390625F)).bits() == 0x3F80 && float16(bfloat16(1e6F)).bits() == 0x7C00);
static_assert(static_cast<double>(float16(0.1)) == 0.0999755859375 && static_cast<int>(bfloat16(-2.5F)) == -2);

template <class T>
constexpr bool compares() {
  const T zero(0);
  const T one(1);
  const T infinite(1e39);
  return zero == -zero && !(zero < -zero) && one > zero && one >= one && one != zero && -one < zero &&
         !(-one <= -infinite) && !(T(-180) < T(-180)) && one == 1 && one == 1.0F && one == 1.0 && 1 == one &&
         0.5 < one && one < 2U && one <= 1L && (one <=> zero) == std::partial_ordering::greater &&
         (one <=> 1.0) == std::partial_ordering::equivalent && one == float16(1) && bfloat16(1) == one;
}
static_assert(compares<float16>() && compares<bfloat16>());

}  // namespace

TEST_CASE("numbers compare as the values that they hold, with every arithmetic type") {
  CHECK(compares<float16>());
  CHECK(compares<bfloat16>());
}

#if !defined(__FAST_MATH__)
namespace {

template <class T>
constexpr bool nan_is_unordered() {
  const T nan(std::numeric_limits<float>::quiet_NaN());
  const T one(1);
  return !(nan == nan) && nan != nan && !(nan < one) && !(nan > one) && !(nan <= nan) && nan != 1.0 &&
         (nan <=> one) == std::partial_ordering::unordered;
}
static_assert(nan_is_unordered<float16>() && nan_is_unordered<bfloat16>());

}  // namespace

TEST_CASE("NaN is unordered") {
  CHECK(nan_is_unordered<float16>());
  CHECK(nan_is_unordered<bfloat16>());
}
#endif

TEST_CASE("every code survives from_bits and negation") {
  int wrong = 0;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto word = static_cast<std::uint16_t>(code);
    wrong += float16::from_bits(word).bits() != word || (-float16::from_bits(word)).bits() != (word ^ 0x8000);
    wrong += bfloat16::from_bits(word).bits() != word || (-bfloat16::from_bits(word)).bits() != (word ^ 0x8000);
  }
  CHECK(wrong == 0);
}
