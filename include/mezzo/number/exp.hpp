// SPDX-License-Identifier: MIT
//
// The exponential and expm1. x = k ln2 + r with a whole k (Cody & Waite 1980: ln2 in two parts, the first short enough
// that k times it is exact), e^r - 1 by a polynomial on |r| <= ln2 / 2, and k added to the exponent. The coefficients
// are minimax fits (Remez 1934) of (e^r - 1 - r) / r^2 for the relative error of e^r - 1, each rounded to its type
// before the next is fitted.
#pragma once

#include <mezzo/number/float_bits.hpp>

#include <cstdint>  // int32_t

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

template <class T>
struct exp_constants;

template <>
struct exp_constants<float> {
  static constexpr float log2e = 0x1.715476p+0f;
  static constexpr float ln2_high = 0x1.62cp-1f;
  static constexpr float ln2_low = 0x1.217f7ep-12f;
  static constexpr float lowest = -104.0f;            // e^x rounds to 0 from here down
  static constexpr float highest = 89.0f;             // infinity from here up
  static constexpr float expm1_lowest = -18.0f;       // e^x - 1 rounds to -1 from here down
};

template <>
struct exp_constants<double> {
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double lowest = -746.0;
  static constexpr double highest = 710.0;
  static constexpr double expm1_lowest = -38.0;
};

/// (e^r - 1 - r) / r^2 within 2^-28 (float), 2^-56.6 (double) of e^r - 1.
MEZZO_INLINE constexpr float exp_polynomial(float r) {
  return polynomial(r, 0x1.3b7184p-13f, 0x1.6d34ecp-10f, 0x1.115756p-7f, 0x1.5554fep-5f, 0x1.55552ap-3f, 0.5f);
}
MEZZO_INLINE constexpr double exp_polynomial(double r) {
  return polynomial(r, 0x1.1fd664db1b0e6p-29, 0x1.af6af451b7a17p-26, 0x1.27e4962d4c074p-22, 0x1.71ddf1cf6a543p-19,
                    0x1.a01a01c3efc6fp-16, 0x1.a01a01b2689b6p-13, 0x1.6c16c16c117e2p-10, 0x1.111111110f0a9p-7,
                    0x1.555555555555dp-5, 0x1.555555555555ap-3, 0.5);
}

/// e^x as 2^k (1 + q).
template <real T>
struct exp_parts {
  T q;
  std::int32_t k;
};

/// The parts of e^(x + low) for an x held in a range that int32_t can count, and a low that is small against x.
template <real T, class... Low>
MEZZO_INLINE constexpr exp_parts<T> exp_in_parts(T x, Low... low) {
  MEZZO_ROUND_EACH
  using constant = exp_constants<T>;
  const auto k = static_cast<std::int32_t>(x * constant::log2e + copysign(T(0.5), x));
  const T whole = static_cast<T>(k);
  const T r = (((x - whole * constant::ln2_high) - whole * constant::ln2_low) + ... + low);
  return {r + (r * r) * exp_polynomial(r), k};
}

}  // namespace detail

/// e^x. Overflows to infinity, underflows gradually to 0; NaN stays NaN. Within 1 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T exp(T x) {
  MEZZO_ROUND_EACH
  using constant = detail::exp_constants<T>;
  const auto part = detail::exp_in_parts(detail::held(x, constant::lowest, constant::highest));
  return detail::unless_nan(x, detail::to_bits(detail::scaled(T(1) + part.q, part.k)));
}

/// e^x - 1 without the cancellation near 0. Within 1.5 ulp (float), 2 ulp (double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T expm1(T x) {
  MEZZO_ROUND_EACH
  using constant = detail::exp_constants<T>;
  const auto part = detail::exp_in_parts(detail::held(x, constant::expm1_lowest, constant::highest));
  // 2^k (1 + q) - 1 at half its size, so that 2^k stays finite; the doubling adds to the exponent as an integer.
  const T half_power = detail::power_of_two<T>(part.k - 1);
  const T half = half_power * part.q + (half_power - T(0.5));
  const auto doubled = detail::to_bits(half) + (detail::word_of<T>{1} << detail::float_bits<T>::fraction);
  const auto size = detail::smaller(doubled & ~detail::sign_bit<T>, detail::word_of<T>{detail::infinity_bits<T>});
  const T y = detail::chosen(part.k == 0, part.q, detail::from_bits<T>(size));
  return detail::unless_nan(x, detail::to_bits(copysign(y, x)));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
