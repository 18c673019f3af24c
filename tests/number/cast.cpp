// SPDX-License-Identifier: MIT
#include <mezzo/number/cast.hpp>

#include <doctest/doctest.h>
#include <mezzo/base/counter_bits.hpp>

#include "reference.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace {

using namespace mezzo;

// The six roundings told by the neighbours of a magnitude: `low` and low + 1 are codes, the values of which enclose
// it, or `low` is the largest finite code; midpoints and values are codes of the wider format (reference.hpp).
template <class Wide, class Format>
unsigned expected(rounding how, bool negative, std::uint64_t wide) {
  const auto value_of = [](unsigned code) {
    const reference::parts p = reference::take_apart<Format>(code);
    return reference::assemble<Wide>(p.count, p.exponent);
  };
  unsigned low = 0;
  for (unsigned step = 1U << (8 * sizeof(typename Format::storage) - 2); step != 0; step /= 2)
    if (low + step <= layout<Format>::largest && value_of(low + step) <= wide) low += step;
  if (value_of(low) == wide) return low;
  const std::uint64_t middle = reference::midpoint<Wide, Format>(low);
  bool up = false;
  switch (how) {
    case rounding::nearest_even: up = wide > middle || (wide == middle && low % 2 == 1); break;
    case rounding::floor: up = negative; break;
    case rounding::ceil: up = !negative; break;
    case rounding::half_away: up = wide >= middle; break;
    case rounding::truncate: break;
    case rounding::odd: up = low % 2 == 0 && low != layout<Format>::largest; break;
  }
  return low + (up ? 1 : 0);
}

template <class Format>
constexpr std::uint32_t sign_of(bool negative) {
  return negative ? layout<Format>::sign : 0U;
}

// Both signs of a finite code of `From`, saturating or not.
template <class To, rounding Rounding, class From>
int wrong_at(std::uint64_t wide) {
  using source = format_of<From>;
  using target = format_of<To>;
  using codes = layout<target>;
  int wrong = 0;
  for (const bool negative : {false, true}) {
    const auto code = static_cast<typename source::storage>(wide | (negative ? layout<source>::sign : 0));
    const From from = from_bits<From>(code);
    const unsigned right = expected<source, target>(Rounding, negative, wide);
    const unsigned finite = right > codes::largest ? codes::largest : right;
    wrong += bits_of(cast<To, Rounding>(from)) != (right | sign_of<target>(negative));
    wrong += bits_of(cast<To, Rounding, overflow::saturate>(from)) != (finite | sign_of<target>(negative));
  }
  return wrong;
}

/// Each code of `To`, the midpoint above it, and two codes of `From` on either side of both.
template <class To, rounding Rounding, class From>
int wrong_boundaries(unsigned stride) {
  using source = format_of<From>;
  using target = format_of<To>;
  int wrong = 0;
  for (std::uint64_t code = 0; code <= layout<target>::largest; code += stride) {
    const reference::parts p = reference::take_apart<target>(static_cast<unsigned>(code));
    for (const std::uint64_t centre : {reference::assemble<source>(p.count, p.exponent),
                                       reference::midpoint<source, target>(static_cast<unsigned>(code))})
      for (std::uint64_t wide = centre < 2 ? 0 : centre - 2; wide <= centre + 2; ++wide)
        if (wide < layout<source>::exponent) wrong += wrong_at<To, Rounding, From>(wide);
  }
  return wrong;
}

template <class To, rounding Rounding, class From>
int wrong_elsewhere(std::uint64_t count) {
  int wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    wrong += wrong_at<To, Rounding, From>(counter_bits(5, i) % layout<format_of<From>>::exponent);
  using word = typename format_of<From>::storage;
  for (const word wide : {word{0}, word{1}, word{2}, layout<format_of<From>>::smallest_normal,
                          static_cast<word>(layout<format_of<From>>::smallest_normal - 1),
                          layout<format_of<From>>::largest, layout<format_of<From>>::one})
    wrong += wrong_at<To, Rounding, From>(wide);
  return wrong;
}

template <class To, rounding Rounding, class From>
int wrong_specials() {
  using source = format_of<From>;
  using from = layout<source>;
  using to = layout<format_of<To>>;
  using word = typename source::storage;
  int wrong = 0;
  for (const bool negative : {false, true}) {
    const word sign = negative ? from::sign : word{0};
    const auto top = sign_of<format_of<To>>(negative);
    const From infinite = from_bits<From>(static_cast<word>(sign | from::exponent));
    wrong += bits_of(cast<To, Rounding>(infinite)) != (top | to::exponent);
    wrong += bits_of(cast<To, Rounding, overflow::saturate>(infinite)) != (top | to::largest);
    for (int bit = 0; bit < source::mantissa_bits; ++bit) {
      const From nan = from_bits<From>(static_cast<word>(sign | from::exponent | word{1} << bit));
      for (const auto code : {bits_of(cast<To, Rounding>(nan)), bits_of(cast<To, Rounding, overflow::saturate>(nan))})
        wrong += !to::is_nan(code) || (code & to::sign) != top;
    }
  }
  return wrong;
}

template <rounding Rounding>
int wrong_numbers() {
  int wrong = wrong_boundaries<float16, Rounding, float>(1) + wrong_boundaries<bfloat16, Rounding, float>(1);
  wrong += wrong_boundaries<float16, Rounding, double>(3) + wrong_boundaries<bfloat16, Rounding, double>(3);
  wrong += wrong_boundaries<float, Rounding, double>(200'003);
  wrong += wrong_elsewhere<float16, Rounding, float>(20'000) + wrong_elsewhere<bfloat16, Rounding, float>(20'000) +
           wrong_elsewhere<float, Rounding, double>(20'000) + wrong_elsewhere<float16, Rounding, double>(20'000);
  wrong += wrong_specials<float16, Rounding, float>() + wrong_specials<bfloat16, Rounding, float>() +
           wrong_specials<float16, Rounding, double>() + wrong_specials<float, Rounding, double>();
  return wrong;
}

// Every float16 to bfloat16, by way of its float32 code, and to itself and wider types, where nothing is lost.
template <rounding Rounding>
int wrong_halves() {
  int wrong = wrong_specials<bfloat16, Rounding, float16>();
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto half = float16::from_bits(static_cast<std::uint16_t>(code));
    const bool negative = code >= 0x8000;
    wrong += bits_of(cast<float, Rounding>(half)) != bits_of(convert<float>(half));
    wrong += bits_of(cast<double, Rounding>(half)) != bits_of(convert<double>(half));
    wrong += cast<float16, Rounding>(half).bits() != code;
    if (layout<binary16>::is_finite(half.bits())) {
      const std::uint32_t wide = bits_of(convert<float>(half)) & 0x7FFFFFFF;
      wrong += cast<bfloat16, Rounding>(half).bits() !=
               (expected<binary32, brain16>(Rounding, negative, wide) | sign_of<brain16>(negative));
    }
  }
  return wrong;
}

// A value that is count * 2^exponent, as a whole number held in the range of `Integer`.
template <class Integer>
Integer expected_whole(rounding how, bool negative, std::uint64_t count, int exponent) {
  const auto most = static_cast<std::uint64_t>((std::numeric_limits<Integer>::max)());
  const std::uint64_t limit = !negative ? most : std::numeric_limits<Integer>::is_signed ? most + 1 : 0;
  std::uint64_t whole = limit;
  if (exponent < 0) {
    const int places = exponent < -62 ? 62 : -exponent;
    const std::uint64_t rest = count % (std::uint64_t{1} << places);
    const std::uint64_t half = std::uint64_t{1} << (places - 1);
    whole = count >> places;
    bool up = false;
    if (rest != 0) switch (how) {
        case rounding::nearest_even: up = rest > half || (rest == half && whole % 2 == 1); break;
        case rounding::floor: up = negative; break;
        case rounding::ceil: up = !negative; break;
        case rounding::half_away: up = rest >= half; break;
        case rounding::truncate: break;
        case rounding::odd: up = whole % 2 == 0; break;
      }
    whole += up ? 1 : 0;
  } else if (count == 0 || (exponent < 64 && count <= ~std::uint64_t{0} >> exponent)) {
    whole = count == 0 ? 0 : count << exponent;
  }
  whole = whole < limit ? whole : limit;
  return static_cast<Integer>(negative ? 0 - whole : whole);
}

template <class Integer, rounding Rounding, class From>
bool whole_is_wrong(typename format_of<From>::storage code) {
  using source = format_of<From>;
  using codes = layout<source>;
  const Integer got = cast<Integer, Rounding>(from_bits<From>(code));
  if (codes::is_nan(code)) return got != 0;
  const bool negative = (code & codes::sign) != 0;
  const std::uint64_t magnitude = code & codes::magnitude;
  const std::uint64_t hidden = std::uint64_t{1} << source::mantissa_bits;
  const int field = static_cast<int>(magnitude / hidden);
  const std::uint64_t count = field == 0 ? magnitude : magnitude % hidden + hidden;
  const int exponent = (field == 0 ? 1 : field) - source::bias - source::mantissa_bits;
  return got != expected_whole<Integer>(Rounding, negative, count, codes::is_finite(code) ? exponent : 64);
}

template <rounding Rounding, class From, class F>
int wrong_wholes(const F& for_each_code) {
  int wrong = 0;
  for_each_code([&](auto code) {
    const auto word = static_cast<typename format_of<From>::storage>(code);
    wrong += whole_is_wrong<std::int8_t, Rounding, From>(word) + whole_is_wrong<std::uint8_t, Rounding, From>(word) +
             whole_is_wrong<std::int16_t, Rounding, From>(word) + whole_is_wrong<std::uint16_t, Rounding, From>(word) +
             whole_is_wrong<std::int32_t, Rounding, From>(word) + whole_is_wrong<std::uint32_t, Rounding, From>(word) +
             whole_is_wrong<std::int64_t, Rounding, From>(word) + whole_is_wrong<std::uint64_t, Rounding, From>(word);
  });
  return wrong;
}

template <rounding Rounding>
int wrong_integers() {
  const auto all_16 = [](const auto& f) {
    for (std::uint32_t code = 0; code < 0x10000; ++code) f(code);
  };
  int wrong = wrong_wholes<Rounding, float16>(all_16) + wrong_wholes<Rounding, bfloat16>(all_16);
  // Halves and whole numbers of every size, the codes beside them, and drawn ones.
  wrong += wrong_wholes<Rounding, float>([](const auto& f) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      for (std::uint32_t field = 0; field < 256; ++field)
        for (std::uint32_t top = 0; top < 32; ++top)
          for (std::uint32_t low : {0U, 1U, 0x3FFFFU, 0x20000U, 0x1FFFFU, 0x20001U})
            f(sign | field << 23 | top << 18 | low);
      for (int twice = 0; twice < 1000; ++twice) {
        const std::uint32_t code = bits_of(static_cast<float>(twice) / 2);
        for (std::uint32_t near = code < 2 ? 0 : code - 2; near <= code + 2; ++near) f(sign | near);
      }
    }
    for (std::uint64_t i = 0; i < 20'000; ++i) f(static_cast<std::uint32_t>(counter_bits(6, i)));
  });
  wrong += wrong_wholes<Rounding, double>([](const auto& f) {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t drawn = counter_bits(7, i);
      f(drawn);
      f((drawn & ~(0x7FFULL << 52)) | (1023 - 10 + drawn % 80) << 52);  // from 1/1024 to 2^70
    }
  });
  return wrong;
}

// A rounding to odd on the way changes no rounding at the end.
template <rounding Rounding>
int wrong_by_odd() {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::uint64_t code = counter_bits(8, i);
    if (i % 2 == 0) code &= ~std::uint64_t{0} << (28 + i % 25);  // many ties
    code = (code & ~(0x7FFULL << 52)) | (1023 - 30 + counter_bits(9, i) % 50) << 52;
    const double value = from_bits<double>(code);
    const auto odd = cast<float, rounding::odd>(value);
    wrong += bits_of(cast<float16, Rounding>(odd)) != bits_of(cast<float16, Rounding>(value));
    wrong += bits_of(cast<bfloat16, Rounding>(odd)) != bits_of(cast<bfloat16, Rounding>(value));
  }
  return wrong;
}

template <rounding Rounding>
constexpr unsigned half_of(float value) {
  return cast<float16, Rounding>(value).bits();
}

constexpr bool modes_differ() {
  // 1 + 1/2048 is half way between two numbers, 2^-25 half way to the smallest.
  const float tie = 1 + 0x1p-11F;
  return half_of<rounding::nearest_even>(tie) == 0x3C00 && half_of<rounding::half_away>(tie) == 0x3C01 &&
         half_of<rounding::floor>(tie) == 0x3C00 && half_of<rounding::ceil>(tie) == 0x3C01 &&
         half_of<rounding::truncate>(tie) == 0x3C00 && half_of<rounding::odd>(tie) == 0x3C01 &&
         half_of<rounding::floor>(-tie) == 0xBC01 && half_of<rounding::ceil>(-tie) == 0xBC00 &&
         half_of<rounding::truncate>(-tie) == 0xBC00 && half_of<rounding::half_away>(-tie) == 0xBC01 &&
         half_of<rounding::nearest_even>(0x1p-25F) == 0 && half_of<rounding::half_away>(0x1p-25F) == 1 &&
         half_of<rounding::odd>(-0x1p-100F) == 0x8001 && half_of<rounding::ceil>(0x1p-149F) == 1 &&
         half_of<rounding::ceil>(-0x1p-149F) == 0x8000 && half_of<rounding::floor>(-0x1p-149F) == 0x8001 &&
         half_of<rounding::odd>(0.0F) == 0 && half_of<rounding::ceil>(0.0F) == 0;
}
static_assert(modes_differ());
static_assert(half_of<rounding::floor>(-0.0F) == 0x8000 && half_of<rounding::odd>(-0.0F) == 0x8000);

constexpr bool overflows_as_named() {
  return half_of<rounding::nearest_even>(65520) == 0x7C00 && half_of<rounding::half_away>(65520) == 0x7C00 &&
         half_of<rounding::nearest_even>(65519) == 0x7BFF && half_of<rounding::truncate>(1e30F) == 0x7BFF &&
         half_of<rounding::truncate>(-1e30F) == 0xFBFF && half_of<rounding::floor>(1e30F) == 0x7BFF &&
         half_of<rounding::floor>(-1e30F) == 0xFC00 && half_of<rounding::ceil>(65505) == 0x7C00 &&
         half_of<rounding::ceil>(-1e30F) == 0xFBFF && half_of<rounding::odd>(1e30F) == 0x7BFF &&
         half_of<rounding::odd>(-65505) == 0xFBFF &&
         cast<float16, rounding::ceil, overflow::saturate>(1e30F).bits() == 0x7BFF &&
         cast<bfloat16, rounding::ceil>(from_bits<float>(0x7F7FFFFF)).bits() == 0x7F80 &&
         cast<bfloat16, rounding::odd>(from_bits<float>(0x7F7FFFFF)).bits() == 0x7F7F;
}
static_assert(overflows_as_named());

// The examples of every mode on whole numbers.
template <rounding Rounding>
constexpr bool whole(int a, int b, int c, int d) {
  return cast<std::int32_t, Rounding>(2.5F) == a && cast<std::int32_t, Rounding>(-2.5F) == b &&
         cast<std::int32_t, Rounding>(2.25F) == c && cast<std::int8_t, Rounding>(float16(-2.75F)) == d;
}
static_assert(whole<rounding::nearest_even>(2, -2, 2, -3) && whole<rounding::half_away>(3, -3, 2, -3));
static_assert(whole<rounding::floor>(2, -3, 2, -3) && whole<rounding::ceil>(3, -2, 3, -2));
static_assert(whole<rounding::truncate>(2, -2, 2, -2) && whole<rounding::odd>(3, -3, 3, -3));

constexpr bool integers_saturate() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return cast<std::int32_t, rounding::truncate>(3e9F) == 2147483647 &&
         cast<std::int32_t, rounding::truncate>(-3e9F) == -2147483647 - 1 &&
         cast<std::int32_t, rounding::truncate>(-0x1p31F) == -2147483647 - 1 &&
         cast<std::int8_t, rounding::nearest_even>(127.5F) == 127 &&
         cast<std::int8_t, rounding::nearest_even>(-128.5F) == -128 &&
         cast<std::int8_t, rounding::floor>(-128.5F) == -128 && cast<std::uint8_t, rounding::floor>(-0.5F) == 0 &&
         cast<std::uint8_t, rounding::ceil>(254.5F) == 255 && cast<std::uint8_t, rounding::ceil>(1e9F) == 255 &&
         cast<std::int16_t, rounding::odd>(infinity) == 32767 &&
         cast<std::int16_t, rounding::odd>(-infinity) == -32768 &&
         cast<std::int32_t, rounding::floor>(from_bits<float>(0x7FC00000)) == 0 &&
         cast<std::int8_t, rounding::floor>(float16::from_bits(0xFE00)) == 0;
}
static_assert(integers_saturate());

constexpr bool integers_become_numbers() {
  return cast<float16, rounding::floor>(2049).bits() == 0x6800 &&
         cast<float16, rounding::ceil>(2049).bits() == 0x6801 &&
         cast<float16, rounding::floor>(-2049).bits() == 0xE801 &&
         cast<float16, rounding::odd>(2051).bits() == 0x6801 &&
         cast<float16, rounding::truncate>(70000).bits() == 0x7BFF &&
         cast<float16, rounding::half_away>(70000).bits() == 0x7C00 &&
         cast<float16, rounding::half_away, overflow::saturate>(70000).bits() == 0x7BFF &&
         cast<float, rounding::truncate>(16777217) == 16777216.0F &&
         cast<float, rounding::odd>(16777217) == 16777218.0F &&
         cast<bfloat16, rounding::ceil>((std::numeric_limits<std::uint64_t>::max)()).bits() == 0x5F80 &&
         cast<bfloat16, rounding::floor>((std::numeric_limits<std::uint64_t>::max)()).bits() == 0x5F7F;
}
static_assert(integers_become_numbers());

constexpr std::uint32_t hf32(std::uint32_t code) { return bits_of(round_hf32(from_bits<float>(code))); }

constexpr bool hf32_examples() {
  return round_hf32(1 + 0x1p-11F) == 1 + 0x1p-11F && round_hf32(1 + 0x1p-12F) == 1 &&
         round_hf32(1 + 0x3p-12F) == 1 + 0x1p-10F && round_hf32<rounding::half_away>(1 + 0x1p-12F) == 1 + 0x1p-11F &&
         round_hf32(-1 - 0x1.8p-12F) == -1 - 0x1p-11F && hf32(0x7F7FF800) == 0x7F800000 &&
         hf32(0x7F7FF7FF) == 0x7F7FF000 && hf32(0x800) == 0 && hf32(0x801) == 0x1000 && hf32(0xFF800001) == 0xFFC00000;
}
static_assert(hf32_examples());

// Every number of HF32, the midpoint above it and the codes beside both, by distances.
template <rounding Rounding>
int wrong_hf32() {
  int wrong = 0;
  for (std::uint32_t low = 0; low < 0x7F800000; low += 0x1000)
    for (const std::uint32_t past : {0U, 1U, 0x7FFU, 0x800U, 0x801U, 0xFFFU})
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        const std::uint32_t left = 0x1000 - past;
        const bool odd = low / 0x1000 % 2 == 1;
        const bool up = past > left || (past == left && (odd || Rounding == rounding::half_away));
        const std::uint32_t got = bits_of(round_hf32<Rounding>(from_bits<float>(sign | low | past)));
        wrong += got != (sign | (up ? low + 0x1000 : low));
      }
  for (const std::uint32_t sign : {0U, 0x80000000U}) {
    wrong += bits_of(round_hf32<Rounding>(from_bits<float>(sign | 0x7F800000))) != (sign | 0x7F800000);
    for (int bit = 0; bit < 23; ++bit) {
      const std::uint32_t nan = bits_of(round_hf32<Rounding>(from_bits<float>(sign | 0x7F800000 | 1U << bit)));
      wrong += (nan & 0x7FFFFFFF) <= 0x7F800000 || (nan & 0x80000000) != sign || nan % 0x1000 != 0;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("every rounding of every pair of types, at all boundaries") {
  CHECK(wrong_numbers<rounding::nearest_even>() == 0);
  CHECK(wrong_numbers<rounding::floor>() == 0);
  CHECK(wrong_numbers<rounding::ceil>() == 0);
  CHECK(wrong_numbers<rounding::half_away>() == 0);
  CHECK(wrong_numbers<rounding::truncate>() == 0);
  CHECK(wrong_numbers<rounding::odd>() == 0);
}

TEST_CASE("every float16 to bfloat16, and to types that hold it") {
  CHECK(wrong_halves<rounding::nearest_even>() == 0);
  CHECK(wrong_halves<rounding::floor>() == 0);
  CHECK(wrong_halves<rounding::ceil>() == 0);
  CHECK(wrong_halves<rounding::half_away>() == 0);
  CHECK(wrong_halves<rounding::truncate>() == 0);
  CHECK(wrong_halves<rounding::odd>() == 0);
}

TEST_CASE("to whole numbers: every float16 and bfloat16, and halves, limits and drawn numbers of wider types") {
  CHECK(wrong_integers<rounding::nearest_even>() == 0);
  CHECK(wrong_integers<rounding::floor>() == 0);
  CHECK(wrong_integers<rounding::ceil>() == 0);
  CHECK(wrong_integers<rounding::half_away>() == 0);
  CHECK(wrong_integers<rounding::truncate>() == 0);
  CHECK(wrong_integers<rounding::odd>() == 0);
}

TEST_CASE("a rounding to odd on the way changes no rounding at the end") {
  CHECK(wrong_by_odd<rounding::nearest_even>() == 0);
  CHECK(wrong_by_odd<rounding::floor>() == 0);
  CHECK(wrong_by_odd<rounding::ceil>() == 0);
  CHECK(wrong_by_odd<rounding::half_away>() == 0);
  CHECK(wrong_by_odd<rounding::truncate>() == 0);
  CHECK(wrong_by_odd<rounding::odd>() == 0);
}

TEST_CASE("modes differ on ties, on signs, and beyond either end of a range") {
  CHECK(modes_differ());
  CHECK(overflows_as_named());
  CHECK(integers_saturate());
  CHECK(integers_become_numbers());
}

TEST_CASE("HF32 keeps 11 bits of mantissa, to the nearest") {
  CHECK(hf32_examples());
  CHECK(wrong_hf32<rounding::nearest_even>() == 0);
  CHECK(wrong_hf32<rounding::half_away>() == 0);
}

TEST_CASE("rounding to nearest even is the conversion that needs no name") {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto drawn = from_bits<float>(static_cast<std::uint32_t>(counter_bits(10, i)));
    wrong += bits_of(cast<float16, rounding::nearest_even>(drawn)) != bits_of(convert<float16>(drawn));
    wrong += bits_of(cast<float16, rounding::nearest_even, overflow::saturate>(drawn)) !=
             bits_of(saturate<float16>(drawn));
    wrong += bits_of(cast<bfloat16, rounding::nearest_even>(drawn)) != bits_of(convert<bfloat16>(drawn));
  }
  CHECK(wrong == 0);
}
