// SPDX-License-Identifier: MIT
//
// The natural logarithm and log1p. x = 2^k m with m in [sqrt(1/2), sqrt(2)), taken apart on the bits; log m through
// s = f / (2 + f), f = m - 1, where log m = 2 artanh s is odd in s (Muller, Elementary Functions, 3rd ed., 2016). The
// series is taken relative to f - f^2 / 2, whose parts are exact or small, so s needs no more than its type.
#pragma once

#include <mezzo/number/exp.hpp>

#include <cstdint>  // int32_t

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

/// 2 (artanh(s) / s - 1) / z as a function of z = s^2 up to 0.0295; the logarithm within 2^-30 (float), 2^-59 (double).
MEZZO_INLINE constexpr float log_polynomial(float z) {
  return polynomial(z, 0x1.31e136p-2f, 0x1.995ed2p-2f, 0x1.55557ap-1f);
}
MEZZO_INLINE constexpr double log_polynomial(double z) {
  return polynomial(z, 0x1.2f116f0e34ccep-3, 0x1.39a0970b9ffdbp-3, 0x1.746649a2081a8p-3, 0x1.c71c51d80931bp-3,
                    0x1.249249422a0a1p-2, 0x1.999999997f9fbp-2, 0x1.5555555555593p-1);
}

/// A positive normal number as 2^k (1 + f).
template <real T>
struct log_parts {
  T f;
  std::int32_t k;
};

template <real T>
MEZZO_INLINE constexpr log_parts<T> log_in_parts(word_of<T> bits) {
  constexpr word_of<T> root_half = sizeof(T) == sizeof(float) ? word_of<T>{0x3f3504f3U}
                                                              : static_cast<word_of<T>>(0x3fe6a09e667f3bcdULL);
  const word_of<T> shifted = bits + (one_bits<T> - root_half);
  const auto k = static_cast<std::int32_t>(shifted >> float_bits<T>::fraction) - float_bits<T>::bias;
  return {from_bits<T>((shifted & fraction_bits<T>) + root_half) - T(1), k};
}

/// k ln2 + log(1 + f) + low.
template <real T>
MEZZO_INLINE constexpr T log_of_parts(T f, std::int32_t k, T low) {
  MEZZO_ROUND_EACH
  const T whole = static_cast<T>(k);
  const T s = f / (T(2) + f);
  const T z = s * s;
  const T half_square = T(0.5) * f * f;
  const T rest = fma(s, fma(z, log_polynomial(z), half_square), fma(whole, exp_constants<T>::ln2_low, low));
  return fma(whole, exp_constants<T>::ln2_high, f - (half_square - rest));
}

}  // namespace detail

/// The natural logarithm: log(0) is -infinity, of a negative number NaN. Within 1 ulp (float, double), subnormal
/// arguments included.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T log(T x) {
  using namespace detail;
  constexpr std::uint32_t bias = float_bits<T>::bias;
  constexpr word_of<T> smallest = word_of<T>{1} << float_bits<T>::fraction;
  const word_of<T> bits = to_bits(x);
  const word_of<T> size = magnitude_bits(x);
  // A subnormal number is its fraction bits times a power of two; behind a 1 they are exact, and no instruction sees a
  // subnormal operand, which the processor may have been told to take for 0.
  const T fraction = from_bits<T>((bits & fraction_bits<T>) | one_bits<T>) - T(1);
  const bool subnormal = size < smallest;
  const auto part = log_in_parts<T>(chosen(subnormal, to_bits(fraction), size));
  const T y = log_of_parts(part.f, part.k - static_cast<std::int32_t>(chosen(subnormal, bias - 1, 0U)), T(0));
  word_of<T> result = to_bits(y);
  result = chosen(bits == infinity_bits<T>, bits, result);
  result = chosen((bits & sign_bit<T>) != 0, word_of<T>{nan_bits<T>}, result);
  result = chosen(size == 0, infinity_bits<T> | sign_bit<T>, result);
  return unless_nan(x, result);
}

/// log(1 + x) without the cancellation near 0; log1p(-1) is -infinity, below NaN. Within 1 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T log1p(T x) {
  MEZZO_ROUND_EACH
  using namespace detail;
  constexpr word_of<T> minus_one = one_bits<T> | sign_bit<T>;
  const word_of<T> bits = to_bits(x);
  const bool inside = static_cast<bool>((bits < infinity_bits<T>) | (bits - sign_bit<T> < one_bits<T>));
  const T known = chosen(inside, x, T(0));
  // sum + lost is 1 + x exactly (Moller 1965, Knuth's TwoSum); log(sum + lost) = log(sum) + lost / sum.
  const T sum = T(1) + known;
  const T back = sum - T(1);
  const T lost = (T(1) - (sum - back)) + (known - back);
  const auto part = log_in_parts<T>(to_bits(sum));
  const bool direct = part.k == 0;
  const T y = log_of_parts(chosen(direct, known, part.f), part.k, chosen(direct, T(0), lost / sum));
  word_of<T> result = chosen(magnitude_bits(x) == 0, bits, to_bits(y));
  result = chosen(bits == infinity_bits<T>, bits, result);
  result = chosen(bits == minus_one, infinity_bits<T> | sign_bit<T>, result);
  result = chosen(bits > minus_one, word_of<T>{nan_bits<T>}, result);
  return unless_nan(x, result);
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
