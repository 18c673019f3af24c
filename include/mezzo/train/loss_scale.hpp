// SPDX-License-Identifier: MIT
//
// Loss scales as values. Small gradients of a float16 network fall below its smallest number; multiplied by a power of
// two on their way in, and divided by it on their way out, they survive (Micikevicius et al. 2018, arXiv:1710.03740,
// section 3.2). `adjust(finite)` gives the scale of the next step.
#pragma once

#include <mezzo/base/contract.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Above 0, finite, and with a finite inverse.
constexpr bool usable_scale(float scale) { return scale >= 0x1p-126f && scale <= 0x1p127f; }

}  // namespace detail

/// Nothing is scaled and nothing is skipped: for float32 and bfloat16, whose ranges are the same.
struct no_scale {
  static constexpr bool scales = false;
  [[nodiscard]] constexpr float value() const { return 1.0f; }
  [[nodiscard]] constexpr bool valid() const { return true; }
  [[nodiscard]] constexpr bool exhausted() const { return false; }
  [[nodiscard]] constexpr no_scale adjust(bool) const { return {}; }
};

/// One scale for the whole training; a step whose gradients are not finite is skipped.
struct static_scale {
  static constexpr bool scales = true;

  float scale = 1.0f;

  [[nodiscard]] constexpr float value() const { return scale; }
  [[nodiscard]] constexpr bool valid() const { return detail::usable_scale(scale); }
  [[nodiscard]] constexpr bool exhausted() const { return false; }
  [[nodiscard]] constexpr static_scale adjust(bool) const { return *this; }
};

/// Grows after a number of clean steps, shrinks on overflow.
struct dynamic_scale {
  static constexpr bool scales = true;

  /// When the tolerated overflows (`hysteresis`) are counted anew.
  enum class renew { on_growth, on_clean_step };

  float scale = 0x1p16f;
  float growth = 2.0f;
  float backoff = 0.5f;
  int interval = 2000;       ///< clean steps before the scale grows
  int delay = 0;             ///< further clean steps at the start and after an overflow
  int hysteresis = 1;        ///< overflows before the scale shrinks
  renew renewal = renew::on_growth;
  float floor = 0.0f;        ///< the scale stays a normal number, with a finite inverse, whatever it says
  float cap = 0x1p127f;      ///< the scale stays finite whatever it says
  int patience = 60;         ///< overflows in a row before training gives up; 0: never
  // State.
  int clean = 0;             ///< clean steps since the last growth or overflow, counted from −delay
  int tolerated = 0;         ///< overflows since the hysteresis was renewed
  int in_a_row = 0;          ///< overflows since the last clean step
  bool started = false;

  [[nodiscard]] constexpr float value() const { return scale; }
  /// Whether the settings make sense: a finite scale above 0 that grows and shrinks.
  [[nodiscard]] constexpr bool valid() const {
    return detail::usable_scale(scale) && growth >= 1.0f && backoff > 0.0f && backoff < 1.0f && interval > 0 &&
           hysteresis > 0 && floor >= 0.0f && cap >= scale;
  }
  /// Whether so many steps overflowed in a row that a smaller scale cannot be the answer.
  [[nodiscard]] constexpr bool exhausted() const { return patience > 0 && in_a_row >= patience; }

  /// The scale after a step whose gradients were all finite, or were not.
  [[nodiscard]] constexpr dynamic_scale adjust(bool finite) const {
    dynamic_scale next = *this;
    if (!started) next.clean = -delay;
    next.started = true;
    if (finite) {
      next.in_a_row = 0;
      if (renewal == renew::on_clean_step) next.tolerated = 0;
      if (++next.clean >= interval) {
        next.clean = 0;
        next.tolerated = 0;
        const float highest = cap < 0x1p127f ? cap : 0x1p127f;
        // In double: a product past float32 is no constant expression.
        const double grown = static_cast<double>(scale) * static_cast<double>(growth);
        next.scale = grown < static_cast<double>(highest) ? static_cast<float>(grown) : highest;
      }
    } else {
      ++next.in_a_row;
      next.clean = -delay;
      if (++next.tolerated >= hysteresis) {
        next.tolerated = hysteresis - 1;
        const float lowest = floor > 0x1p-126f ? floor : 0x1p-126f;
        const float shrunk = scale * backoff;
        next.scale = shrunk > lowest ? shrunk : lowest;
      }
    }
    return next;
  }
};

}  // namespace mezzo::inline MEZZO_ABI
