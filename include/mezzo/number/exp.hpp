// SPDX-License-Identifier: MIT
//
// The exponential and expm1. x = k ln2 + r with a whole k (Cody & Waite 1980: ln2 in two parts, the first short enough
// that k times it is exact), e^r - 1 by a polynomial on |r| <= ln2 / 2, and k added to the exponent. The coefficients
// are minimax fits (Remez 1934) of (e^r - 1 - r) / r^2, each rounded to its type before the next is fitted.
#pragma once

#include <mezzo/number/fma.hpp>

#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

template <class T>
struct exp_constants;

template <>
struct exp_constants<float> {
  static constexpr float log2e = 0x1.715476p+0f;
  static constexpr float ln2_high = 0x1.62e4p-1f;
  static constexpr float ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float lowest = -104.0f;            // e^x rounds to 0 from here down
  static constexpr float highest = 89.0f;             // infinity from here up
  static constexpr float expm1_lowest = -18.0f;       // e^x - 1 rounds to -1 from here down
  static constexpr int half_range = 64;               // of the exponents below 0
};

template <>
struct exp_constants<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1;
  static constexpr double ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double lowest = -746.0;
  static constexpr double highest = 710.0;
  static constexpr double expm1_lowest = -38.0;
  static constexpr int half_range = 512;
};

/// (e^r - 1 - r) / r^2 within 2^-28 (float), 2^-56.6 (double) of e^r - 1.
MEZZO_INLINE constexpr float expm1_polynomial(float r) {
  return polynomial(r, 0x1.3b7184p-13f, 0x1.6d34ecp-10f, 0x1.115756p-7f, 0x1.5554fep-5f, 0x1.55552ap-3f, 0.5f);
}
MEZZO_INLINE constexpr double expm1_polynomial(double r) {
  return polynomial(r, 0x1.1fd664db1b0e6p-29, 0x1.af6af451b7a17p-26, 0x1.27e4962d4c074p-22, 0x1.71ddf1cf6a543p-19,
                    0x1.a01a01c3efc6fp-16, 0x1.a01a01b2689b6p-13, 0x1.6c16c16c117e2p-10, 0x1.111111110f0a9p-7,
                    0x1.555555555555dp-5, 0x1.555555555555ap-3, 0.5);
}
/// The same within 2^-27.8 (float) of e^r, which takes one power less.
MEZZO_INLINE constexpr float exp_polynomial(float r) {
  return polynomial(r, 0x1.6a9662p-10f, 0x1.12398cp-7f, 0x1.55587ap-5f, 0x1.555492p-3f, 0x1.fffffcp-2f);
}
MEZZO_INLINE constexpr double exp_polynomial(double r) {
  return expm1_polynomial(r);
}

/// A sum with this number is rounded to a whole number, which its last bits then hold, `Offset` added.
template <real T, int Offset = 0>
inline constexpr T rounder = static_cast<T>((signed_word_of<T>{3} << (float_bits<T>::fraction - 1)) + Offset);

/// The whole number that a sum with a `rounder` stands for, without the offset.
template <int Offset = 0, real T>
MEZZO_INLINE constexpr T whole_in(T sum) {
  if (std::is_constant_evaluated()) return sum - rounder<T, Offset>;
  if constexpr (MEZZO_KEPT_SUM_IS_SCALAR != 0)
    return static_cast<T>(static_cast<signed_word_of<T>>(to_bits(sum) - to_bits(rounder<T, Offset>)));
  else
    return MEZZO_KEPT_SUM(sum) - rounder<T, Offset>;
}

/// The whole number in the last bits of a sum with a `rounder`, in the place of an exponent, modulo the word.
template <real T>
MEZZO_INLINE constexpr word_of<T> power_in(T sum) {
  return to_bits(sum) << float_bits<T>::fraction;
}

/// e^x as 2^(k - Offset) e^r; `power` holds k.
template <real T>
struct exp_parts {
  T r;
  word_of<T> power;

  /// factor * e^r, and e^r - 1.
  MEZZO_INLINE constexpr T whole(T factor = T(1)) const {
    MEZZO_ROUND_EACH
    return fma(r * factor, fma(r, exp_polynomial(r), T(1)), factor);
  }
  MEZZO_INLINE constexpr T less_one() const {
    MEZZO_ROUND_EACH
    return fma(r * r, expm1_polynomial(r), r);
  }
};

/// The parts of e^(x + low) for an x held in a range whose exponents fit in those of two numbers, and a low that is
/// small against x.
template <int Offset = 0, real T, class... Low>
MEZZO_INLINE constexpr exp_parts<T> exp_in_parts(T x, Low... low) {
  MEZZO_ROUND_EACH
  using constant = exp_constants<T>;
  const T sum = fma(x, constant::log2e, rounder<T, Offset>);
  const T k = whole_in<Offset>(sum);
  const T r = (fma(k, -constant::ln2_low, fma(k, -constant::ln2_high, x)) + ... + low);
  return {r, power_in(sum)};
}

/// factor * e^(x + low) for an x in [`lowest`, 0]: half the way down by the exponent, and half by a product, which
/// rounds where the result is subnormal.
template <real T, class... Low>
MEZZO_INLINE constexpr T exp_downward(T factor, T x, Low... low) {
  constexpr int half = exp_constants<T>::half_range;
  constexpr T down = from_bits<T>(word_of<T>{float_bits<T>::bias - half} << float_bits<T>::fraction);
  const auto part = exp_in_parts<half>(x, low...);
  return shifted(part.whole(factor), part.power) * down;
}

}  // namespace detail

/// e^x. Overflows to infinity, underflows gradually to 0; NaN stays NaN. Within 1 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T exp(T x) {
  using constant = detail::exp_constants<T>;
  const auto part = detail::exp_in_parts(detail::held(x, constant::lowest, constant::highest));
  return detail::unless_nan(x, detail::to_bits(detail::scaled(part.whole(), part.power)));
}

/// The same for an x that is not above 0, or NaN: shorter, since nothing overflows.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T exp_below_zero(T x) {
  constexpr T lowest = detail::exp_constants<T>::lowest;
  return detail::unless_nan(x, detail::to_bits(detail::exp_downward(T(1), -detail::size_up_to(x, -lowest))));
}

/// e^x - 1 without the cancellation near 0. Within 1.5 ulp (float), 2 ulp (double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T expm1(T x) {
  MEZZO_ROUND_EACH
  using constant = detail::exp_constants<T>;
  constexpr detail::word_of<T> one_step = detail::word_of<T>{1} << detail::float_bits<T>::fraction;
  const auto part = detail::exp_in_parts(detail::held(x, constant::expm1_lowest, constant::highest));
  const T q = part.less_one();
  // 2^k (1 + q) - 1 at half its size, so that 2^k stays finite; the doubling adds to the exponent as an integer.
  const T half_power = detail::shifted(T(0.5), part.power);
  const T half = fma(half_power, q, half_power - T(0.5));
  const auto doubled = detail::to_bits(half) + one_step;
  const auto size = detail::smaller(doubled & ~detail::sign_bit<T>, detail::word_of<T>{detail::infinity_bits<T>});
  const T y = detail::chosen(part.power == 0, q, detail::from_bits<T>(size));
  return detail::unless_nan(x, detail::to_bits(copysign(y, x)));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
