// SPDX-License-Identifier: MIT
//
// What training tells its caller: returned, never printed.
#pragma once

#include <mezzo/base/type_name.hpp>
#include <mezzo/tensor/tensor.hpp>
#include <mezzo/train/gradients.hpp>

#include <cstdint>  // uint64_t

namespace mezzo::inline MEZZO_ABI {

/// How to fit, in the documented order: epochs, samples a step, seed of the shuffling, shuffling, largest norm of the
/// gradients (0: no clipping).
struct fit_options {
  std::size_t epochs = 1;
  std::size_t batch = 32;
  std::uint64_t seed = 0;
  bool shuffle = true;
  float clip_norm = 0.0f;
};

/// One step, for a progress callback.
struct step_progress {
  std::size_t step;   ///< counted from 1, skipped ones included
  std::size_t total;  ///< of this fit
  std::size_t epoch;  ///< counted from 0
  step_outcome outcome;
  float scale;  ///< the step's loss scale
};

/// No callback.
struct no_progress {
  constexpr void operator()(const step_progress&) const {}
};

/// A fit: the loss and the loss scale of each step.
struct fit_report {
  heap_array<float> losses;
  heap_array<float> scales;
  std::size_t steps = 0;    ///< attempted
  std::size_t skipped = 0;  ///< because a gradient was not finite
  std::size_t growths = 0;  ///< of the loss scale
  float final_scale = 1.0f;
  bool gave_up = false;        ///< too many overflows in a row
  short_name first_non_finite{};  ///< then: the module whose gradients were the first not to be finite

  constexpr explicit fit_report(std::size_t total) : losses(total), scales(total) {}

  /// Mean loss of the last `count` steps.
  [[nodiscard]] constexpr double recent_loss(std::size_t count) const {
    const std::size_t last = count < steps ? count : steps;
    double sum = 0;
    for (std::size_t i = steps - last; i < steps; ++i) sum += static_cast<double>(losses[i]);
    return last == 0 ? 0.0 : sum / static_cast<double>(last);
  }

  constexpr void record(const step_outcome& outcome, float scale, float next_scale) {
    losses[steps] = outcome.loss;
    scales[steps] = scale;
    ++steps;
    skipped += outcome.reason == step_reason::non_finite ? 1 : 0;
    growths += next_scale > scale ? 1 : 0;
  }
  constexpr void give_up(const short_name& name) {
    gave_up = true;
    first_non_finite = name;
  }
};

/// Results on a data set.
struct evaluation {
  std::size_t samples = 0;
  std::size_t right = 0;
  double loss = 0.0;  ///< mean over the samples

  [[nodiscard]] constexpr double accuracy() const {
    return samples == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(samples);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
