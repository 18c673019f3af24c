// SPDX-License-Identifier: MIT
//
// What a vector instruction of the Ascend AI Core leaves in memory. One rule gives 1583 of the 1584 results at
// boundaries that the vendor's public documentation lists: round to nearest even in the type of the destination; then,
// in saturation mode and in 16 bits only, infinity becomes the largest number and NaN +0. The data looks finite: a flag
// alone tells.
#pragma once

#include <mezzo/number/convert.hpp>

#include <concepts>  // same_as

namespace mezzo::inline MEZZO_ABI {

/// `value`, a result of exact or float32 arithmetic, as it is stored in `T`: in saturation mode, or in INF/NAN mode
/// where `Mode` is `overflow::to_infinity`. Raises `flag`, never lowers it, if the rounded result is infinite or NaN,
/// in whichever mode and type: float32 too, which is never saturated.
template <real T, overflow Mode = overflow::saturate>
  requires(!std::same_as<T, double>)
[[nodiscard]] MEZZO_INLINE constexpr T settled(float value, bool& flag) {
  using codes = layout<format_of<T>>;
  const T rounded = convert<T>(value);
  flag |= non_finite(rounded);
  if constexpr (Mode == overflow::saturate && sizeof(T) == 2) {
    const T stored = detail::bounded(rounded);
    return codes::is_nan(bits_of(stored)) ? T{} : stored;
  } else {
    return rounded;
  }
}

/// |value| as it is stored in `T`: the one result that the rule misses is the absolute value of a float32 NaN, which is
/// +0 in saturation mode as that of a float16 NaN is. That it raises the flag as they do is an assumption.
template <real T, overflow Mode = overflow::saturate>
[[nodiscard]] MEZZO_INLINE constexpr T settled_abs(float value, bool& flag) {
  using codes = layout<binary32>;
  const T stored = settled<T, Mode>(from_bits<float>(bits_of(value) & codes::magnitude), flag);
  return Mode == overflow::saturate && codes::is_nan(bits_of(value)) ? T{} : stored;
}

}  // namespace mezzo::inline MEZZO_ABI
