// SPDX-License-Identifier: MIT
#include <mezzo/number/codec.hpp>

#include <doctest/doctest.h>
#include <mezzo/base/counter_bits.hpp>

#include "reference.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace descriptors {

// Descriptors of 8 bits, to show that the codec asks the descriptor alone (OCP OFP8 1.0).
struct e4m3fn {
  using storage = std::uint8_t;
  static constexpr int exponent_bits = 4;
  static constexpr int mantissa_bits = 3;
  static constexpr int bias = 7;
  static constexpr mezzo::specials special = mezzo::specials::nan;
  static constexpr const char* name = "e4m3fn";
};
struct e5m2 {
  using storage = std::uint8_t;
  static constexpr int exponent_bits = 5;
  static constexpr int mantissa_bits = 2;
  static constexpr int bias = 15;
  static constexpr mezzo::specials special = mezzo::specials::ieee;
  static constexpr const char* name = "e5m2";
};

}  // namespace descriptors

namespace {

using namespace descriptors;
using namespace mezzo;

constexpr float single(std::uint32_t code) { return std::bit_cast<float>(code); }
constexpr double twice(std::uint64_t code) { return std::bit_cast<double>(code); }

template <class Format>
constexpr unsigned of(std::uint32_t code) {
  return encode<Format>(single(code));
}

constexpr bool doubles_round_once() {
  return encode<binary16>(twice(0x3FB00200000000FF)) == 0x2C01 &&
         encode<binary16>(twice(0xBFCFFDFFFFFFFFEF)) == 0xB3FF &&
         encode<binary16>(twice(0xBE9DFFFFFFFFFFFD)) == 0x8007 && encode<binary16>(1025.49995) == 0x6401 &&
         encode<binary16>(1 + 0x1p-11 + 0x1p-22) == 0x3C01 && encode<binary16>(1 + 0x1p-11) == 0x3C00 &&
         encode<binary16>(1 + 0x1p-11 + 0x1p-52) == 0x3C01 && encode<binary16>(1 + 0x3p-11 - 0x1p-52) == 0x3C01 &&
         encode<brain16>(1 + 0x1p-8 + 0x1p-40) == 0x3F81 && encode<brain16>(1 + 0x1p-8) == 0x3F80 &&
         encode<brain16>(0x1p-134 + 0x1p-180) == 0x0001 && encode<brain16>(0x1p-134) == 0x0000 &&
         encode<brain16>(0x1.FFp127) == 0x7F80 && encode<brain16>(twice(0x47EFEFFFFFFFFFFF)) == 0x7F7F &&
         encode<brain16>(1e300) == 0x7F80 && encode<binary16>(-1e300) == 0xFC00 && encode<binary16>(1e-300) == 0 &&
         encode<binary16>(-twice(1)) == 0x8000;
}
static_assert(doubles_round_once());

constexpr bool long_doubles_round_once() {
  if (encode<binary16>(1 + 0x1p-11L) != 0x3C00 || encode<binary16>(65520.0L) != 0x7C00 ||
      encode<binary16>(-65504.0L) != 0xFBFF || encode<brain16>(1 + 0x1p-8L) != 0x3F80 ||
      encode<binary16>(1e300L) != 0x7C00)
    return false;
  if constexpr (std::numeric_limits<long double>::digits >= 64) {
    return encode<binary16>(1 + 0x1p-11L + 0x1p-63L) == 0x3C01 && encode<binary16>(1 + 0x3p-11L - 0x1p-63L) == 0x3C01 &&
           encode<binary16>(65520 - 0x1p-47L) == 0x7BFF && encode<binary16>(0x1p-25L + 0x1p-88L) == 1 &&
           encode<brain16>(1 + 0x1p-8L + 0x1p-63L) == 0x3F81 && encode<brain16>(-1 - 0x1p-8L - 0x1p-63L) == 0xBF81 &&
           encode<binary16>(std::numeric_limits<long double>::denorm_min()) == 0 &&
           encode<binary16>(-(std::numeric_limits<long double>::max)()) == 0xFC00;
  }
  return true;
}
static_assert(long_doubles_round_once());
// Not at run time: under -ffast-math the compiler may take one constant for both.
static_assert(encode<brain16>(0.0L) == 0 && encode<brain16>(-0.0L) == 0x8000);

constexpr bool integers_round_once() {
  return encode<binary16>(2049) == 0x6800 && encode<binary16>(2051) == 0x6802 && encode<binary16>(65519) == 0x7BFF &&
         encode<binary16>(65520) == 0x7C00 && encode<binary16>(-65520) == 0xFC00 && encode<binary16>(0) == 0 &&
         encode<binary16>((std::numeric_limits<std::int64_t>::min)()) == 0xFC00 &&
         encode<brain16>((std::numeric_limits<std::int64_t>::min)()) == 0xDF00 &&
         encode<brain16>((std::numeric_limits<std::uint64_t>::max)()) == 0x5F80 &&
         // Just above a tie, by a bit that no double of this size has.
         encode<brain16>(0x8080000000000001ULL) == 0x5F01 && encode<brain16>(0x8080000000000000ULL) == 0x5F00 &&
         encode<brain16>(-0x4040000000000001LL) == 0xDE81 && encode<brain16>(0x01010001) == 0x4B81 &&
         encode<brain16>(std::int8_t{-3}) == 0xC040 && encode<binary16>(std::uint8_t{255}) == 0x5BF8;
}
static_assert(integers_round_once());

constexpr bool thresholds_and_carries() {
  return of<binary16>(0x477FEFFF) == 0x7BFF && of<binary16>(0x477FF000) == 0x7C00 &&
         of<binary16>(0xC77FF000) == 0xFC00 && encode<binary16>(65536.0F) == 0x7C00 &&
         encode<binary16>(65600.0F) == 0x7C00 && encode<binary16>(65504.0F) == 0x7BFF &&
         encode<binary16>(0.49990F) == 0x3800 && of<brain16>(0x7F7F7FFF) == 0x7F7F &&
         of<brain16>(0x7F7F8000) == 0x7F80 && of<brain16>(0x7F7FFFFF) == 0x7F80 && of<brain16>(0x3E89CCD5) == 0x3E8A &&
         of<brain16>(0x3F808000) == 0x3F80 && of<brain16>(0x3F818000) == 0x3F82 && of<binary16>(0x7F800000) == 0x7C00 &&
         of<brain16>(0xFF800000) == 0xFF80;
}
static_assert(thresholds_and_carries());

constexpr bool subnormals_are_kept() {
  if (encode<binary16>(0x1p-25F) != 0 || encode<binary16>(twice(0x3E60000000000001)) != 1 ||
      encode<binary16>(0x1p-15F) != 0x0200 || of<binary16>(0x33000001) != 1 || encode<binary16>(0x1p-24F) != 1 ||
      encode<binary16>(0x3p-25F) != 2 || encode<binary16>(0x1.FF8p-15F) != 0x03FF ||
      encode<binary16>(0x1.FFCp-15F) != 0x0400)
    return false;
  return of<brain16>(0x00008000) == 0 && of<brain16>(0x00008001) == 1 && of<brain16>(0x00018000) == 2 &&
         of<brain16>(0x007F8000) == 0x0080 && of<brain16>(0x80010000) == 0x8001;
}
static_assert(subnormals_are_kept());

constexpr bool nan_stays_nan() {
  for (const std::uint32_t sign : {0U, 0x80000000U}) {
    const unsigned top = sign >> 16;
    for (std::uint32_t bit = 0; bit < 23; ++bit) {
      const std::uint32_t nan = sign | 0x7F800000 | 1U << bit;
      if (of<binary16>(nan) != (top | 0x7E00 | (1U << bit) >> 13)) return false;
      if (of<brain16>(nan) != (top | 0x7FC0 | (1U << bit) >> 16)) return false;
    }
  }
  return of<brain16>(0x7F800001) == 0x7FC0 && of<brain16>(0x7FFFFFFF) == 0x7FFF && of<brain16>(0xFFFFFFFF) == 0xFFFF &&
         of<binary16>(0x7F801FFF) == 0x7E00 && of<binary16>(0xFFFFFFFF) == 0xFFFF;
}
static_assert(nan_stays_nan());

template <class Format>
bool decodes_exactly(unsigned code) {
  using codes = layout<Format>;
  const unsigned magnitude = code % 0x8000;
  const std::uint32_t sign = code >= 0x8000 ? 0x80000000U : 0U;
  const auto value = std::bit_cast<std::uint32_t>(decode<Format>(static_cast<std::uint16_t>(code)));
  if (magnitude < codes::exponent) {
    const reference::parts p = reference::take_apart<Format>(magnitude);
    return value == (sign | reference::assemble<binary32>(p.count, p.exponent));
  }
  if (magnitude == codes::exponent) return value == (sign | 0x7F800000U);
  return value >> 31 == sign >> 31 && (value & 0x7FFFFFFF) > 0x7F800000U;
}

template <class Format>
bool returns(unsigned code) {
  const unsigned back = encode<Format>(decode<Format>(static_cast<std::uint16_t>(code)));
  return back == (layout<Format>::is_nan(static_cast<std::uint16_t>(code)) ? code | layout<Format>::quiet : code);
}

template <class Format>
int wrong_doubles() {
  const auto middle = reference::midpoints<binary64, Format>();
  int wrong = 0;
  const auto check = [&](std::uint64_t code) {
    wrong += encode<Format>(twice(code)) != reference::nearest<binary64, Format>(middle, code);
    wrong += encode<Format>(twice(code | 1ULL << 63)) != (0x8000U | reference::nearest<binary64, Format>(middle, code));
  };
  for (const std::uint64_t tie : middle)
    for (std::uint64_t code = tie - 2; code <= tie + 2; ++code) check(code);
  const std::uint64_t low = middle.front() - (1ULL << 54);
  const std::uint64_t span = middle.back() + (1ULL << 54) - low;
  for (std::uint64_t i = 0; i < 200'000; ++i) check(low + counter_bits(1, i) % span);
  return wrong;
}

}  // namespace

TEST_CASE("doubles, long doubles and integers round once") {
  CHECK(doubles_round_once());
  CHECK(long_doubles_round_once());
  CHECK(integers_round_once());
}

TEST_CASE("long doubles round once when they are known only at run time") {
  volatile long double above_tie = 1 + 0x1p-11L + std::numeric_limits<long double>::epsilon();
  volatile long double below_tie = 1 + 0x3p-11L - std::numeric_limits<long double>::epsilon();
  volatile long double tie = -1 - 0x3p-11L;
  volatile long double large = (std::numeric_limits<long double>::max)();
  volatile long double small = -std::numeric_limits<long double>::denorm_min();
  CHECK(encode<binary16>(above_tie) == 0x3C01);
  CHECK(encode<binary16>(below_tie) == 0x3C01);
  CHECK(encode<binary16>(tie) == 0xBC02);
  CHECK(encode<binary16>(large) == 0x7C00);
  CHECK(encode<brain16>(large) == 0x7F80);
  CHECK(encode<binary16>(small) == 0x8000);
  volatile long double nan = -std::numeric_limits<long double>::quiet_NaN();
  volatile long double infinite = -std::numeric_limits<long double>::infinity();
  CHECK((encode<binary16>(nan) & 0x7FFF) == 0x7E00);
  CHECK(encode<brain16>(infinite) == 0xFF80);
}

TEST_CASE("overflow begins at the midpoint above the largest number, and carries reach the exponent") {
  CHECK(thresholds_and_carries());
}

TEST_CASE("subnormals round like every other number") { CHECK(subnormals_are_kept()); }

TEST_CASE("NaN stays NaN with its sign and the upper bits of its payload") { CHECK(nan_stays_nan()); }

TEST_CASE("all codes decode to the number they mean and encode back to themselves") {
  int wrong = 0;
  for (unsigned code = 0; code < 0x10000; ++code)
    wrong += !decodes_exactly<binary16>(code) + !decodes_exactly<brain16>(code) + !returns<binary16>(code) +
             !returns<brain16>(code);
  CHECK(wrong == 0);
}

TEST_CASE("doubles next to every midpoint, and drawn ones, round to the nearer code") {
  CHECK(wrong_doubles<binary16>() == 0);
  CHECK(wrong_doubles<brain16>() == 0);
}

TEST_CASE("a double rounds once to float32 too, whatever the processor does with subnormals") {
  CHECK(encode<binary32>(1 + 0x1p-24) == 0x3F800000U);
  CHECK(encode<binary32>(1 + 0x1p-24 + 0x1p-52) == 0x3F800001U);
  CHECK(encode<binary32>(0x1p-149) == 1U);
  CHECK(encode<binary32>(-0x3p-150) == 0x80000002U);
  CHECK(encode<binary32>(0x1.FFFFFEFFFFFFFp127) == 0x7F7FFFFFU);
  CHECK(encode<binary32>(0x1.FFFFFFp127) == 0x7F800000U);
  CHECK(encode<binary32, overflow::saturate>(1e300) == 0x7F7FFFFFU);
}

TEST_CASE("a format without infinity overflows to NaN, or to its largest number where asked") {
  CHECK(encode<e4m3fn>(448.0F) == 0x7E);
  CHECK(encode<e4m3fn>(464.0F) == 0x7E);
  CHECK(encode<e4m3fn>(465.0F) == 0x7F);
  CHECK(encode<e4m3fn>(-1000.0F) == 0xFF);
  CHECK(encode<e4m3fn>(single(0x7F800000)) == 0x7F);
  CHECK(encode<e4m3fn, overflow::saturate>(465.0F) == 0x7E);
  CHECK(encode<e4m3fn, overflow::saturate>(single(0xFF800000)) == 0xFE);
  CHECK(encode<e4m3fn, overflow::saturate>(single(0x7F800001)) == 0x7F);
  CHECK(encode<e4m3fn>(4.25F) == 0x48);
  CHECK(encode<e4m3fn>(0x1p-10F) == 0);
  CHECK(encode<e4m3fn>(0x1.000002p-10F) == 1);
  for (unsigned code = 0; code < 8; ++code)
    CHECK(decode<e4m3fn>(static_cast<std::uint8_t>(code)) == static_cast<float>(code) * 0x1p-9F);
  CHECK(decode<e4m3fn>(0x7E) == 448.0F);
  CHECK(std::bit_cast<std::uint32_t>(decode<e4m3fn>(0xFF)) == 0xFFC00000U);
  CHECK(std::bit_cast<std::uint32_t>(decode<e5m2>(0x7C)) == 0x7F800000U);
  CHECK(std::bit_cast<std::uint32_t>(decode<e5m2>(0x7D)) > 0x7F800000U);
  for (unsigned code = 0; code < 256; ++code) {
    const auto word = static_cast<std::uint8_t>(code);
    if (!layout<e5m2>::is_nan(word)) CHECK(encode<e5m2>(decode<e5m2>(word)) == code);
    CHECK(encode<e4m3fn>(decode<e4m3fn>(word)) == code);
  }
}
