// SPDX-License-Identifier: MIT
//
// Where gradients go. A leaf is found by its name or, if it has none, by the memory it views. Where types leave one
// candidate the gradient is written straight to its destination; where several leaves could be meant, or one occurs
// several times, the contributions are added in float32 and rounded once at the end.
#pragma once

#include <mezzo/backend/pointwise_loop.hpp>
#include <mezzo/store/evaluate.hpp>
#include <mezzo/tensor/overlap.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Destination of the gradient of `Leaf` as elements of type `T`.
template <class Leaf, class T>
struct target {
  using leaf_type = Leaf;
  using value_type = T;
  using sum_type = compute_t<typename Leaf::value_type>;

  Leaf of;
  T* data;
  inspection what;
  sum_type* sums;  // contributions, if several leaves could be meant
};

namespace detail {

/// Whether the types allow that leaf `A` is leaf `B`.
template <class A, class B>
constexpr bool may_be_same() {
  if constexpr (std::same_as<typename A::name, anonymous> != std::same_as<typename B::name, anonymous>)
    return false;
  else if constexpr (!std::same_as<typename A::name, anonymous>)
    return std::same_as<typename A::name, typename B::name>;
  else
    return std::same_as<typename A::value_type, typename B::value_type> &&
           std::same_as<typename decltype(A::source)::layout_type, typename decltype(B::source)::layout_type> &&
           same_static_sizes<typename A::extents_type, typename B::extents_type>();
}

/// Whether two leaves are the same. Error: they share memory in another way.
template <class A, class B>
constexpr bool is_same(const A& a, const B& b) {
  if constexpr (!std::same_as<typename A::name, anonymous> || !std::same_as<typename B::name, anonymous>) {
    return may_be_same<A, B>();
  } else {
    const overlap_kind kind = overlap(a.source, b.source);
    if (kind == overlap_kind::partial || (kind == overlap_kind::same && !may_be_same<A, B>()))
      fail(
          sentence("mezzo::gradient: a tensor of wrt must be a whole operand of the expression; given one that shares "
                   "memory with "
                   "part of an operand; pass the operand itself"));
    return kind == overlap_kind::same;
  }
}

/// Leaves of `Expression` that could be `Leaf`.
template <class Expression, class Leaf>
struct candidates {
  static constexpr std::size_t count = 0;
};
template <class View, class Name, class Leaf>
struct candidates<leaf<View, Name>, Leaf> {
  static constexpr std::size_t count = may_be_same<leaf<View, Name>, Leaf>() ? 1 : 0;
};
template <class Fn, class Precision, class... Children, class Leaf>
struct candidates<bound<Fn, Precision, Children...>, Leaf> {
  static constexpr std::size_t count = (std::size_t{0} + ... + candidates<Children, Leaf>::count);
};

/// Number of leaves of `expression` that are `of`.
template <class Expression, class Leaf>
constexpr std::size_t count_occurrences(const Expression& expression, const Leaf& of) {
  if constexpr (is_leaf<Expression>)
    return is_same(expression, of) ? 1 : 0;
  else if constexpr (is_bound<Expression>)
    return apply_pack([&](const auto&... child) { return (std::size_t{0} + ... + count_occurrences(child, of)); },
                      expression.children);
  else
    return 0;
}

}  // namespace detail

/// The targets of a request on `Expression`.
template <class Expression, class... Targets>
struct target_list {
  pack<Targets...> all;

  /// Targets that `Leaf` could be.
  template <class Leaf>
  static constexpr std::size_t matches =
      (std::size_t{0} + ... + std::size_t{detail::may_be_same<Leaf, typename Targets::leaf_type>()});

  /// Whether `Target` has one candidate, and that candidate no other target: then it is written in place.
  template <class Target>
  static constexpr bool unique = detail::candidates<Expression, typename Target::leaf_type>::count == 1 &&
                                 matches<typename Target::leaf_type> == 1;

  /// Whether a gradient with respect to some leaf under `Source` is wanted.
  template <class Source>
  static constexpr bool wanted = ((detail::candidates<Source, typename Targets::leaf_type>::count > 0) || ...);

  /// Calls `f(sink)` for a leaf whose gradient is wanted: a `store_sink`, or an `add_sink` whose data may be null.
  template <class Leaf, class F>
  constexpr decltype(auto) with_sink(const Leaf& of, const F& f) const {
    static_assert(matches<Leaf> > 0);
    using sum = compute_t<typename Leaf::value_type>;
    if constexpr (constexpr std::size_t index = unique_index<Leaf>(); index != detail::no_slot) {
      const auto& only = get<index>(all);
      return f(store_sink<typename pack_element_t<index, pack<Targets...>>::value_type>{only.data, only.what});
    } else {
      sum* sums = nullptr;
      apply_pack([&](const auto&... t) { ((detail::is_same(of, t.of) ? void(sums = t.sums) : void()), ...); }, all);
      return f(add_sink<sum>{sums});
    }
  }

 private:
  template <class Leaf>
  static constexpr std::size_t unique_index() {
    constexpr bool fits[] = {(detail::may_be_same<Leaf, typename Targets::leaf_type>() && unique<Targets>)..., false};
    for (std::size_t i = 0; i < sizeof...(Targets); ++i)
      if (fits[i]) return i;
    return detail::no_slot;
  }
};

}  // namespace mezzo::inline MEZZO_ABI
