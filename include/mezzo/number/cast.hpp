// SPDX-License-Identifier: MIT
//
// Conversions with a named rounding, to numbers and to integers: what the vector casts of the Ascend AI Core offer.
// Their six modes and their rule for integers are restated from the vendor's public operator documentation (Ascend C,
// Cast): odd sets the lowest bit that stays if any bit is lost; integers saturate, and NaN gives 0.
#pragma once

#include <mezzo/number/convert.hpp>

#include <concepts>     // integral, same_as
#include <cstdint>      // int64_t, uint64_t
#include <limits>       // numeric_limits
#include <type_traits>  // make_signed_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class T>
concept whole_number = std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8;

}  // namespace detail

/// `from` as a `To`, rounded once as named. Beyond the largest finite number the result is what the rounding leaves
/// (IEEE 754-2019, 7.4): infinity, or the largest number where it goes towards zero or to odd, unless saturation is
/// asked for, which replaces infinity itself too. NaN stays NaN and keeps its sign; subnormals round like all others.
template <real To, rounding Rounding, overflow Overflow = overflow::to_infinity, real From>
[[nodiscard]] MEZZO_INLINE constexpr To cast(From from) {
  const To result = detail::recode<To, Overflow, Rounding>(from);
  return Overflow == overflow::saturate ? detail::bounded(result) : result;
}

/// A whole number as a `To`, rounded once as named.
template <real To, rounding Rounding, overflow Overflow = overflow::to_infinity, detail::whole_number From>
  requires(!std::same_as<To, double>)
[[nodiscard]] constexpr To cast(From from) {
  return from_bits<To>(encode<format_of<To>, Overflow, Rounding>(from));
}

/// The whole number that `from` rounds to as named, or the nearest that `To` has; NaN gives 0.
template <detail::whole_number To, rounding Rounding, real From>
[[nodiscard]] MEZZO_INLINE constexpr To cast(From from) {
  if constexpr (low_precision<From>) {
    return cast<To, Rounding>(convert<float>(from));
  } else {
    using source = format_of<From>;
    using codes = layout<source>;
    constexpr int unit = source::bias + source::mantissa_bits;  // the exponent at which a mantissa counts ones
    constexpr auto largest = static_cast<std::uint64_t>((std::numeric_limits<To>::max)());
    constexpr std::uint64_t lowest = std::numeric_limits<To>::is_signed ? largest + 1 : 0;

    const auto code = bits_of(from);
    const auto magnitude = static_cast<std::uint64_t>(code & codes::magnitude);
    const bool negative = (code & codes::sign) != 0;
    const int field = static_cast<int>(magnitude >> source::mantissa_bits);
    const std::uint64_t hidden = field != 0 ? std::uint64_t{codes::mantissa} + 1 : 0;
    const std::uint64_t mantissa = (magnitude & codes::mantissa) | hidden;
    const int exponent = (field != 0 ? field : 1) - unit;
    // 63 places further down, more than the mantissa is wide, nothing is left and what was cut is less than a half.
    const int away = exponent < -63 ? 63 : exponent < 0 ? -exponent : 1;
    const int up = exponent < 0 ? 0 : exponent > 63 - source::mantissa_bits ? 0 : exponent;
    const auto places = static_cast<std::uint64_t>(away);
    const std::uint64_t cut = detail::rounded_up<Rounding>(mantissa, places, negative) >> places;
    std::uint64_t whole = exponent < 0 ? cut : mantissa << up;
    const std::uint64_t limit = negative ? lowest : largest;
    whole = whole < limit && exponent <= 63 - source::mantissa_bits ? whole : limit;
    whole = codes::is_nan(code) ? 0 : whole;
    return static_cast<To>(negative ? 0 - whole : whole);
  }
}

/// `value` rounded to HF32, the format in which the cube multiplies float32 when asked for speed: float32 with its sign
/// and its 8 bits of exponent, and 11 of the 23 bits of mantissa. The vendor's public documentation (SetHF32) names two
/// roundings, both to nearest: ties to even, the default, and ties away from zero.
template <rounding Rounding = rounding::nearest_even>
  requires(Rounding == rounding::nearest_even || Rounding == rounding::half_away)
[[nodiscard]] MEZZO_INLINE constexpr float round_hf32(float value) {
  constexpr int dropped = binary32::mantissa_bits - 11;
  return from_bits<float>(detail::shortened<Rounding, dropped, binary32>(bits_of(value)) << dropped);
}

}  // namespace mezzo::inline MEZZO_ABI
