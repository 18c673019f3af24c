// SPDX-License-Identifier: MIT
#include <mezzo/number/hifloat8.hpp>

#include <doctest/doctest.h>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/traits.hpp>

#include <algorithm>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace mezzo;

constexpr std::uint32_t code_of(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr float single(std::uint32_t code) { return std::bit_cast<float>(code); }
constexpr float decoded(unsigned code) { return float(hifloat8::from_bits(static_cast<std::uint8_t>(code))); }
constexpr unsigned encoded(float value) { return hifloat8(value).bits(); }

static_assert(std::is_trivially_default_constructible_v<hifloat8> && std::is_trivially_copyable_v<hifloat8> &&
              std::is_standard_layout_v<hifloat8> && sizeof(hifloat8) == 1);
static_assert(std::convertible_to<hifloat8, float> && !std::convertible_to<float, hifloat8>);
static_assert(std::constructible_from<hifloat8, double> && std::constructible_from<hifloat8, long double> &&
              std::constructible_from<hifloat8, int> && std::constructible_from<hifloat8, float16> &&
              std::constructible_from<float16, hifloat8> && !std::is_constructible_v<hifloat8, bool>);
static_assert(std::equality_comparable<hifloat8> && std::totally_ordered<hifloat8> &&
              std::three_way_comparable<hifloat8, std::partial_ordering>);
static_assert(std::same_as<decltype(hifloat8(1) + hifloat8(2)), float> &&
              std::same_as<decltype(-hifloat8(1)), hifloat8>);
static_assert(!real<hifloat8>, "it has no descriptor");
static_assert(hifloat8{}.bits() == 0);

// Examples by hand: sign, dot, exponent, mantissa.
static_assert(decoded(0b0'01'01'110) == 14, "the example of the paper");
static_assert(decoded(0b0'0001'000) == 1 && decoded(0b1'0001'100) == -1.5F && decoded(0b0'0001'111) == 1.875F);
static_assert(decoded(0b0'001'0'001) == 2.25F && decoded(0b0'001'1'001) == 0.5625F);
static_assert(decoded(0b0'01'00'000) == 4 && decoded(0b0'01'10'000) == 0.25F && decoded(0b0'01'11'111) == 0.234375F);
static_assert(decoded(0b0'10'000'01) == 20 && decoded(0b0'10'011'11) == 224 && decoded(0b0'10'111'10) == 0x1.8p-7F);
static_assert(decoded(0b0'11'0000'1) == 384 && decoded(0b0'11'0111'0) == 32768 && decoded(0b0'11'1000'1) == 0x1.8p-8F);
static_assert(decoded(0b0'11'1111'0) == 0x1p-15F && decoded(0b1'11'1111'1) == -0x1.8p-15F);
static_assert(decoded(0b0'0000'001) == 0x1p-22F && decoded(0b0'0000'111) == 0x1p-16F &&
              decoded(0b1'0000'010) == -0x1p-21F);
static_assert(code_of(decoded(0x00)) == 0 && code_of(decoded(0x80)) == 0x7FC00000U);
static_assert(code_of(decoded(0x6F)) == 0x7F800000U && code_of(decoded(0xEF)) == 0xFF800000U);

// What the bits mean, read one by one as the format is written down: a dot, an exponent as sign and magnitude whose
// topmost bit is implied, a mantissa.
double meaning(unsigned code) {
  int next = 6;
  const auto bit = [&] { return static_cast<int>(code >> next-- & 1); };
  int width = 0;
  if (bit() == 1) {
    width = bit() == 1 ? 4 : 3;
  } else if (bit() == 1) {
    width = 2;
  } else if (bit() == 1) {
    width = 1;
  } else if (bit() == 0) {
    double value = 1;
    for (int i = static_cast<int>(code % 8); i < 23; ++i) value /= 2;
    return code % 8 == 0 ? 0 : code >= 0x80 ? -value : value;
  }
  const bool small = width > 0 && bit() == 1;
  int exponent = width > 0 ? 1 : 0;
  for (int i = 1; i < width; ++i) exponent = 2 * exponent + bit();
  double value = 1;
  double half = 1;
  while (next >= 0) value += (half /= 2) * bit();
  for (int i = 0; i < exponent; ++i) value = small ? value / 2 : value * 2;
  return code >= 0x80 ? -value : value;
}

struct number {
  double value;
  unsigned code;
};

// The finite numbers of one sign in order, zero first.
std::vector<number> magnitudes() {
  std::vector<number> all;
  for (unsigned code = 0; code < 0x80; ++code)
    if (code != 0x6F) all.push_back({meaning(code), code});
  std::sort(all.begin(), all.end(), [](const number& a, const number& b) { return a.value < b.value; });
  return all;
}

// The code nearest to a magnitude; after the largest number, 2^15, would come 1.5 times it, which is infinity.
unsigned expected(const std::vector<number>& all, double magnitude) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double next = i + 1 < all.size() ? all[i + 1].value : 0x1.8p15;
    if (magnitude < (all[i].value + next) / 2) return all[i].code;
  }
  return 0x6F;
}

int wrong_at(const std::vector<number>& all, std::uint32_t magnitude) {
  const float value = single(magnitude);
  const unsigned right = expected(all, static_cast<double>(value));
  const unsigned finite = right == 0x6F ? 0x6E : right;
  const auto negative = [](unsigned code) { return code == 0 ? 0 : code | 0x80; };
  return (encoded(value) != right) + (encoded(-value) != negative(right)) +
         (hifloat8::saturated(value).bits() != finite) + (hifloat8::saturated(-value).bits() != negative(finite));
}

constexpr bool other_types_round_once() {
  // Just below the midpoint of 1 and 1.125, by less than a float32 tells.
  return encoded(1.0625F) == 0x09 && hifloat8(1.0625).bits() == 0x09 && hifloat8(1.0625 - 0x1p-40).bits() == 0x08 &&
         hifloat8(-1.0625 + 0x1p-40).bits() == 0x88 && hifloat8(1.0625L).bits() == 0x09 &&
         hifloat8(1e300).bits() == 0x6F && hifloat8(-1e300).bits() == 0xEF && hifloat8(1e-300).bits() == 0 &&
         hifloat8(0x1p-23).bits() == 1 && hifloat8(0x1p-23 - 0x1p-75).bits() == 0 &&
         hifloat8(14).bits() == 0b0'01'01'110 && hifloat8(-3).bits() == 0b1'001'0'100 &&
         hifloat8(40959).bits() == 0x6E && hifloat8(40960).bits() == 0x6F &&
         hifloat8((std::numeric_limits<std::int64_t>::min)()).bits() == 0xEF &&
         hifloat8(std::uint8_t{255}).bits() == 0b0'11'0000'0;
}
static_assert(other_types_round_once());

constexpr bool special_values() {
  return encoded(single(0x7F800000)) == 0x6F && encoded(single(0xFF800000)) == 0xEF &&
         encoded(single(0x7F800001)) == 0x80 && encoded(single(0xFFC00000)) == 0x80 &&
         encoded(single(0x80000000)) == 0 && encoded(single(1)) == 0 && encoded(single(0x80000001)) == 0 &&
         hifloat8::saturated(single(0x7F800000)).bits() == 0x6E &&
         hifloat8::saturated(single(0xFF800000)).bits() == 0xEE &&
         hifloat8::saturated(single(0x7FC00000)).bits() == 0x80;
}
static_assert(special_values());

constexpr bool compares() {
  const hifloat8 one(1), two(2);
  return one < two && -two < -one && one == 1.0F && one != two && two >= one && one == hifloat8(1.0) &&
         (one <=> two) == std::partial_ordering::less && -hifloat8(0) == hifloat8(0) && (-hifloat8(0)).bits() == 0 &&
         (-one).bits() == 0x88 && (-hifloat8::from_bits(0x80)).bits() == 0x80 &&
         (-hifloat8::from_bits(0x6F)).bits() == 0xEF && one == float16(1);
}
static_assert(compares());

using limits = std::numeric_limits<hifloat8>;
static_assert(limits::is_specialized && !limits::is_iec559 && limits::has_infinity && limits::has_quiet_NaN);
static_assert((limits::min)() == 0x1p-15F && (limits::max)() == 0x1p15F && limits::lowest() == -0x1p15F &&
              limits::denorm_min() == 0x1p-22F && limits::epsilon() == 0.125F && limits::round_error() == 0.5F);
static_assert(limits::infinity().bits() == 0x6F && limits::quiet_NaN().bits() == 0x80);
static_assert((limits::max)() == 0x1p15F && limits::max_exponent == 16 && limits::min_exponent == -14 &&
              limits::max_exponent10 == 4 && limits::min_exponent10 == -4);

}  // namespace

TEST_CASE("all codes mean what their bits say, and come back") {
  int wrong = 0;
  for (unsigned code = 0; code < 0x100; ++code) {
    wrong += encoded(decoded(code)) != code;
    wrong += hifloat8(static_cast<double>(decoded(code))).bits() != code;
    if (code == 0x80) {
      wrong += (code_of(decoded(code)) & 0x7FFFFFFF) <= 0x7F800000;
    } else if ((code & 0x7F) == 0x6F) {
      wrong += code_of(decoded(code)) != (0x7F800000 | (code >> 7 << 31));
    } else {
      wrong += code_of(decoded(code)) != code_of(static_cast<float>(meaning(code)));
      wrong += hifloat8::saturated(decoded(code)).bits() != code;
    }
    wrong += (-(-hifloat8::from_bits(static_cast<std::uint8_t>(code)))).bits() != code;
  }
  CHECK(wrong == 0);
}

TEST_CASE("127 magnitudes from 0 to 2^15, of 38 powers of two, are all different") {
  const auto all = magnitudes();
  CHECK(all.size() == 127);
  int ordered = 0, powers = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    ordered += all[i - 1].value < all[i].value;
    powers += code_of(static_cast<float>(all[i].value)) % 0x800000 == 0;
  }
  CHECK(ordered == 126);
  CHECK(powers == 38);
  CHECK(all[1].value == 0x1p-22);
  CHECK(all.back().value == 0x1p15);
}

TEST_CASE("every number, every midpoint and their neighbours round to the nearest, ties away from zero") {
  const auto all = magnitudes();
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double next = i + 1 < all.size() ? all[i + 1].value : 0x1.8p15;
    for (const double centre : {all[i].value, (all[i].value + next) / 2}) {
      const std::uint32_t code = code_of(static_cast<float>(centre));
      for (std::uint32_t near = code < 3 ? 0 : code - 3; near <= code + 3; ++near)
        if (near < 0x7F800000) wrong += wrong_at(all, near);
    }
  }
  for (std::uint64_t i = 0; i < 100'000; ++i)
    wrong += wrong_at(all, static_cast<std::uint32_t>(counter_bits(11, i) % 0x7F800000));
  for (std::uint64_t i = 0; i < 100'000; ++i)
    wrong += wrong_at(all, (127 - 25 + counter_below(12, 2 * i, 44)) << 23 | counter_below(12, 2 * i + 1, 1U << 23));
  CHECK(wrong == 0);
}

TEST_CASE("conversion keeps the order of numbers") {
  float before = decoded(0);
  int wrong = 0;
  for (std::uint32_t code = 0; code < 0x7F800000; code += 0x3FFF) {
    const float now = float(hifloat8(single(code)));
    wrong += code_of(now) < code_of(before);
    before = now;
  }
  CHECK(wrong == 0);
}

TEST_CASE("doubles, long doubles and integers round once") { CHECK(other_types_round_once()); }

TEST_CASE("NaN has one code, zero no sign, and infinity saturates where asked") { CHECK(special_values()); }

TEST_CASE("numbers compare as the values that they hold") { CHECK(compares()); }
