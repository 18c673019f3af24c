// SPDX-License-Identifier: MIT
//
// The error function and the normal distribution. Up to 1, erf(x) / x is a polynomial in x^2; beyond,
// 1 - erfc(1) e^(-t g(t)) with t = x - 1 and a polynomial g, which is smooth because erfc falls almost like e^(-x^2).
// The split into ranges follows Cody 1969 (doi:10.1090/S0025-5718-1969-0247736-4); the fits are minimax.
#pragma once

#include <mezzo/number/exp.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

template <class T>
struct erf_constants;

template <>
struct erf_constants<float> {
  static constexpr float erfc_of_one = 0x1.422616p-3f;
  static constexpr float saturated = 3.9375f;  // erf rounds to 1 from here up
};

template <>
struct erf_constants<double> {
  static constexpr double erfc_of_one = 0x1.4226162fbddd5p-3;
  static constexpr double saturated = 5.9296875;
};

/// erf(x) / x - 1 as a function of z = x^2 up to 1; erf within 2^-29.4 (float), 2^-56.3 (double).
MEZZO_INLINE constexpr float erf_polynomial(float z) {
  return polynomial(z, 0x1.4771fcp-14f, -0x1.a3515ep-11f, 0x1.53f224p-8f, -0x1.b7f71ap-6f, 0x1.ce2ce6p-4f,
                    -0x1.81273ep-2f, 0x1.06eba8p-3f);
}
MEZZO_INLINE constexpr double erf_polynomial(double z) {
  return polynomial(z, 0x1.3b7ccef27bbd0p-33, -0x1.c49fd3b3543fdp-30, 0x1.131c8671d658ep-26, -0x1.639008920abedp-23,
                    0x1.ba68ff9ac0289p-20, -0x1.f4dcefdb01984p-17, 0x1.f9a3b941dc64ep-14, -0x1.c02db9329dfd6p-11,
                    0x1.565bcd2c60e93p-8, -0x1.b82ce31354c59p-6, 0x1.ce2f21a0458d7p-4, -0x1.812746b037a25p-2,
                    0x1.06eba8214db69p-3);
}

/// -log(erfc(1 + t) / erfc(1)) / t up to saturation; erf within 2^-29.8 (float), 2^-58.8 (double).
MEZZO_INLINE constexpr float erfc_exponent(float t) {
  return polynomial(t, -0x1.882cp-13f, 0x1.e048f4p-10f, -0x1.4466d2p-7f, 0x1.540628p-5f, 0x1.afacf6p-1f,
                    0x1.51c9acp+1f);
}
MEZZO_INLINE constexpr double erfc_exponent(double t) {
  return polynomial(t, -0x1.27635f85a48f5p-40, 0x1.ff8a6d27164a0p-36, -0x1.982724cd69b2cp-32, 0x1.8c5d171a887c9p-29,
                    -0x1.01b2f9da0e5d7p-26, 0x1.c16428cc51a8ap-25, -0x1.a5b12bf4ff18ep-24, -0x1.3083105b5a1b4p-23,
                    0x1.144672c247fbap-19, -0x1.4260c1bb163fap-17, 0x1.c7a39ab5633ddp-16, -0x1.b8dc9a46d5b01p-16,
                    -0x1.f1b3a161dc267p-13, 0x1.033f6612e6aeap-9, -0x1.48c9d3ef5d0ddp-7, 0x1.5477f09c2047bp-5,
                    0x1.afabc11a29445p-1, 0x1.51c9b0006c239p+1);
}

/// erf of |x|; NaN counts as infinity.
template <real T>
MEZZO_INLINE constexpr T erf_of_size(T x) {
  MEZZO_ROUND_EACH
  const T size = size_up_to(x, erf_constants<T>::saturated);
  const T inner = size_up_to(size, T(1));
  const T body = inner + inner * erf_polynomial(inner * inner);
  const T beyond = size - inner;
  const auto part = exp_in_parts(-(beyond * erfc_exponent(beyond)));
  constexpr T factor = erf_constants<T>::erfc_of_one;
  const T tail = shifted(factor + factor * part.q, part.k);
  return chosen(size < T(1), body, T(1) - tail);
}

}  // namespace detail

/// The error function; erf(-0) is -0, large arguments give exactly 1 or -1. Within 1.4 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T erf(T x) {
  return detail::unless_nan(x, detail::to_bits(copysign(detail::erf_of_size(x), x)));
}

/// The standard normal distribution function as (1 + erf(x / sqrt 2)) / 2. Its absolute error is below 1.2 * 2^-24
/// (float), 1.2 * 2^-53 (double); the lower tail ends at exactly 0 where erf reaches -1.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T normal_cdf(T x) {
  MEZZO_ROUND_EACH
  constexpr T root_half = static_cast<T>(0x1.6a09e667f3bcdp-1);
  const T size = detail::size_up_to(x, T(2) * detail::erf_constants<T>::saturated);
  const T half = T(0.5) * detail::erf_of_size(size * root_half);
  return detail::unless_nan(x, detail::to_bits(T(0.5) + copysign(half, x)));
}

/// The standard normal density e^(-x^2 / 2) / sqrt(2 pi). Within 1.7 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T normal_pdf(T x) {
  MEZZO_ROUND_EACH
  using namespace detail;
  constexpr T factor = static_cast<T>(0x1.9884533d43651p-1);  // twice 1 / sqrt(2 pi), so that `scaled` may take it
  constexpr T vanished = sizeof(T) == sizeof(float) ? T(14.5) : T(39);
  constexpr int dropped = float_bits<T>::fraction / 2 + 1;
  // x^2 = high^2 + (x - high)(x + high): the first term is exact, and the second keeps what rounding x^2 would lose.
  const T size = size_up_to(x, vanished);
  const T high = from_bits<T>(to_bits(size) >> dropped << dropped);
  const T low = T(-0.5) * ((size - high) * (size + high));
  const auto part = exp_in_parts(T(-0.5) * (high * high), low);
  return unless_nan(x, to_bits(scaled(factor + factor * part.q, part.k - 1)));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
