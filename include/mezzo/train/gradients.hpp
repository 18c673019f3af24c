// SPDX-License-Identifier: MIT
//
// Gradients as typed values. What has been done to them is in their type, so a step in the wrong order does not
// compile: accumulate → unscale → clip → step. Nothing here touches memory: unscaling and clipping multiply one number,
// which the optimizer applies as it reads.
#pragma once

#include <mezzo/backend/tally.hpp>
#include <mezzo/base/contract.hpp>
#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/number/math.hpp>

#include <concepts>  // same_as

namespace mezzo::inline MEZZO_ABI {

struct carries_scale {};  ///< state: the loss scale is still in
struct is_unscaled {};    ///< state: the loss scale is divided out
struct is_clipped {};     ///< state: unscaled and clipped

/// Asks `backward` for the norm of the gradients, which clipping needs.
struct track_norm_t {};
inline constexpr track_norm_t track_norm{};

/// The gradients of the last backward pass of one trainer, or of the last sum over several, in a state. The values stay
/// with the trainer: this is good until its next pass or sum, and for one step.
template <class State, bool HasNorm, bool Accumulated>
struct gradients {
  using state = State;
  static constexpr bool has_norm = HasNorm;
  static constexpr bool accumulated = Accumulated;  ///< several micro-batches, summed in float32

  tally seen{};           ///< of the gradients as they are stored
  float scale = 1.0f;     ///< the loss scale they were computed with
  float factor = 1.0f;    ///< by which the optimizer multiplies what it reads
  double loss = 0.0;      ///< sum over the samples
  std::size_t samples = 0;
  std::size_t pass = 0;   ///< of the trainer, counted from 1

  /// Whether every gradient is finite, known from the passes that wrote them.
  [[nodiscard]] constexpr bool finite() const { return !seen.non_finite; }
  [[nodiscard]] constexpr float mean_loss() const {
    return samples == 0 ? 0.0f : static_cast<float>(loss / static_cast<double>(samples));
  }

  /// Norm of all gradients together, free of the loss scale.
  [[nodiscard]] constexpr float norm() const
    requires(HasNorm && !std::same_as<State, carries_scale>)
  {
    return static_cast<float>(math::sqrt(seen.squares) * static_cast<double>(factor));
  }
};

namespace detail {

template <class State>
concept still_scaled = std::same_as<State, carries_scale> || unsatisfied<
    "mezzo::unscale: gradients are unscaled once; given gradients that are unscaled already; remove the second unscale",
    State>();
template <class State>
concept free_of_scale =
    !std::same_as<State, carries_scale> || unsatisfied<
                                               "mezzo::clip_norm: gradients must be unscaled before they are clipped; "
                                               "given gradients that still carry the loss "
                                               "scale; write clip_norm(unscale(g), limit)",
                                               State>();
template <bool HasNorm>
concept knows_norm = HasNorm || unsatisfied<
    "mezzo::clip_norm: the norm must have been tracked while the gradients were written; given gradients without it; "
    "pass "
    "track_norm to backward">();
template <class State>
concept ready_to_step =
    !std::same_as<State, carries_scale> || unsatisfied<
                                               "mezzo::step: gradients must be unscaled before the step; given "
                                               "gradients that still carry the loss scale; write "
                                               "step(unscale(g))",
                                               State>();

}  // namespace detail

/// The same gradients without the loss scale.
template <class State, bool HasNorm, bool Accumulated>
  requires detail::still_scaled<State>
[[nodiscard]] constexpr gradients<is_unscaled, HasNorm, Accumulated> unscale(
    const gradients<State, HasNorm, Accumulated>& g) {
  return {g.seen, 1.0f, g.factor / g.scale, g.loss, g.samples, g.pass};
}

/// The same gradients, multiplied so that their norm is at most `limit` (Pascanu et al. 2013, arXiv:1211.5063).
template <class State, bool HasNorm, bool Accumulated>
  requires detail::free_of_scale<State> && detail::knows_norm<HasNorm>
[[nodiscard]] constexpr gradients<is_clipped, HasNorm, Accumulated> clip_norm(
    const gradients<State, HasNorm, Accumulated>& g, float limit) {
  if (!(limit > 0.0f))
    fail("mezzo::clip_norm: the largest norm must be above 0; given none; pass a positive limit, or do not clip");
  const float norm = g.norm();
  const float shrink = norm > limit ? limit / norm : 1.0f;
  return {g.seen, g.scale, g.factor * shrink, g.loss, g.samples, g.pass};
}

/// Why a step did or did not run.
enum class step_reason {
  stepped,       ///< parameters were updated
  non_finite,    ///< skipped: a gradient is known to be infinite or NaN; nothing was changed
  no_gradients,  ///< skipped: no sample since the last step
};

/// What became of a step. The loss scale wants to know: pass it to `update`.
struct [[nodiscard]] step_outcome {
  step_reason reason = step_reason::no_gradients;
  float loss = 0.0f;

  [[nodiscard]] constexpr bool ran() const { return reason == step_reason::stepped; }
};

}  // namespace mezzo::inline MEZZO_ABI
