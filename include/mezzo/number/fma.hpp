// SPDX-License-Identifier: MIT
//
// a·b + c, rounded once (IEEE 754-2019, 5.4.1): the processor's instruction in loops compiled for one, the C library's
// function elsewhere, whole numbers in constant evaluation and for compilers that know neither. The definition leaves
// no choice of bits but those of a NaN, so polynomials made of it are the same everywhere.
#pragma once

#include <mezzo/number/float_bits.hpp>

#include <bit>          // countl_zero
#include <cstdint>      // uint32_t, uint64_t
#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

/// Whole numbers of 128 bits.
struct wide_word {
  std::uint64_t high, low;

  static constexpr wide_word product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a1 = a >> 32, a0 = a & 0xffffffffU, b1 = b >> 32, b0 = b & 0xffffffffU;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const std::uint64_t other = a0 * b1 + (middle & 0xffffffffU);
    return {a1 * b1 + (middle >> 32) + (other >> 32), a * b};
  }
  constexpr bool is_zero() const { return (high | low) == 0; }
  constexpr int leading_zeros() const { return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low); }
  constexpr wide_word shifted_left(int n) const {
    if (n == 0) return *this;
    return n >= 64 ? wide_word{low << (n - 64), 0} : wide_word{high << n | low >> (64 - n), low << n};
  }
  /// The last bit stays 1 if any bit that leaves is.
  constexpr wide_word shifted_right(int n) const {
    if (n == 0) return *this;
    if (n >= 128) return {0, is_zero() ? 0U : 1U};
    const wide_word rest = shifted_left(128 - n);
    const std::uint64_t sticky = rest.is_zero() ? 0 : 1;
    return n >= 64 ? wide_word{0, (n == 64 ? high : high >> (n - 64)) | sticky}
                   : wide_word{high >> n, low >> n | high << (64 - n) | sticky};
  }
  friend constexpr wide_word operator+(wide_word a, wide_word b) {
    const std::uint64_t sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low ? 1 : 0), sum};
  }
  friend constexpr wide_word operator-(wide_word a, wide_word b) {
    return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
  }
  friend constexpr bool operator<(wide_word a, wide_word b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

/// A finite number as significand·2^exponent.
struct whole_parts {
  std::uint64_t significand;
  int exponent;
};
template <real T>
constexpr whole_parts in_whole_parts(T x) {
  constexpr int fraction = float_bits<T>::fraction;
  const word_of<T> size = magnitude_bits(x);
  const int field = static_cast<int>(size >> fraction);
  const std::uint64_t low = size & fraction_bits<T>;
  const int lowest = 1 - float_bits<T>::bias - fraction;
  return field == 0 ? whole_parts{low, lowest} : whole_parts{low | std::uint64_t{1} << fraction, lowest + field - 1};
}

/// sum·2^exponent, rounded to nearest even; the last bit of `sum` may stand for others beyond it.
template <real T>
constexpr word_of<T> rounded_sum(wide_word sum, int exponent) {
  constexpr int fraction = float_bits<T>::fraction;
  const int zeros = sum.leading_zeros();
  const wide_word top = sum.shifted_left(zeros);
  const int field = exponent + 127 - zeros + float_bits<T>::bias;  // of a result whose first bit is that of `top`
  const int drop = 127 - fraction + (field < 1 ? 1 - field : 0);
  const wide_word kept = top.shifted_right(drop - 2);  // two bits more than the result holds
  const std::uint64_t rounded = (kept.low >> 2) + (((kept.low & 3) + (kept.low >> 2 & 1)) > 2 ? 1U : 0U);
  // A carry out of the fraction counts the exponent up, as it should.
  const std::uint64_t base = field < 1 ? 0 : static_cast<std::uint64_t>(field - 1) << fraction;
  const std::uint64_t result = field > 2 * float_bits<T>::bias ? std::uint64_t{infinity_bits<T>} : base + rounded;
  return static_cast<word_of<T>>(result);
}

/// a·b + c by whole numbers: both terms with their first bits in the third place of 128, the smaller moved right.
template <real T>
constexpr T fma_anywhere(T a, T b, T c) {
  const bool factors_finite = magnitude_bits(a) < infinity_bits<T> && magnitude_bits(b) < infinity_bits<T>;
  if (factors_finite && magnitude_bits(c) >= infinity_bits<T>) return c;
  // Nothing to round twice.
  if (!factors_finite || magnitude_bits(a) == 0 || magnitude_bits(b) == 0) return a * b + c;
  const whole_parts pa = in_whole_parts(a), pb = in_whole_parts(b), pc = in_whole_parts(c);
  const word_of<T> sign = (to_bits(a) ^ to_bits(b)) & sign_bit<T>;
  const auto put = [](wide_word& x, int& exponent) {
    const int by = x.leading_zeros() - 2;
    x = x.shifted_left(by);
    exponent -= by;
  };
  wide_word product = wide_word::product(pa.significand, pb.significand);
  int exponent = pa.exponent + pb.exponent;
  put(product, exponent);
  if (pc.significand == 0) return from_bits<T>(rounded_sum<T>(product, exponent) | sign);
  wide_word term{0, pc.significand};
  int term_exponent = pc.exponent;
  put(term, term_exponent);
  const int distance = exponent - term_exponent;
  if (distance > 0) {
    term = term.shifted_right(distance);
  } else {
    product = product.shifted_right(-distance);
    exponent = term_exponent;
  }
  const bool same_sign = ((to_bits(c) & sign_bit<T>) ^ sign) == 0;
  if (same_sign) return from_bits<T>(rounded_sum<T>(product + term, exponent) | sign);
  const bool less = product < term;
  const wide_word difference = less ? term - product : product - term;
  if (difference.is_zero()) return T(0);
  return from_bits<T>(rounded_sum<T>(difference, exponent) | (less ? sign ^ sign_bit<T> : sign));
}

}  // namespace detail

/// a·b + c, rounded once.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T fma(T a, T b, T c) {
  if (std::is_constant_evaluated()) return detail::fma_anywhere(a, b, c);
#if defined(__GNUC__) || defined(__clang__)
  if constexpr (sizeof(T) == sizeof(float))
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  return detail::fma_anywhere(a, b, c);
#endif
}

namespace detail {

/// Horner's rule, the coefficient of the highest power first, each step rounded once.
template <real T, class... Coefficients>
MEZZO_INLINE constexpr T polynomial(T x, T highest, Coefficients... next) {
  T sum = highest;
  ((sum = fma(sum, x, next)), ...);
  return sum;
}

/// The same in x², each step with two coefficients: one product more, but half the steps that wait for one another,
/// which is what the time of a long polynomial consists of. The last step rounds twice.
template <real T, class... Coefficients>
MEZZO_INLINE constexpr T polynomial_in_squares(T x, T square, T sum, T odd, T even, Coefficients... next) {
  const T higher = fma(sum, square, fma(odd, x, even));
  if constexpr (sizeof...(next) == 0)
    return higher;
  else
    return polynomial_in_squares(x, square, higher, next...);
}
template <real T, class... Coefficients>
MEZZO_INLINE constexpr T polynomial_by_twos(T x, T highest, T second, Coefficients... next) {
  MEZZO_ROUND_EACH
  if constexpr (sizeof...(next) % 2 == 0)
    return polynomial_in_squares(x, x * x, fma(highest, x, second), next...);
  else
    return polynomial_in_squares(x, x * x, highest, second, next...);
}

}  // namespace detail

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
