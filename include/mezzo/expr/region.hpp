// SPDX-License-Identifier: MIT
//
// A region is the elementwise part of an expression around its root: one loop. As a type it names functions, precisions
// and slots, but no tensor, size or policy, so equal arithmetic is compiled once. Slots are filled, in order, by the
// operands that are not elementwise: tensors, numbers, and results of products, sums and the like.
#pragma once

#include <mezzo/expr/bind.hpp>
#include <mezzo/number/convert.hpp>

#include <cstddef>  // size_t
#include <utility>  // index_sequence

namespace mezzo::inline MEZZO_ABI {

/// Slot number `I` of a region, holding values of type `T` (`detail::weak` for a number).
template <std::size_t I, class T>
struct region_slot {
  using value_type = T;
  static constexpr std::size_t slots = 1;
};

/// `Fn` on the values of `Children`.
template <class Fn, class Precision, class... Children>
struct region_node {
  using value_type = typename Precision::output;
  static constexpr std::size_t slots = (std::size_t{0} + ... + Children::slots);
};

namespace detail {

template <class Bound, std::size_t First>
struct region_of {
  using type = region_slot<First, typename Bound::value_type>;
};

/// Regions of `Todo`, numbered from `First`, appended to `Done`.
template <std::size_t First, class Done, class... Todo>
struct region_list {
  using type = Done;
};
template <std::size_t First, class... Done, class Next, class... Todo>
struct region_list<First, pack<Done...>, Next, Todo...> {
  using region = typename region_of<Next, First>::type;
  using type = typename region_list<First + region::slots, pack<Done..., region>, Todo...>::type;
};

template <class Fn, class Precision, class Children>
struct as_region_node;
template <class Fn, class Precision, class... Children>
struct as_region_node<Fn, Precision, pack<Children...>> {
  using type = region_node<Fn, Precision, Children...>;
};

template <class Fn, class Precision, class... Children, std::size_t First>
  requires(Fn::kind == fn_kind::pointwise)
struct region_of<bound<Fn, Precision, Children...>, First> {
  using type =
      typename as_region_node<Fn, Precision, typename region_list<First, pack<>, Children...>::type>::type;
};

template <class T>
concept pointwise_bound = is_bound<T> && requires { requires T::function::kind == fn_kind::pointwise; };

}  // namespace detail

/// The region at the root of a bound expression; a single slot where the root is not elementwise.
template <class Bound>
using region_t = typename detail::region_of<Bound, 0>::type;

/// What fills the slots of the region at the root of `expression`, in order.
template <class Bound>
[[nodiscard]] constexpr auto slot_sources(const Bound& expression) {
  if constexpr (detail::pointwise_bound<Bound>)
    return apply_pack([](const auto&... child) { return concat(mezzo::slot_sources(child)...); },
                      expression.children);
  else
    return make_pack(expression);
}

/// A number in both compute types, converted once.
struct weak_value {
  float as_float;
  double as_double;
};

namespace detail {

/// An operand as the operation computes with it: rounded to its operand type where the policy says so, then widened.
/// An accumulator (`Raw`) and a number enter without rounding.
template <class Precision, bool Raw, class T>
MEZZO_INLINE constexpr typename Precision::compute enter(T value) {
  using compute = typename Precision::compute;
  using operand = typename Precision::operand;
  if constexpr (std::same_as<T, weak_value>) {
    if constexpr (std::same_as<compute, double>)
      return value.as_double;
    else
      return value.as_float;
  } else if constexpr (Raw || std::same_as<operand, as_given>) {
    return convert<compute>(value);
  } else {
    return convert<compute>(convert<operand>(value));
  }
}

/// The part of `Precision` that reading a `T` depends on: kernels that only read are compiled once for all that agree.
template <class Precision, class T>
using read_types = precision<std::conditional_t<std::same_as<typename Precision::operand, T>, as_given, typename Precision::operand>,
                          typename Precision::compute, typename Precision::compute>;

template <class Fn, std::size_t I>
inline constexpr bool enters_raw = I == 0 && takes_accumulator<Fn>;

template <class Region>
struct evaluator;

template <std::size_t I, class T>
struct evaluator<region_slot<I, T>> {
  template <class Row>
  MEZZO_INLINE static constexpr auto value(const Row& row, std::size_t i) {
    return get<I>(row).load(i);
  }
};

template <class Fn, class Precision, class... Children>
struct evaluator<region_node<Fn, Precision, Children...>> {
  using compute = typename Precision::compute;

  template <class Row>
  MEZZO_INLINE static constexpr typename Precision::output value(const Row& row, std::size_t i) {
    return value(row, i, std::index_sequence_for<Children...>{});
  }
  template <class Row, std::size_t... K>
  MEZZO_INLINE static constexpr typename Precision::output value(const Row& row, std::size_t i,
                                                                 std::index_sequence<K...>) {
    return convert<typename Precision::output>(
        Fn::apply(enter<Precision, enters_raw<Fn, K>>(evaluator<Children>::value(row, i))...));
  }
};

}  // namespace detail

/// Element `i` of the region, from one row of each slot (`load(i)`), rounded once at every node.
template <class Region, class Row>
MEZZO_INLINE constexpr auto evaluate_region(const Row& row, std::size_t i) {
  return detail::evaluator<Region>::value(row, i);
}

}  // namespace mezzo::inline MEZZO_ABI
