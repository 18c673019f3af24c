// SPDX-License-Identifier: MIT
//
// The saturating activations tanh and sigmoid, made of the exponential of a magnitude so that nothing overflows.
// tanh is odd: near 0 a polynomial in x^2 (a minimax fit of tanh(x) / x), elsewhere 1 - 2 / (e^2x + 1); both are
// computed and one is selected.
#pragma once

#include <mezzo/number/exp.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace math {
namespace detail {

/// (tanh(x) / x - 1) / x^2 as a function of z = x^2 up to 0.39; tanh within 2^-27.7 (float), 2^-56.4 (double).
MEZZO_INLINE constexpr float tanh_polynomial(float z) {
  return polynomial(z, -0x1.750ccap-8f, 0x1.51f8ccp-6f, -0x1.b835a4p-5f, 0x1.1106f6p-3f, -0x1.555532p-2f);
}
MEZZO_INLINE constexpr double tanh_polynomial(double z) {
  return polynomial(z, -0x1.0d98be04547b0p-16, 0x1.4389c6ba88965p-14, -0x1.df523ee55e58ep-13, 0x1.3365acb42bfd8p-11,
                    -0x1.7d689393dcf3fp-10, 0x1.d6cf268913a1dp-9, -0x1.226e161fdc7c8p-7, 0x1.664f477a6424cp-6,
                    -0x1.ba1ba1b503b1cp-5, 0x1.111111110ac94p-3, -0x1.55555555554ffp-2);
}

}  // namespace detail

/// The hyperbolic tangent; tanh(-0) is -0, large arguments give exactly 1 or -1. Within 1.5 ulp (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T tanh(T x) {
  MEZZO_ROUND_EACH
  constexpr T saturated = sizeof(T) == sizeof(float) ? T(9.25) : T(20);
  constexpr T inner = T(0.625);
  const T size = detail::size_up_to(x, saturated);
  const T square = size * size;
  const T close = fma(size, square * detail::tanh_polynomial(square), size);
  const auto part = detail::exp_in_parts(size + size);
  const T power = detail::shifted(part.whole(), part.power);
  const T large = T(1) - T(2) / (power + T(1));
  return detail::unless_nan(x, detail::to_bits(copysign(detail::chosen(size < inner, close, large), x)));
}

namespace detail {

/// The logistic function of a number; something between 0 and 1 of a NaN.
template <real T>
MEZZO_INLINE constexpr T sigmoid_of_number(T x) {
  MEZZO_ROUND_EACH
  const T power = exp_downward(T(1), -size_up_to(x, -exp_constants<T>::lowest));
  const bool below = (to_bits(x) & sign_bit<T>) != 0;
  return chosen(below, power, T(1)) / (T(1) + power);
}

}  // namespace detail

/// The logistic function 1 / (1 + e^-x), without overflow: sigmoid(-200) is 0, sigmoid(200) is 1. Within 2.5 ulp
/// (float, double).
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T sigmoid(T x) {
  return detail::unless_nan(x, detail::to_bits(detail::sigmoid_of_number(x)));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
