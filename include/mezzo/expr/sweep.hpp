// SPDX-License-Identifier: MIT
//
// The reverse sweep through one region, unrolled by the compiler: the values of the nodes are computed once and held in
// registers (a tape that never touches memory), then the incoming gradient is pushed from the root to the slots.
// Gradients stay in the compute type inside the region and are rounded where they are written.
#pragma once

#include <mezzo/expr/region.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Stands for a slot whose gradient nobody wants.
struct no_sink {
  constexpr void begin(std::size_t, std::size_t) {}
  constexpr void end(std::size_t) {}
};

/// The part of a region that is worth keeping for the sweep instead of the operation in slot `I`: that operation with
/// the bias that completes it, since the accumulator between them is wider than the result.
template <class Region, std::size_t I>
struct kept_part {
  using type = void;
};
template <std::size_t I, class T>
struct kept_part<region_slot<I, T>, I> {
  using type = region_slot<I, T>;
};

namespace detail {

template <class... Ts>
struct first_type {
  using type = void;
};
template <class T, class... Rest>
struct first_type<T, Rest...> {
  using type = T;
};
template <class... Rest>
struct first_type<void, Rest...> : first_type<Rest...> {};

template <class Region, class Inner>
struct completed {
  using type = Inner;
};
template <class Fn, class Precision, std::size_t I, class T, class... Rest>
  requires takes_accumulator<Fn>
struct completed<region_node<Fn, Precision, region_slot<I, T>, Rest...>, region_slot<I, T>> {
  using type = region_node<Fn, Precision, region_slot<I, T>, Rest...>;
};

}  // namespace detail

template <class Fn, class Precision, class... Children, std::size_t I>
struct kept_part<region_node<Fn, Precision, Children...>, I> {
  using inner = typename detail::first_type<typename kept_part<Children, I>::type...>::type;
  using type = typename detail::completed<region_node<Fn, Precision, Children...>, inner>::type;
};

/// The slot whose gradient is also that of slot `I`, the bias of a product: the product's. None where `I` is no bias.
template <class Region, std::size_t I>
inline constexpr std::size_t same_gradient_as = static_cast<std::size_t>(-1);
template <class Fn, class Precision, class... Children, std::size_t I>
inline constexpr std::size_t same_gradient_as<region_node<Fn, Precision, Children...>, I> = [] {
  // No slot is -1, so the smallest of the children's answers is the one there is.
  std::size_t found = static_cast<std::size_t>(-1);
  ((found = same_gradient_as<Children, I> < found ? same_gradient_as<Children, I> : found), ...);
  return found;
}();
template <class Fn, class Precision, std::size_t J, class Sum, std::size_t I, class T>
  requires detail::takes_accumulator<Fn>
  inline constexpr std::size_t same_gradient_as<region_node<Fn, Precision, region_slot<J, Sum>, region_slot<I, T>>, I> =
      J;

  namespace detail {

  /// A row of slot `I` that holds the kept part around the slot, not the slot alone.
  template <class Row, class Region>
  inline constexpr bool is_completed = false;
  template <class Row, class Fn, class Precision, std::size_t I, class T, class... Rest>
  inline constexpr bool is_completed<Row, region_node<Fn, Precision, region_slot<I, T>, Rest...>> =
      takes_accumulator<Fn>&& requires {
    requires pack_element_t<I, Row>::completed; };

template <class Region, class Sinks>
struct wanted;
template <std::size_t I, class T, class Sinks>
struct wanted<region_slot<I, T>, Sinks> {
  static constexpr bool value = !std::same_as<pack_element_t<I, Sinks>, no_sink>;
};
template <class Fn, class Precision, class... Children, class Sinks>
struct wanted<region_node<Fn, Precision, Children...>, Sinks> {
  static constexpr bool value = (wanted<Children, Sinks>::value || ...);
};

/// Values of a region for one element.
template <class Region>
struct tape {};
template <class Fn, class Precision, class... Children>
struct tape<region_node<Fn, Precision, Children...>> {
  using compute = typename Precision::compute;
  compute result{};
  compute operand[sizeof...(Children)]{};
  pack<tape<Children>...> inner{};
};

template <class Region>
struct sweeper;

template <std::size_t I, class T>
struct sweeper<region_slot<I, T>> {
  template <class Row>
  MEZZO_INLINE static constexpr auto record(tape<region_slot<I, T>>&, const Row& row, std::size_t i, auto& ends) {
    return loaded(get<I>(row), i, ends);
  }
  template <class G, class Sinks>
  MEZZO_INLINE static constexpr void push(const tape<region_slot<I, T>>&, G g, Sinks& sinks, std::size_t i) {
    get<I>(sinks).put(i, g);
  }
};

template <class Fn, class Precision, class... Children>
struct sweeper<region_node<Fn, Precision, Children...>> {
  using tape_type = tape<region_node<Fn, Precision, Children...>>;
  using compute = typename Precision::compute;
  using indices = std::index_sequence_for<Children...>;

  /// Records operands and result; returns the result as the node above reads it.
  template <class Row>
  MEZZO_INLINE static constexpr auto record(tape_type& at, const Row& row, std::size_t i, auto& ends) {
    if constexpr (is_completed<Row, region_node<Fn, Precision, Children...>>) {
      const auto kept = sweeper<pack_element_t<0, pack<Children...>>>::record(get<0>(at.inner), row, i, ends);
      at.result = uncarried<compute>(kept);
      return kept;
    } else {
      record_operands(at, row, i, ends, indices{});
      const auto result = apply(at, ends, indices{});
      at.result = uncarried<compute>(result);
      return result;
    }
  }
  template <class Row, std::size_t... K>
  MEZZO_INLINE static constexpr void record_operands(tape_type& at, const Row& row, std::size_t i, auto& ends,
                                                     std::index_sequence<K...>) {
    ((at.operand[K] =
          enter<Precision, enters_raw<Fn, K>>(sweeper<Children>::record(get<K>(at.inner), row, i, ends), ends)),
     ...);
  }
  template <std::size_t... K>
  MEZZO_INLINE static constexpr auto apply(const tape_type& at, auto& ends, std::index_sequence<K...>) {
    return rounded<Fn, Precision, Children...>(Fn::apply(at.operand[K]...), ends);
  }

  template <class G, class Sinks>
  MEZZO_INLINE static constexpr void push(const tape_type& at, G g, Sinks& sinks, std::size_t i) {
    push(at, uncarried<compute>(g), sinks, i, indices{});
  }
  template <class Sinks, std::size_t... K>
  MEZZO_INLINE static constexpr void push(const tape_type& at, compute g, Sinks& sinks, std::size_t i,
                                          std::index_sequence<K...> all) {
    (push_to<K>(at, g, sinks, i, all), ...);
  }
  template <std::size_t To, class Sinks, std::size_t... K>
  MEZZO_INLINE static constexpr void push_to(const tape_type& at, compute g, Sinks& sinks, std::size_t i,
                                             std::index_sequence<K...>) {
    using child = pack_element_t<To, pack<Children...>>;
    if constexpr (wanted<child, Sinks>::value)
      sweeper<child>::push(get<To>(at.inner), Fn::template adjoint<To>(g, at.result, at.operand[K]...), sinks, i);
  }
};

/// Whether the adjoint of the node at the root of a region reads its result.
template <class Region>
inline constexpr bool uses_result = false;
template <class Fn, class Precision, class... Children>
inline constexpr bool uses_result<region_node<Fn, Precision, Children...>> = Fn::uses == reads::result;

/// Whether the sweep reads the value of slot `I` when the node of this region is (`Value`) or is not itself needed.
template <class Region, std::size_t I, bool Value>
struct reads_slot;
template <std::size_t J, class T, std::size_t I, bool Value>
struct reads_slot<region_slot<J, T>, I, Value> {
  static constexpr bool value = I == J && Value;
};
template <class Fn, class Precision, class... Children, std::size_t I, bool Value>
struct reads_slot<region_node<Fn, Precision, Children...>, I, Value> {
  static constexpr bool operands = Value || Fn::uses == reads::operands;
  static constexpr bool value = (reads_slot<Children, I, operands || uses_result<Children>>::value || ...);
};

}  // namespace detail

/// Whether the gradient of `Region` reads the value in slot `I`, given that the result of the region is at hand
/// (`ResultKnown`) or not.
template <class Region, std::size_t I, bool ResultKnown>
inline constexpr bool sweep_reads =
    detail::reads_slot<Region, I, !ResultKnown && detail::uses_result<Region>>::value;

/// Pushes the gradient `g` of element `i` to the sinks (`put(i, gradient)`), one for each slot, `no_sink` where none is
/// wanted. `known` is a row of known results, or a `no_sink` to compute them again.
template <class Region, class Row, class Result, class G, class Sinks, class Ends = const ieee_ends>
MEZZO_INLINE constexpr void sweep_region(const Row& row, const Result& known, G g, Sinks& sinks, std::size_t i,
                                         Ends& ends = ieee) {
  detail::tape<Region> tape{};
  detail::sweeper<Region>::record(tape, row, i, ends);
  if constexpr (requires { tape.result; known.load(i); })
    tape.result = detail::uncarried<typename detail::tape<Region>::compute>(known.load(i));
  detail::sweeper<Region>::push(tape, g, sinks, i);
}

}  // namespace mezzo::inline MEZZO_ABI
