// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent with momentum. An optimizer is its options, the number of moments it keeps for each
// parameter, and `update`, one parameter's step in float32.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// v ← μ·v + g + λ·w, w ← w − η·v; with Nesterov's step w ← w − η·(g + λ·w + μ·v) (Sutskever et al. 2013, as in
/// PyTorch).
struct sgd {
  static constexpr std::size_t moments = 1;

  float learning_rate = 0.01f;
  float momentum = 0.0f;
  float weight_decay = 0.0f;
  bool nesterov = false;

  struct coefficients {
    float rate, momentum, decay;
    bool nesterov;
  };
  /// What `update` needs in step `step`, counted from 1.
  [[nodiscard]] constexpr coefficients at(std::size_t) const {
    return {learning_rate, momentum, weight_decay, nesterov};
  }

  MEZZO_INLINE static constexpr float update(const coefficients& c, float w, float g, float& v) {
    MEZZO_ROUND_EACH
    g = g + c.decay * w;
    const float velocity = c.momentum * v + g;
    const float ahead = g + c.momentum * velocity;
    v = velocity;
    return w - c.rate * (c.nesterov ? ahead : velocity);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
