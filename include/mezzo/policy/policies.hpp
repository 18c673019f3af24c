// SPDX-License-Identifier: MIT
//
// A policy is a type: a level, a low type, and the operations that differ from the level. The levels are those of Apex
// (NVIDIA 2018) and MindSpore; Micikevicius et al. 2018 (arXiv:1710.03740) give the method behind O2.
#pragma once

#include <mezzo/policy/override.hpp>

namespace mezzo::inline MEZZO_ABI {

/// How much of the work is low.
enum class level {
  native,  ///< no policy: each operation in the type of its operands
  O0,      ///< everything float32
  O1,      ///< float32 parameters; each operation by its class
  O2,      ///< low parameters with float32 masters; float32 where many values meet
  O3,      ///< all storage low, no masters
};

namespace detail {

template <class Low>
concept policy_low_type =
    low_precision<Low> ||
    unsatisfied<"mezzo::policies: the first argument of O1, O2 and O3 is the low type, such as bfloat16; given another "
                "type; write O2<bfloat16, ...>",
                Low>();

template <level Level, class Low, class... Overrides>
struct policy_base {
  static constexpr mezzo::level level = Level;
  using low_type = Low;
  template <class Tag>
  using override_of = typename last_override<Tag, Overrides...>::type;
};

}  // namespace detail

namespace policies {

/// Each operation in the type of its operands, computed in float32 or wider: what an expression does without autocast.
struct native : detail::policy_base<level::native, float> {};

/// Everything float32.
template <class... Overrides>
  requires detail::policy_overrides<Overrides...>
struct O0 : detail::policy_base<level::O0, float, Overrides...> {};

/// Parameters float32; products low, sums and exponentials float32, the rest as its operands are.
template <detail::policy_low_type Low, class... Overrides>
  requires detail::policy_overrides<Overrides...>
struct O1 : detail::policy_base<level::O1, Low, Overrides...> {};

/// Parameters and activations low, float32 masters; normalisation, softmax, reductions and losses float32.
template <detail::policy_low_type Low, class... Overrides>
  requires detail::policy_overrides<Overrides...>
struct O2 : detail::policy_base<level::O2, Low, Overrides...> {};

/// All storage low and no masters; accumulators, statistics and losses stay float32.
template <detail::policy_low_type Low, class... Overrides>
  requires detail::policy_overrides<Overrides...>
struct O3 : detail::policy_base<level::O3, Low, Overrides...> {};

}  // namespace policies

/// A type that says for every operation in which types it runs.
template <class T>
concept autocast_policy = requires {
  typename T::low_type;
  { T::level } -> std::same_as<const level&>;
};

/// Whether parameters are stored low beside float32 masters.
template <autocast_policy Policy>
inline constexpr bool has_masters = Policy::level == level::O2;

/// Whether gradients may leave the range of their type, so that training wants a loss scale by default: float16 under
/// O1 and O2. bfloat16 has the range of float32; O3 is the level of the static scale 1.
template <autocast_policy Policy>
inline constexpr bool wants_loss_scale = (Policy::level == level::O1 || Policy::level == level::O2) &&
                                         std::same_as<typename Policy::low_type, float16>;

}  // namespace mezzo::inline MEZZO_ABI
