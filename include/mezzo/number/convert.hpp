// SPDX-License-Identifier: MIT
//
// The one place where a value changes its type. Widening is exact; narrowing rounds to nearest, ties to even, unless
// another rounding is named (cast.hpp), and says by its name what happens beyond the largest finite number.
#pragma once

#include <mezzo/number/traits.hpp>

#include <concepts>  // same_as

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// The largest finite number in place of infinity.
template <real T>
MEZZO_INLINE constexpr T bounded(T value) {
  using codes = layout<format_of<T>>;
  using word = typename codes::word;
  const word code = bits_of(value);
  const bool infinite = codes::has_infinity && static_cast<word>(code & codes::magnitude) == codes::exponent;
  return from_bits<T>(static_cast<word>(code - (infinite ? 1 : 0)));
}

template <real To, overflow Overflow, rounding Rounding = rounding::nearest_even, real From>
MEZZO_INLINE constexpr To recode(From from) {
  using source = format_of<From>;
  using target = format_of<To>;
  if constexpr (std::same_as<To, From>)
    return from;
  else if constexpr (low_precision<From> && low_precision<To>)
    return recode<To, Overflow, Rounding>(decode<source>(from.bits()));
  else if constexpr (source::mantissa_bits > target::mantissa_bits)
    return from_bits<To>(narrow<target, Overflow, source, Rounding>(bits_of(from)));
  else
    return from_bits<To>(widen<target, source>(bits_of(from)));
}

}  // namespace detail

/// `from` as a `To`; the same bits where the types agree. Overflow gives infinity.
template <real To, real From>
[[nodiscard]] MEZZO_INLINE constexpr To convert(From from) {
  return detail::recode<To, overflow::to_infinity>(from);
}

/// The same, but overflow gives the largest finite number of `To`, and so does infinity; NaN stays NaN.
template <real To, real From>
[[nodiscard]] MEZZO_INLINE constexpr To saturate(From from) {
  return detail::bounded(detail::recode<To, overflow::saturate>(from));
}

}  // namespace mezzo::inline MEZZO_ABI
