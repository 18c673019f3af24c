// SPDX-License-Identifier: MIT
//
// What generic code asks of a number type: which format it has, in which type it computes, what two of them meet in,
// and whether its bits are those of a finite number.
#pragma once

#include <mezzo/number/minifloat.hpp>

#include <bit>          // bit_cast
#include <concepts>     // same_as
#include <type_traits>  // conditional_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class T>
struct described {};
template <>
struct described<float> {
  using type = binary32;
};
template <>
struct described<double> {
  using type = binary64;
};
template <class Format>
struct described<minifloat<Format>> {
  using type = Format;
};

}  // namespace detail

/// The descriptor of a number type.
template <class T>
using format_of = typename detail::described<T>::type;

/// The types that a tensor can hold: float, double and every minifloat.
template <class T>
concept real = requires {
  typename format_of<T>;
};

/// A type that stores and does not compute.
template <class T>
concept low_precision = real<T> && !std::same_as<T, float> && !std::same_as<T, double>;

/// The type in which the values of `T` compute: float32 for every minifloat.
template <real T>
using compute_t = std::conditional_t<low_precision<T>, float, T>;

/// The type that holds every value of both: the type itself, else float32, or float64 where one of them is.
template <real A, real B>
using promote_t =
    std::conditional_t<std::same_as<A, B>, A,
                       std::conditional_t<std::same_as<A, double> || std::same_as<B, double>, double, float>>;

/// "float16", "bfloat16", "float32", "float64".
template <real T>
inline constexpr const char* type_name = format_of<T>::name;

/// The code of a number.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr auto bits_of(T value) {
  if constexpr (low_precision<T>)
    return value.bits();
  else
    return std::bit_cast<typename format_of<T>::storage>(value);
}

/// The number of a code.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T from_bits(typename format_of<T>::storage code) {
  if constexpr (low_precision<T>)
    return T::from_bits(code);
  else
    return std::bit_cast<T>(code);
}

/// Whether the number is infinite or NaN: asked of its bits, which no compiler flag reasons away.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr bool non_finite(T value) {
  using codes = layout<format_of<T>>;
  return static_cast<typename codes::word>(bits_of(value) & codes::magnitude) >= codes::overflow;
}

}  // namespace mezzo::inline MEZZO_ABI
