// SPDX-License-Identifier: MIT
//
// (policy, operation, operand types) → the types the operation runs in. One table, a pure computation on types, proven
// by static_assert.
#pragma once

#include <mezzo/policy/ops.hpp>
#include <mezzo/policy/policies.hpp>

#include <concepts>     // same_as, derived_from
#include <type_traits>  // conditional_t

namespace mezzo::inline MEZZO_ABI {

/// Operands enter in their own type.
struct as_given {};

/// The types of one operation. Each operand is rounded to `operand` (unless `as_given`), widened to `compute`; the
/// result, summed in `compute` too, is rounded to nearest even once, to `output`.
template <class Operand, class Compute, class Output>
struct precision {
  using operand = Operand;
  using compute = Compute;
  using accumulate = Compute;
  using output = Output;
};

namespace detail {

/// Weakly typed operands (numbers in the program text) take part only when there is nothing else.
struct weak {};

template <class... Ts>
struct promoted {
  using type = float;
};
template <class T>
struct promoted<T> {
  using type = std::conditional_t<std::same_as<T, weak>, float, T>;
};
template <class A, class B, class... Rest>
struct promoted<A, B, Rest...> {
  using type = typename promoted<promote_t<A, B>, Rest...>::type;
};
template <class A, class... Rest>
struct promoted<weak, A, Rest...> : promoted<A, Rest...> {};
template <class A, class... Rest>
  requires(!std::same_as<A, weak>)
struct promoted<A, weak, Rest...> : promoted<A, Rest...> {};

/// Where O2 lets an operation that O1 would widen run low: element by element only.
template <class Tag>
inline constexpr bool low_under_O2 =
    Tag::classification == op_class::lower || std::derived_from<Tag, op::full_pointwise_op>;

/// What no level stores low: losses, statistics, and the state of optimizers and scalers.
template <class Tag>
inline constexpr bool never_low = std::derived_from<Tag, op::loss_op> || std::derived_from<Tag, op::statistics_op> ||
                                  Tag::classification == op_class::state;

template <class Policy, class Tag, class... Operands>
constexpr auto resolved() {
  using widest = typename promoted<Operands...>::type;
  using wide = compute_t<widest>;
  using low = typename Policy::low_type;
  using choice = typename Policy::template override_of<Tag>;
  constexpr op_class kind = Tag::classification;
  constexpr level at = Policy::level;

  if constexpr (!std::same_as<choice, no_override>) {
    using kept = typename choice::template type<low>;
    return precision<kept, compute_t<kept>, kept>{};
  } else if constexpr (at == level::O0 || std::same_as<widest, double>) {
    return precision<as_given, wide, wide>{};  // double is never lowered unasked
  } else if constexpr (never_low<Tag>) {
    return precision<as_given, wide, wide>{};
  } else if constexpr (at == level::native || kind == op_class::index) {
    return precision<as_given, wide, widest>{};  // an index or a truth value is told of the operand as it is
  } else if constexpr (kind == op_class::unsafe) {
    static_assert(kind != op_class::unsafe,
                  "mezzo::autocast: an operation of class unsafe has no safe low form; given one under O1, O2 or O3; "
                  "keep it in float with keep<float, op::...> or use the form that takes logits");
  } else if constexpr (at == level::O3) {
    return precision<low, float, low>{};
  } else if constexpr (kind == op_class::lower || (at == level::O2 && low_under_O2<Tag>)) {
    return precision<low, float, low>{};
  } else if constexpr (kind == op_class::full) {
    return precision<as_given, wide, wide>{};
  } else {
    return precision<as_given, wide, widest>{};
  }
}

}  // namespace detail

/// Types of the operation `Tag` on operands of types `Operands` under `Policy`.
template <autocast_policy Policy, op_tag Tag, class... Operands>
using resolve = decltype(detail::resolved<Policy, Tag, Operands...>());

}  // namespace mezzo::inline MEZZO_ABI
