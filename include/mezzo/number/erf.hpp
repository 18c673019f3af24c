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
  const T body = fma(inner, erf_polynomial(inner * inner), inner);
  const T beyond = size - inner;
  const auto part = exp_in_parts(-(beyond * erfc_exponent(beyond)));
  constexpr T factor = erf_constants<T>::erfc_of_one;
  const T tail = shifted(fma(factor, part.less_one(), factor), part.power);
  return chosen(size < T(1), body, T(1) - tail);
}

/// log2(erfc(u / sqrt 2)) / u for a u in [0, 5.57], where half of erfc is less than half a unit in the last place of
/// 1/2: erfc / 2 within 2^-26.8.
MEZZO_INLINE constexpr float tail_exponent(float u) {
  return polynomial_by_twos(u, -0x1.7c2b14p-19f, 0x1.4a50e6p-15f, -0x1.86b002p-13f, -0x1.1e11dep-13f, 0x1.ced826p-8f,
                    -0x1.ae0ab2p-5f, -0x1.d63ac2p-2f, -0x1.26aed4p+0f);
}

/// 2^f within 2^-27.5 for an |f| up to 1/2.
MEZZO_INLINE constexpr float exp2_polynomial(float f) {
  const float q = polynomial_by_twos(f, 0x1.4bbaa6p-13f, 0x1.5fc0a4p-10f, 0x1.3b21c6p-7f, 0x1.c6ada6p-5f,
                                     0x1.ebfbe6p-3f, 0x1.62e432p-1f);
  return fma(f, q, 1.0f);
}

/// The normal distribution function less 1/2, of |x|; NaN counts as infinity. No float of it needs more than an
/// absolute bound, which one polynomial in an exponent of 2 gives.
MEZZO_INLINE constexpr float half_normal(float x) {
  MEZZO_ROUND_EACH
  const float u = size_up_to(x, 5.57f);
  const float p = tail_exponent(u);
  const float sum = fma(u, p, rounder<float>);
  const float f = fma(u, p, -whole_in(sum));
  return fma(shifted(exp2_polynomial(f), power_in(sum)), -0.5f, 0.5f);
}
MEZZO_INLINE constexpr double half_normal(double x) {
  MEZZO_ROUND_EACH
  constexpr double root_half = 0x1.6a09e667f3bcdp-1;
  const double size = size_up_to(x, 2 * erf_constants<double>::saturated);
  return 0.5 * erf_of_size(size * root_half);
}

/// `normal_cdf` of a number, 1 or 0 of a NaN.
template <real T>
MEZZO_INLINE constexpr T normal_cdf_of_number(T x) {
  MEZZO_ROUND_EACH
  // The half is not below 0, so that the sign needs no place cleared for it.
  return T(0.5) + from_bits<T>(to_bits(half_normal(x)) | (to_bits(x) & sign_bit<T>));
}

/// `normal_pdf` of a number, 0 of a NaN.
template <real T>
MEZZO_INLINE constexpr T normal_pdf_of_number(T x) {
  MEZZO_ROUND_EACH
  constexpr T factor = static_cast<T>(0x1.9884533d43651p-2);  // 1 / sqrt(2 pi)
  constexpr T vanished = sizeof(T) == sizeof(float) ? T(14.375) : T(38.625);
  const T size = size_up_to(x, vanished);
  // -x^2 / 2 and what rounding it has lost.
  const T half = T(-0.5) * size;
  const T high = half * size;
  return exp_downward(factor, high, fma(half, size, -high));
}

/// Distribution function and density of a number, for gradients, which read both.
template <real T>
struct normal_values {
  T cdf, pdf;
};

/// e^(u^2 / 2) erfc(u / sqrt 2) / 2, Mills' ratio over sqrt(2 pi), for a u in [0, 5.57]: times e^(-u^2 / 2), within
/// 2^-27.4, and below half a unit in the last place of 1/2 beyond.
MEZZO_INLINE constexpr float mills_ratio(float u) {
  return polynomial_by_twos(u, 0x1.0231cp-24f, -0x1.b874cep-20f, 0x1.5413bap-16f, -0x1.3eb16ap-13f, 0x1.9ce59cp-11f,
                            -0x1.92ea24p-9f, 0x1.3d7e66p-7f, -0x1.ab9d84p-6f, 0x1.fe37ep-5f, -0x1.103af2p-3f,
                            0x1.fffc4p-3f, -0x1.98843ep-2f, 0.5f);
}

/// e^(-z / 2) within 2^-27.9 for a |z| up to ln2.
MEZZO_INLINE constexpr float half_exp_polynomial(float z) {
  const float q = polynomial_by_twos(z, 0x1.6a896cp-16f, -0x1.12384ep-12f, 0x1.555884p-9f, -0x1.555494p-6f,
                                     0x1.fffffcp-4f, -0.5f);
  return fma(z, q, 1.0f);
}

/// Both by one exponential: the function within 1.4 * 2^-24, the density within 0.8 * 2^-24; of a NaN some numbers.
MEZZO_INLINE constexpr normal_values<float> normal_of_number(float x) {
  MEZZO_ROUND_EACH
  constexpr float factor = 0x1.988454p-2f;  // 1 / sqrt(2 pi)
  constexpr int half = exp_constants<float>::half_range;
  const float u = size_up_to(x, 14.375f);
  const float z = u * u;
  const float sum = fma(z, -0x1.715476p-1f, rounder<float, half>);
  const float rest = fma(whole_in<half>(sum), 0x1.62e43p+0f, z);
  const float power = shifted(half_exp_polynomial(rest), power_in(sum)) * 0x1p-64f;
  const float above = fma(-power, mills_ratio(u), 0.5f);
  return {0.5f + copysign(above, x), factor * power};
}
MEZZO_INLINE constexpr normal_values<double> normal_of_number(double x) {
  return {normal_cdf_of_number(x), normal_pdf_of_number(x)};
}

}  // namespace detail

/// The error function; erf(-0) is -0, large arguments give exactly 1 or -1. Within 1.4 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T erf(T x) {
  return detail::unless_nan(x, detail::to_bits(copysign(detail::erf_of_size(x), x)));
}

/// The standard normal distribution function. Its absolute error is below 1.2 * 2^-24 (float), 1.2 * 2^-53 (double);
/// the lower tail ends at exactly 0 where half a unit in the last place of 1/2 would be larger.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T normal_cdf(T x) {
  return detail::unless_nan(x, detail::to_bits(detail::normal_cdf_of_number(x)));
}

/// The standard normal density e^(-x^2 / 2) / sqrt(2 pi). Within 1.7 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T normal_pdf(T x) {
  return detail::unless_nan(x, detail::to_bits(detail::normal_pdf_of_number(x)));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
