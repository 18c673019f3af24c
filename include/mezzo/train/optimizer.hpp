// SPDX-License-Identifier: MIT
//
// The optimizer's pass: one read of each gradient, moment and master, one write of each moment, master and stored
// weight. Unscaling and clipping are a factor on the gradient as it is read; narrowing is the store. The pass starts
// only when the step is known to run, so a skipped step writes nothing.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/train/adam.hpp>
#include <mezzo/train/sgd.hpp>

namespace mezzo::inline MEZZO_ABI {

/// An optimizer `O`: options with a `learning_rate`, `O::moments` (1 or 2), `o.at(step)`, the coefficients of a step
/// counted from 1, and `O::update(coefficients, w, g, moment&...)`, the new weight.
template <class O>
concept optimizer = requires(O& o, float& m) {
  { o.learning_rate } -> std::same_as<float&>;
  o.at(std::size_t{1});
  requires(O::moments == 1 && requires {
    { O::update(o.at(1), 0.0f, 0.0f, m) } -> std::same_as<float>;
  }) || (O::moments == 2 && requires {
    { O::update(o.at(1), 0.0f, 0.0f, m, m) } -> std::same_as<float>;
  });
};

/// Gradients as they are: no loss scale, no clipping, no code.
struct no_factor {
  MEZZO_INLINE constexpr float apply(float g) const { return g; }
};
/// Gradients times one float32 number: the inverse loss scale and the clipping factor.
struct gradient_factor {
  float value;
  MEZZO_INLINE constexpr float apply(float g) const { return g * value; }
};

/// One update of `size` parameters stored as `P`; `Masters` says whether `masters` holds them in float32 beside.
template <optimizer Optimizer, class P, class G, class Factor, bool Masters>
struct optimizer_kernel {
  using scratch = char;
  static constexpr bool inspects = false;
  static constexpr bool worth_wide = true;  // roots and quotients
  static constexpr std::size_t grain = 16384;

  typename Optimizer::coefficients coefficients;
  Factor factor;
  std::size_t size;
  P* parameters;
  float* masters;
  const G* gradients;
  float* first;   // moments
  float* second;  // or null

  [[nodiscard]] constexpr kernel_work work() const {
    constexpr bool twice = Optimizer::moments == 2;
    kernel_work own{short_name{} << "optimizer", size, {0, twice ? 12U : 4U, 0, twice ? 2U : 0U}, 0, true};
    own = own.reading(gradients, size).reading(first, size).writing(first, size);
    if constexpr (twice) own = own.reading(second, size).writing(second, size);
    if constexpr (Masters)
      own = own.reading(masters, size).writing(masters, size);
    else
      own = own.reading(parameters, size);
    return own.writing(parameters, size);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return (size + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, scratch*, auto& sum) const {
    const std::size_t from = task * grain;
    const std::size_t count = size - from < grain ? size - from : grain;
    P* const p = parameters + from;
    float* const master = Masters ? masters + from : nullptr;
    const G* const g = gradients + from;
    float* const m = first + from;
    float* const v = Optimizer::moments == 2 ? second + from : nullptr;
    const typename Optimizer::coefficients c = coefficients;
    const Factor by = factor;
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
      const float gradient = by.apply(convert<float>(g[i]));
      float w;
      if constexpr (Masters)
        w = master[i];
      else
        w = convert<float>(p[i]);
      float next;
      if constexpr (Optimizer::moments == 2)
        next = Optimizer::update(c, w, gradient, m[i], v[i]);
      else
        next = Optimizer::update(c, w, gradient, m[i]);
      if constexpr (Masters) master[i] = next;
      p[i] = sum.settled(convert<P>(next));
    }
  }
};

/// gradient sums ← sums + weight·gradients, in float32: several micro-batches that make one step.
template <class G>
struct accumulate_kernel {
  using scratch = char;
  static constexpr bool inspects = true;
  static constexpr std::size_t grain = 16384;

  std::size_t size;
  float* sums;
  const G* gradients;
  float weight;
  bool first;
  inspection what;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own{short_name{} << "accumulate", size, {0, 2, 0, 0}, 0, true};
    return own.reading(gradients, size).reading(sums, first ? 0 : size).writing(sums, size);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return (size + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, scratch*, auto& sum) const {
    const std::size_t from = task * grain;
    const std::size_t count = size - from < grain ? size - from : grain;
    float* const to = sums + from;
    const G* const g = gradients + from;
    for (std::size_t i = 0; i < count; ++i) {
      MEZZO_ROUND_EACH
      to[i] = (first ? 0.0f : to[i]) + weight * convert<float>(g[i]);
    }
    inspect(what, to, count, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
