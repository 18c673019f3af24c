// SPDX-License-Identifier: MIT
//
// Codes to codes, on integers alone: rounding to nearest, ties to even (IEEE 754-2019, 4.3.1), or another rounding by
// name, from the source in one step. No floating-point comparison or product takes part, so neither -ffast-math nor a
// processor that flushes subnormals can change a bit; no branch either, so a loop over a conversion becomes vectors.
#pragma once

#include <mezzo/number/format.hpp>

#include <bit>          // bit_cast
#include <concepts>     // integral, same_as
#include <cstdint>      // uint32_t, uint64_t
#include <limits>       // digits of long double
#include <type_traits>  // is_constant_evaluated, make_signed_t

namespace mezzo::inline MEZZO_ABI {

/// What becomes of a value beyond the largest finite number.
enum class overflow {
  to_infinity,  ///< infinity, or NaN in a format without (IEEE 754-2019, 7.4)
  saturate      ///< the largest finite number, of infinity too
};

/// Which of its two neighbours a value between numbers becomes (IEEE 754-2019, 4.3; `odd` as in detail::to_odd).
enum class rounding {
  nearest_even,  ///< the nearer; of two equally near the one with the even code
  floor,         ///< the lower
  ceil,          ///< the higher
  half_away,     ///< the nearer; of two equally near the one further from zero
  truncate,      ///< the one nearer to zero
  odd            ///< the one with the odd code, so that a second rounding is as good as one
};

namespace detail {

/// Whether values beyond the largest finite number stay finite: what is cut off goes towards zero (IEEE 754-2019, 7.4),
/// and an odd number is never infinite.
template <rounding Rounding>
MEZZO_INLINE constexpr bool towards_zero(bool negative) {
  return Rounding == rounding::truncate || Rounding == rounding::odd || (Rounding == rounding::floor && !negative) ||
         (Rounding == rounding::ceil && negative);
}

/// What is right above its lowest `shift` bits, which the caller cuts off, once they are. Signs, which go with the
/// magnitude, may stand above it. Requires: shift > 0.
template <rounding Rounding, class Word>
MEZZO_INLINE constexpr Word rounded_up(Word magnitude, Word shift, bool negative) {
  if constexpr (Rounding == rounding::nearest_even) {
    const Word odd = (magnitude >> shift) & 1;
    return magnitude + ((Word{1} << (shift - 1)) - 1) + odd;
  } else if constexpr (Rounding == rounding::half_away) {
    return magnitude + (Word{1} << (shift - 1));
  } else {
    const Word rest = (Word{2} << (shift - 1)) - 1;
    if constexpr (Rounding == rounding::odd)
      return magnitude | static_cast<Word>((magnitude & rest) != 0) << shift;
    else
      return magnitude + (towards_zero<Rounding>(negative) ? 0 : rest);
  }
}

/// A code rounded at its lowest `Drop` bits, sign and all, which are yet to be cut off. NaN stays NaN.
template <rounding Rounding, int Drop, format From>
MEZZO_INLINE constexpr typename From::storage rounded_in_place(typename From::storage code) {
  using word = typename From::storage;
  using number = std::make_signed_t<word>;
  using from = layout<From>;
  const word magnitude = code & from::magnitude;
  const word rounded = rounded_up<Rounding>(code, word{Drop}, (code & from::sign) != 0);
  const word nan = code | from::quiet;
  // Compared with signs, as AVX2 has no other comparison, and chosen before the shift, in whole words.
  const bool is_nan = static_cast<number>(magnitude) > static_cast<number>(from::exponent);
  return is_nan ? nan : rounded;
}
/// The same without those bits.
template <rounding Rounding, int Drop, format From>
MEZZO_INLINE constexpr typename From::storage shortened(typename From::storage code) {
  return rounded_in_place<Rounding, Drop, From>(code) >> Drop;
}

/// The code in `To` that the `From` code rounds to. Requires: `To` has fewer mantissa bits and no smaller range below.
template <format To, overflow Overflow, format From, rounding Rounding = rounding::nearest_even>
MEZZO_INLINE constexpr typename To::storage narrow(typename From::storage code) {
  using word = typename From::storage;
  using number = std::make_signed_t<word>;
  using from = layout<From>;
  using to = layout<To>;
  constexpr int drop = From::mantissa_bits - To::mantissa_bits;
  constexpr int rebias = From::bias - To::bias;
  static_assert(sizeof(word) >= 4 && drop > 0 && rebias >= 0);

  const word magnitude = code & from::magnitude;
  if constexpr (rebias == 0 && to::has_infinity && Overflow == overflow::to_infinity) {
    // The same exponents: the upper part of the code.
    return static_cast<typename To::storage>(shortened<Rounding, drop, From>(code));
  }
  word significand = magnitude - (word{rebias} << From::mantissa_bits);
  word shift = drop;
  if constexpr (rebias > 0) {
    // Below the smallest normal number of `To` the distance of its numbers stays, so more bits go; two places further
    // than the mantissa is wide, all are gone and less than half a unit is left.
    constexpr number all = From::mantissa_bits + 2;
    const number exponent = static_cast<number>(magnitude >> From::mantissa_bits);
    number bits = rebias + 1 + drop - exponent;
    bits = bits < all ? bits : all;
    bits = bits > drop ? bits : drop;
    shift = static_cast<word>(bits);
    significand = exponent > rebias ? significand : (magnitude & from::mantissa) | (from::mantissa + 1);
    // Zero has no bit to lose; to the nearest, its hidden one is as good as none.
    constexpr bool nearest = Rounding == rounding::nearest_even || Rounding == rounding::half_away;
    if constexpr (!nearest) significand = magnitude != 0 ? significand : 0;
  }
  const bool negative = (code & from::sign) != 0;
  // A carry out of the mantissa counts the exponent up, as it should.
  word rounded = rounded_up<Rounding>(significand, shift, negative) >> shift;
  if constexpr (rebias > 0 || Overflow == overflow::saturate || !to::has_infinity) {
    constexpr bool saturates = Overflow == overflow::saturate;
    const bool stays_finite = saturates || (towards_zero<Rounding>(negative) && magnitude < from::exponent);
    const word limit = stays_finite ? to::largest : to::overflow;
    rounded = rounded < limit ? rounded : limit;
  }
  word nan = to::quiet_nan;
  if constexpr (to::has_infinity) nan |= (magnitude >> drop) & to::mantissa;
  rounded = magnitude > from::exponent ? nan : rounded;
  constexpr int sign_shift = 8 * static_cast<int>(sizeof(word) - sizeof(typename To::storage));
  return static_cast<typename To::storage>(rounded | ((code & from::sign) >> sign_shift));
}

/// The code in `To` of the same value. A signalling NaN becomes quiet, except where widening is only a shift.
template <format To, format From>
MEZZO_INLINE constexpr typename To::storage widen(typename From::storage code) {
  using word = typename To::storage;
  using number = std::make_signed_t<word>;
  using from = layout<From>;
  using to = layout<To>;
  constexpr int grow = To::mantissa_bits - From::mantissa_bits;
  constexpr int rebias = To::bias - From::bias;
  static_assert(grow > 0 && rebias >= 0);
  constexpr int sign_shift = 8 * static_cast<int>(sizeof(word) - sizeof(typename From::storage));

  const word whole = code;
  if constexpr (rebias == 0 && from::has_infinity) {
    return whole << grow;
  } else {
    const word magnitude = whole & from::magnitude;
    word result = (magnitude << grow) + (word{rebias} << To::mantissa_bits);
    if constexpr (from::has_infinity) {
      constexpr word top = to::exponent - (word{from::exponent} << grow);
      const word quiet = magnitude > from::exponent ? to::quiet : 0;
      result = magnitude >= from::exponent ? ((magnitude << grow) + top) | quiet : result;
    } else {
      result = magnitude == from::magnitude ? to::quiet_nan : result;
    }
    // Subnormals are whole numbers of the smallest steps: exact through an integer, which no processor flushes. By a
    // mask, as g++ makes no vectors of a select around a conversion that might trap.
    const auto steps = static_cast<typename To::native>(static_cast<std::int32_t>(magnitude & from::mantissa));
    constexpr number step = number{From::bias + From::mantissa_bits - 1} << To::mantissa_bits;
    const number scaled = std::bit_cast<number>(steps) - step;
    const word subnormal = static_cast<word>(scaled < 0 ? 0 : scaled);
    const number above = static_cast<number>(magnitude) - (from::mantissa + 1);
    result ^= (result ^ subnormal) & static_cast<word>(above >> (8 * sizeof(word) - 1));
    return result | ((whole & from::sign) << sign_shift);
  }
}

/// A double between the same two neighbours of any format up to 50 bits precise, and never on a tie that `value` is not
/// on: cut off, and made odd if anything was (rounding to odd: Boldo, Melquiond 2008, doi:10.1109/TC.2007.70819).
constexpr double to_odd(long double value) {
  constexpr std::uint64_t infinity = layout<binary64>::exponent;
  if constexpr (std::numeric_limits<long double>::digits == 64) {
    if (!std::is_constant_evaluated()) {
      struct extended {
        std::uint64_t significand;
        std::uint16_t sign_exponent;
        unsigned char padding[sizeof(long double) - 10];
      };
      const auto [significand, sign_exponent, padding] = std::bit_cast<extended>(value);
      const std::uint64_t sign = std::uint64_t{sign_exponent} >> 15 << 63;
      const int exponent = (sign_exponent & 0x7fff) - 16383 + 1023;
      const std::uint64_t cut = significand << 1 >> 12;
      if ((sign_exponent & 0x7fff) == 0x7fff) {
        const std::uint64_t nan = significand << 1 != 0 ? layout<binary64>::quiet | cut : 0;
        return std::bit_cast<double>(sign | infinity | nan);
      }
      if (exponent >= 2047) return std::bit_cast<double>(sign | infinity);
      if (exponent <= 0) return std::bit_cast<double>(sign | (significand != 0 ? 1U : 0U));
      const std::uint64_t sticky = (significand & 0x7ff) != 0 ? 1 : 0;
      return std::bit_cast<double>(sign | static_cast<std::uint64_t>(exponent) << 52 | cut | sticky);
    }
  }
  const double nearest = static_cast<double>(value);
  const std::uint64_t code = std::bit_cast<std::uint64_t>(nearest);
  if (!layout<binary64>::is_finite(code)) return nearest;
  const long double rest = value - static_cast<long double>(nearest);
  if (rest == 0 || (code & 1) != 0) return nearest;
  const bool away = (rest > 0) == (value > 0);
  return std::bit_cast<double>(away ? code + 1 : code - 1);
}

/// The same for a whole number, whose low 11 bits lie beyond a double's 53.
constexpr double to_odd(std::uint64_t value) {
  if (value >> 53 == 0) return static_cast<double>(value);
  return static_cast<double>((value & ~std::uint64_t{0x7ff}) | ((value & 0x7ff) != 0 ? 0x800U : 0U));
}

}  // namespace detail

/// The code that `value` rounds to. NaN stays NaN: quiet, with its sign and the upper bits of its payload.
template <format Format, overflow Overflow = overflow::to_infinity, rounding Rounding = rounding::nearest_even>
[[nodiscard]] MEZZO_INLINE constexpr typename Format::storage encode(float value) {
  return detail::narrow<Format, Overflow, binary32, Rounding>(std::bit_cast<std::uint32_t>(value));
}
template <format Format, overflow Overflow = overflow::to_infinity, rounding Rounding = rounding::nearest_even>
[[nodiscard]] MEZZO_INLINE constexpr typename Format::storage encode(double value) {
  return detail::narrow<Format, Overflow, binary64, Rounding>(std::bit_cast<std::uint64_t>(value));
}
template <format Format, overflow Overflow = overflow::to_infinity>
[[nodiscard]] constexpr typename Format::storage encode(long double value) {
  return encode<Format, Overflow>(detail::to_odd(value));
}
/// Whole numbers of up to 64 bits round once too.
template <format Format, overflow Overflow = overflow::to_infinity, rounding Rounding = rounding::nearest_even,
          std::integral Integer>
  requires(!std::same_as<Integer, bool> && sizeof(Integer) <= 8)
[[nodiscard]] constexpr typename Format::storage encode(Integer value) {
  const bool negative = value < Integer{0};
  const std::uint64_t magnitude = static_cast<std::uint64_t>(value);
  const double odd = detail::to_odd(negative ? 0 - magnitude : magnitude);
  return encode<Format, Overflow, Rounding>(negative ? -odd : odd);
}

/// The value of a code, exactly.
template <format Format>
[[nodiscard]] MEZZO_INLINE constexpr float decode(typename Format::storage code) {
  return std::bit_cast<float>(detail::widen<binary32, Format>(code));
}

}  // namespace mezzo::inline MEZZO_ABI
