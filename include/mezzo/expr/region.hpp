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

/// A part of an expression that has grown to this many fused operations is evaluated by itself and read as a slot. Past
/// some such number compilers stop inlining a loop's body, and it runs many times slower; the results are the same
/// bits, since every node is rounded to the type in which it would be stored.
inline constexpr std::size_t fusion_budget = 16;

namespace detail {

template <class T>
concept pointwise_bound = is_bound<T> && requires { requires T::function::kind == fn_kind::pointwise; };

template <class T>
struct fused_ops {
  static constexpr std::size_t value = 0;
};
template <class T>
inline constexpr bool joins = pointwise_bound<T> && fused_ops<T>::value < fusion_budget;
/// Elementwise operations that one loop with `T` at its root computes.
template <class Fn, class Precision, class... Children>
  requires(Fn::kind == fn_kind::pointwise)
struct fused_ops<bound<Fn, Precision, Children...>> {
  static constexpr std::size_t value =
      (std::size_t{1} + ... + (joins<Children> ? fused_ops<Children>::value : std::size_t{0}));
};

template <class Bound, std::size_t First>
struct region_of {
  using type = region_slot<First, typename Bound::value_type>;
};

template <class Bound, std::size_t First>
struct slot_of {
  using type = region_slot<First, typename Bound::value_type>;
};

/// Regions of `Left`, numbered from `First`, appended to `Done`.
template <std::size_t First, class Done, class... Left>
struct region_list {
  using type = Done;
};
template <std::size_t First, class... Done, class Next, class... Left>
struct region_list<First, pack<Done...>, Next, Left...> {
  using region = typename std::conditional_t<joins<Next>, region_of<Next, First>, slot_of<Next, First>>::type;
  using type = typename region_list<First + region::slots, pack<Done..., region>, Left...>::type;
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

}  // namespace detail

/// The region at the root of a bound expression; a single slot where the root is not elementwise.
template <class Bound>
using region_t = typename detail::region_of<Bound, 0>::type;

/// What one element of a region costs: its operations, and whether one of them evaluates a polynomial.
template <class Region>
struct region_cost {
  static constexpr std::size_t operations = 0;
  static constexpr bool polynomials = false;
};
template <class Fn, class Precision, class... Children>
struct region_cost<region_node<Fn, Precision, Children...>> {
  static constexpr std::size_t operations = (std::size_t{1} + ... + region_cost<Children>::operations);
  static constexpr bool polynomials =
      requires { requires Fn::polynomial; } || (region_cost<Children>::polynomials || ...);
};

/// What fills the slots of the region at the root of `expression`, in order.
template <class Bound>
[[nodiscard]] constexpr auto slot_sources(const Bound& expression) {
  if constexpr (detail::pointwise_bound<Bound>)
    return apply_pack(
        [](const auto&... child) {
          return concat([](const auto& c) {
            if constexpr (detail::joins<std::remove_cvref_t<decltype(c)>>)
              return mezzo::slot_sources(c);
            else
              return make_pack(c);
          }(child)...);
        },
        expression.children);
  else
    return make_pack(expression);
}

/// A number in both compute types, converted once.
struct weak_value {
  float as_float;
  double as_double;
};

/// A value of `T` in float32, which holds every `T`: how fused loops carry the types whose codes are dear to convert.
/// They are decoded and encoded a run at a time, outside the loop.
template <class T>
struct exact {
  float value;
};

/// Low types with fewer exponent bits than float32: narrowing them is more than a shift.
template <class T>
inline constexpr bool carried_exact = false;
template <low_precision T>
inline constexpr bool carried_exact<T> = format_of<T>::exponent_bits != format_of<float>::exponent_bits;

/// How rounded results end that are infinite or NaN: as IEEE 754 has it. See `tally::settled`.
struct ieee_ends {
  template <class T>
  MEZZO_INLINE static constexpr T settled(T value) {
    return value;
  }
  /// A number of the program as an operation with results of type `T` takes it.
  template <class T>
  MEZZO_INLINE static constexpr float number(float value) {
    return value;
  }
};
inline constexpr ieee_ends ieee{};

namespace detail {

/// What a loop carries for a value of type `T`, given as a `T` or as a number to be rounded to one.
template <class T, class V>
MEZZO_INLINE constexpr auto carry(V value) {
  if constexpr (carried_exact<T>)
    return exact<T>{convert<float>(convert<T>(value))};
  else
    return convert<T>(value);
}
/// A carried value as a number of type `C`.
template <class C, class T>
MEZZO_INLINE constexpr C uncarried(T value) {
  return convert<C>(value);
}
template <class C, class T>
MEZZO_INLINE constexpr C uncarried(exact<T> value) {
  return convert<C>(value.value);
}

/// An operand as the operation computes with it: rounded to its operand type where the policy says so, then widened.
/// An accumulator (`Raw`) and a number enter without rounding.
template <class Precision, bool Raw, class T, class Ends = const ieee_ends>
MEZZO_INLINE constexpr typename Precision::compute enter(T value, Ends& ends = ieee) {
  using compute = typename Precision::compute;
  using operand = typename Precision::operand;
  if constexpr (std::same_as<T, weak_value>) {
    if constexpr (std::same_as<compute, double>)
      return value.as_double;
    else
      return ends.template number<typename Precision::output>(value.as_float);
  } else if constexpr (Raw || std::same_as<operand, as_given> || std::same_as<T, operand> ||
                       std::same_as<T, exact<operand>>) {
    return uncarried<compute>(value);
  } else if constexpr (carried_exact<operand>) {
    return uncarried<compute>(ends.settled(carry<operand>(uncarried<compute>(value))));
  } else {
    return convert<compute>(ends.settled(convert<operand>(uncarried<compute>(value))));
  }
}

template <class Fn>
concept only_selects = requires { requires Fn::selects; };

/// The result of a node, rounded to its type: nothing to do where the function only chooses among values of that type.
template <class Fn, class Precision, class Child>
inline constexpr bool already_rounded = only_selects<Fn> &&
                                        (std::same_as<typename Precision::operand, typename Precision::output> ||
                                         (std::same_as<typename Precision::operand, as_given> &&
                                          std::same_as<Child, typename Precision::output>));
template <class Fn, class Precision, class... Children>
MEZZO_INLINE constexpr auto rounded(typename Precision::compute value, auto& ends) {
  using output = typename Precision::output;
  if constexpr (carried_exact<output> && (already_rounded<Fn, Precision, typename Children::value_type> && ...))
    return ends.settled(exact<output>{convert<float>(value)});
  else
    return ends.settled(carry<output>(value));
}

/// The part of `Precision` that reading a `T` depends on: kernels that only read are compiled once for all that agree.
template <class Precision, class T>
using read_types =
    precision<std::conditional_t<std::same_as<typename Precision::operand, T>, as_given, typename Precision::operand>,
              typename Precision::compute, typename Precision::compute>;

/// Whether `Fn` may read its operand before that is rounded, because its own result is rounded to the same type and
/// rounding before or after makes no difference: one rounding less, the same bits.
template <class Fn, class Precision, class Child>
inline constexpr bool reads_unrounded = false;
template <class Fn, class Precision, class F, class P, class... Children>
  requires requires { requires Fn::commutes_with_rounding; }
inline constexpr bool reads_unrounded<Fn, Precision, region_node<F, P, Children...>> =
    low_precision<typename P::output> && std::same_as<typename P::output, typename Precision::output> &&
    std::same_as<typename P::compute, typename Precision::compute> &&
    (std::same_as<typename Precision::operand, as_given> ||
     std::same_as<typename Precision::operand, typename P::output>);

template <class Fn, std::size_t I>
inline constexpr bool enters_raw = I == 0 && takes_accumulator<Fn>;

/// Whether the root of a region rounds a float32 to `T`.
template <class Region, class T>
inline constexpr bool rounds_as_float = false;
template <class Fn, class Precision, class... Children, class T>
inline constexpr bool rounds_as_float<region_node<Fn, Precision, Children...>, T> =
    std::same_as<typename Precision::output, T> && std::same_as<typename Precision::compute, float>;

/// A value of a row; the accumulators of a product are rounded as they are read.
template <class Row>
MEZZO_INLINE constexpr auto loaded(const Row& row, std::size_t i, auto& ends) {
  if constexpr (requires { Row::rounds; })
    return ends.settled(row.load(i));
  else
    return row.load(i);
}

template <class Region>
struct evaluator;

template <std::size_t I, class T>
struct evaluator<region_slot<I, T>> {
  template <class Row>
  MEZZO_INLINE static constexpr auto value(const Row& row, std::size_t i, auto& ends) {
    return loaded(get<I>(row), i, ends);
  }
};

template <class Fn, class Precision, class... Children>
struct evaluator<region_node<Fn, Precision, Children...>> {
  using compute = typename Precision::compute;

  template <class Row>
  MEZZO_INLINE static constexpr auto value(const Row& row, std::size_t i, auto& ends) {
    const compute result = unrounded(row, i, ends);
    if constexpr ((reads_unrounded<Fn, Precision, Children> || ...))
      return ends.settled(carry<typename Precision::output>(result));
    else
      return rounded<Fn, Precision, Children...>(result, ends);
  }
  template <class Row>
  MEZZO_INLINE static constexpr compute unrounded(const Row& row, std::size_t i, auto& ends) {
    return unrounded(row, i, ends, std::index_sequence_for<Children...>{});
  }

 private:
  template <class Row, std::size_t... K>
  MEZZO_INLINE static constexpr compute unrounded(const Row& row, std::size_t i, auto& ends,
                                                  std::index_sequence<K...>) {
    return Fn::apply(operand<K, Children>(row, i, ends)...);
  }
  template <std::size_t K, class Child, class Row>
  MEZZO_INLINE static constexpr compute operand(const Row& row, std::size_t i, auto& ends) {
    if constexpr (reads_unrounded<Fn, Precision, Child>)
      return evaluator<Child>::unrounded(row, i, ends);
    else
      return enter<Precision, enters_raw<Fn, K>>(evaluator<Child>::value(row, i, ends), ends);
  }
};

}  // namespace detail

/// Element `i` of the region, from one row of each slot (`load(i)`), rounded once at every node.
template <class Region, class Row, class Ends = const ieee_ends>
MEZZO_INLINE constexpr auto evaluate_region(const Row& row, std::size_t i, Ends& ends = ieee) {
  return detail::evaluator<Region>::value(row, i, ends);
}

/// The same for a result that is stored as `T`: what the store has yet to round, where that is the root's rounding.
template <class Region, class T, class Row, class Ends = const ieee_ends>
MEZZO_INLINE constexpr auto evaluate_for_store(const Row& row, std::size_t i, Ends& ends = ieee) {
  if constexpr (detail::rounds_as_float<Region, T>)
    return detail::evaluator<Region>::unrounded(row, i, ends);
  else
    return detail::evaluator<Region>::value(row, i, ends);
}

}  // namespace mezzo::inline MEZZO_ABI
