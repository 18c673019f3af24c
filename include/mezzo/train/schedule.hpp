// SPDX-License-Identifier: MIT
//
// Learning rates by the number of steps that ran: a skipped step does not move them.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Leaves the optimizer's own rate alone.
struct constant_rate {
  [[nodiscard]] constexpr float at(std::size_t, float rate) const { return rate; }
};

/// Rises in a line over `warmup` steps to `peak`, then falls in a line to `last` at step `steps`.
struct linear_rate {
  float peak = 1e-3f;
  std::size_t warmup = 0;
  std::size_t steps = 1;
  float last = 0.0f;

  [[nodiscard]] constexpr float at(std::size_t step, float) const {
    if (step < warmup) return peak * static_cast<float>(step + 1) / static_cast<float>(warmup);
    if (step >= steps) return last;
    return last + (peak - last) * static_cast<float>(steps - step) / static_cast<float>(steps - warmup);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
