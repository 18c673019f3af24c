// SPDX-License-Identifier: MIT
//
// The correctly rounded square root: the processor's instruction while the program runs, digit by digit in constant
// evaluation and where no instruction is known. IEEE 754 leaves no choice of bits but those of a NaN, which are here
// what x86 gives: those of the operand, quiet, or for a negative operand the one with a sign and no payload.
#pragma once

#include <mezzo/number/float_bits.hpp>

#include <type_traits>  // is_constant_evaluated

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
// g++ takes the builtins for functions that write errno, whatever the options of the loop around them say, and makes no
// vectors of them. Declared again as constant functions they become instructions, in std::sqrt of this file too.
extern "C" {
[[gnu::const]] float __builtin_sqrtf(float) noexcept;
[[gnu::const]] double __builtin_sqrt(double) noexcept;
}
#endif

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

/// The square root of a finite x > 0, one binary digit a turn, with one digit more than the type holds to round by. A
/// tie cannot occur: a root that ends in that digit has a square too long for the type.
template <real T>
constexpr T sqrt_by_digits(T x) {
  using word = word_of<T>;
  constexpr int fraction = float_bits<T>::fraction;
  word digits = to_bits(x) & fraction_bits<T>;
  int exponent = static_cast<int>(to_bits(x) >> fraction) - float_bits<T>::bias;
  if (exponent == -float_bits<T>::bias)
    for (++exponent; digits >> fraction == 0; --exponent) digits <<= 1;
  digits |= word{1} << fraction;
  if (exponent % 2 != 0) {
    digits <<= 1;
    --exponent;
  }
  // digits / 2^fraction lies in [1, 4): two of its digits enter the remainder for each digit of the root.
  word root = 0;
  word remainder = 0;
  for (int i = 0; i < fraction + 2; ++i) {
    remainder = remainder << 2 | (digits >> fraction & 3);
    digits = (digits & fraction_bits<T>) << 2;
    const word trial = root << 2 | 1;
    const bool fits = remainder >= trial;
    remainder -= fits ? trial : 0;
    root = root << 1 | (fits ? 1 : 0);
  }
  const word rounded = (root + 1) >> 1;
  const auto biased = static_cast<word>(exponent / 2 + float_bits<T>::bias - 1);
  return from_bits<T>((biased << fraction) + rounded);
}

/// The square root without an instruction.
template <real T>
constexpr T sqrt_anywhere(T x) {
  const word_of<T> bits = to_bits(x);
  if (magnitude_bits(x) > infinity_bits<T>) return from_bits<T>(bits | nan_bits<T>);
  if (bits == 0 || bits == sign_bit<T> || bits == infinity_bits<T>) return x;
  if (bits > sign_bit<T>) return from_bits<T>(sign_bit<T> | nan_bits<T>);
  return sqrt_by_digits(x);
}

}  // namespace detail

/// The square root, correctly rounded: sqrt(-0) is -0, of a negative number a NaN.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T sqrt(T x) {
  if (std::is_constant_evaluated()) return detail::sqrt_anywhere(x);
#if defined(__clang__) && defined(__SSE2__)
  // The builtin of the C library's name keeps errno, which stops clang from making vectors; the instruction does not.
  using lanes [[gnu::vector_size(16)]] = T;
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_ia32_sqrtss(lanes{x})[0];
  else
    return __builtin_ia32_sqrtsd(lanes{x})[0];
#elif defined(__GNUC__)
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
#else
  return detail::sqrt_anywhere(x);
#endif
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
