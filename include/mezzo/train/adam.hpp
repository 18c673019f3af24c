// SPDX-License-Identifier: MIT
//
// Adam (Kingma & Ba 2015, arXiv:1412.6980) and AdamW, with weight decay apart from the gradient (Loshchilov & Hutter
// 2019, arXiv:1711.05101). Moments and hyper-parameters are float32; the corrections of the first steps are computed in
// double, once a step.
#pragma once

#include <mezzo/number/math.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

constexpr double power(double base, std::size_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

/// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², w ← w − η/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε).
struct adam_coefficients {
  float beta1, rest1, beta2, rest2;
  float step;        // η/(1−β₁ᵗ)
  float correction;  // 1/√(1−β₂ᵗ)
  float epsilon;
  float decay;  // added to the gradient (Adam) or factor of the weight (AdamW)
};

constexpr adam_coefficients adam_at(float rate, double beta1, double beta2, float epsilon, float decay,
                                    std::size_t step) {
  return {static_cast<float>(beta1),
          static_cast<float>(1 - beta1),
          static_cast<float>(beta2),
          static_cast<float>(1 - beta2),
          static_cast<float>(static_cast<double>(rate) / (1 - power(beta1, step))),
          static_cast<float>(1 / math::sqrt(1 - power(beta2, step))),
          epsilon,
          decay};
}

MEZZO_INLINE constexpr float adam_update(const adam_coefficients& c, float w, float g, float& m, float& v) {
  MEZZO_ROUND_EACH
  const float first = c.beta1 * m + c.rest1 * g;
  const float second = c.beta2 * v + c.rest2 * (g * g);
  m = first;
  v = second;
  return w - c.step * (first / (math::sqrt(second) * c.correction + c.epsilon));
}

}  // namespace detail

/// Adam; `weight_decay` is added to the gradient.
struct adam {
  static constexpr std::size_t moments = 2;
  using coefficients = detail::adam_coefficients;

  float learning_rate = 1e-3f;
  double beta1 = 0.9;
  double beta2 = 0.999;
  float epsilon = 1e-8f;
  float weight_decay = 0.0f;

  [[nodiscard]] constexpr coefficients at(std::size_t step) const {
    return detail::adam_at(learning_rate, beta1, beta2, epsilon, weight_decay, step);
  }
  MEZZO_INLINE static constexpr float update(const coefficients& c, float w, float g, float& m, float& v) {
    MEZZO_ROUND_EACH
    return detail::adam_update(c, w, g + c.decay * w, m, v);
  }
};

/// Adam with decoupled weight decay: w ← w·(1 − η·λ) before the step.
struct adamw {
  static constexpr std::size_t moments = 2;
  using coefficients = detail::adam_coefficients;

  float learning_rate = 1e-3f;
  double beta1 = 0.9;
  double beta2 = 0.999;
  float epsilon = 1e-8f;
  float weight_decay = 0.01f;

  [[nodiscard]] constexpr coefficients at(std::size_t step) const {
    const double kept = 1.0 - static_cast<double>(learning_rate) * static_cast<double>(weight_decay);
    return detail::adam_at(learning_rate, beta1, beta2, epsilon, static_cast<float>(kept), step);
  }
  MEZZO_INLINE static constexpr float update(const coefficients& c, float w, float g, float& m, float& v) {
    return detail::adam_update(c, w * c.decay, g, m, v);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
