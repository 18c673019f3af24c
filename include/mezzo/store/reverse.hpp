// SPDX-License-Identifier: MIT
//
// Backward evaluation. The gradient of a region is one loop, which writes a gradient for each slot: into its
// destination where the slot is a tensor of the region's sizes, into scratch that is then summed where the tensor was
// repeated, and into scratch that the sweep goes on from where the slot is the result of a product or the like.
#pragma once

#include <mezzo/store/slot_gradient.hpp>

namespace mezzo::inline MEZZO_ABI {

/// What the forward pass has kept of a gathering operation: its result, or (`Completed`) its result with the bias; or
/// nothing.
template <class T, bool Completed>
struct saved_value {
  const T* data;
};
using nothing_saved = saved_value<no_sink, false>;

/// Pushes `g`, the gradient of the result of `expression`, row-major, to the targets. `known` is that result if it is
/// at hand; `saved` the value of the operation that was fused into the region, if it was kept.
template <class Backend, class Bound, class G, class Known, class Saved, class Targets>
constexpr tally reverse(Backend& backend, const Bound& expression, const G* g, const known_result<Known>& known,
                        const Saved& saved, const Targets& targets);

namespace detail {

/// Kept values as memory.
template <class Source, class T>
constexpr auto held_saved(const Source& source, const saved_value<T, false>& saved) {
  const view<const T, typename Source::extents_type> values(saved.data, source.extents());
  return held<std::remove_const_t<decltype(values)>, pack<>>{{}, values};
}
template <class Source, class T>
constexpr auto held_saved(const Source& source, const saved_value<T, true>& saved) {
  completed_lane<T> values{saved.data};
  set_strides(values.strides, view<const T, typename Source::extents_type>(saved.data, source.extents()),
              Source::extents_type::rank());
  return held<completed_lane<T>, pack<>>{{}, values};
}

/// Values of a slot for the sweep: nothing where it does not read them.
template <bool Reads, class Backend, class Source, class Saved>
constexpr auto slot_values(Backend& backend, const Source& source, const Saved& saved) {
  if constexpr (!Reads && !std::same_as<Source, scalar>) {
    return held<absent_lane<typename Source::value_type>, pack<>>{};
  } else if constexpr (!std::same_as<Saved, nothing_saved>) {
    return held_saved(source, saved);
  } else {
    return mezzo::hold(backend, source);
  }
}
template <class Result, class T>
constexpr absent_lane<T> lane_over(const Result&, const absent_lane<T>& nothing) {
  return nothing;
}
template <class Result, class T>
constexpr completed_lane<T> lane_over(const Result&, const completed_lane<T>& kept) {
  return kept;
}
template <class Result, class Values>
constexpr auto sweep_lane(const Result& sizes, const Values& values) {
  using mezzo::lane_over;
  using detail::lane_over;
  return lane_over(sizes, values);
}

/// Lets `run` write the gradient of `child` into scratch, and sweeps on from there.
template <class Backend, class Child, class Targets, class Run>
constexpr tally reverse_through_scratch(Backend& backend, const Child& child, const Targets& targets, const Run& run) {
  using T = gradient_t<Child>;
  const buffer<T> scratch(backend.memory, child.extents().size());
  tally sum = run(store_sink<T>{scratch.data(), inspection::nothing});
  sum += mezzo::reverse(backend, child, scratch.data(), known_result<no_sink>{}, nothing_saved{}, targets);
  return sum;
}

/// Lets `run` write the gradient of `child`: to its target, or into scratch from which the sweep goes on, or, with a
/// `no_sink`, nowhere.
template <class Backend, class Child, class Targets, class Run>
constexpr tally with_gradient_sink(Backend& backend, const Child& child, const Targets& targets, const Run& run) {
  if constexpr (!Targets::template wanted<Child>) {
    return run(no_sink{});
  } else if constexpr (is_leaf<Child>) {
    static_assert(std::same_as<typename decltype(Child::source)::layout_type, layout_right>,
                  "mezzo::gradient: a tensor of wrt must be row-major; given a view with another layout; take the "
                  "gradient of the row-major tensor and use transpose in the expression");
    return targets.with_sink(child, run);
  } else {
    return reverse_through_scratch(backend, child, targets, run);
  }
}
/// The same for all operands at once, whose sinks `run` takes after `sinks`.
template <class Backend, class... Children, class Targets, class Run, class... Sinks>
constexpr tally with_gradient_sinks(Backend& backend, const pack<Children...>& children, const Targets& targets,
                                    const Run& run, const Sinks&... sinks) {
  if constexpr (sizeof...(Sinks) == sizeof...(Children))
    return run(sinks...);
  else
    return with_gradient_sink(backend, get<sizeof...(Sinks)>(children), targets, [&](const auto& sink) {
      return with_gradient_sinks(backend, children, targets, run, sinks..., sink);
    });
}

/// Whether a chain of reshapes ends in a transpose, whose order of memory is not that of the reshaped operand.
template <class Source>
inline constexpr bool reshapes_transposed = false;
template <class Fn, class Precision, class Child>
  requires(Fn::kind == fn_kind::rearrange)
inline constexpr bool reshapes_transposed<bound<Fn, Precision, Child>> =
    std::same_as<Fn, transpose_fn> || reshapes_transposed<Child>;

/// Delivers the gradient of operand `I` of a gathering operation that computes one at a time.
template <std::size_t I, bool Flip, class Fn, class Precision, class Backend, class Child, class G, class Y,
          class Targets, class Operands>
constexpr tally reverse_operand(Backend& backend, const Child& child, const G* g, const Y* y, const Targets& targets,
                                const Operands& operands) {
  const auto run = [&]<class Sink>(const Sink& sink) {
    if constexpr (std::same_as<Sink, no_sink>) {
      return tally{};
    } else {
      if (sink.data == nullptr) return tally{};
      return apply_pack(
          [&](const auto&... operand) {
            return gather<Fn>::template backward<Precision, I, Flip>(backend, g, y, sink, operand.values...);
          },
          operands);
    }
  };
  if constexpr (rearranged<Child> && Targets::template wanted<Child>) {
    const auto& inner = get<0>(child.children);
    // A reshaped operand is the same memory, unless it was transposed before.
    if constexpr (!std::same_as<typename Child::function, transpose_fn> &&
                  !reshapes_transposed<std::remove_cvref_t<decltype(inner)>>)
      return reverse_operand<I, Flip, Fn, Precision>(backend, inner, g, y, targets, operands);
    else if constexpr (std::same_as<typename Child::function, transpose_fn> && gather<Fn>::template reads_transposed<I>)
      return reverse_operand<I, !Flip, Fn, Precision>(backend, inner, g, y, targets, operands);
    else
      return reverse_through_scratch(backend, child, targets, run);
  } else {
    return with_gradient_sink(backend, child, targets, run);
  }
}

/// Operand `I` of `Fn` as memory where the backward pass reads it; where it does not, its sizes alone.
template <class Fn, std::size_t I, class Backend, class Child>
constexpr auto hold_read_operand(Backend& backend, const Child& child) {
  if constexpr (gather<Fn>::template reads_operands<I>) {
    return hold_operand<Fn, I>(backend, child);
  } else {
    const view<const typename Child::value_type, typename Child::extents_type> sizes(nullptr, child.extents());
    return held<std::remove_const_t<decltype(sizes)>, pack<>>{{}, sizes};
  }
}
template <class Backend, class Fn, class Precision, class... Children, std::size_t... I>
constexpr auto hold_read_operands(Backend& backend, const bound<Fn, Precision, Children...>& source,
                                  std::index_sequence<I...>) {
  return move_to_pack(hold_read_operand<Fn, I>(backend, get<I>(source.children))...);
}

/// The sweep through one gathering operation: the gradients of its operands.
template <class Backend, class Fn, class Precision, class... Children, class G, class Saved, class Targets>
MEZZO_OUTLINE constexpr tally reverse_gather(Backend& backend, const bound<Fn, Precision, Children...>& source,
                                             const G* g, const Saved& saved, const Targets& targets) {
  const auto operands = hold_read_operands(backend, source, std::index_sequence_for<Children...>{});
  if constexpr (requires { requires gather<Fn>::joint; }) {
    const auto values = apply_pack([](const auto&... operand) { return make_pack(operand.values...); }, operands);
    return with_gradient_sinks(backend, source.children, targets, [&](const auto&... sinks) {
      return gather<Fn>::template backward_all<Precision>(backend, g, values, sinks...);
    });
  } else {
    const auto result = slot_values<gather<Fn>::reads_result>(backend, source, saved);
    const auto* y = [&] {
      if constexpr (gather<Fn>::reads_result)
        return result.values.data();
      else
        return static_cast<const no_sink*>(nullptr);
    }();
    tally sum;
    for_each_index<sizeof...(Children)>([&](auto i) {
      constexpr std::size_t I = decltype(i)::value;
      sum += reverse_operand<I, false, Fn, Precision>(backend, get<I>(source.children), g, y, targets, operands);
    });
    return sum;
  }
}

/// The sweep through a transpose or reshape.
template <class Backend, class Source, class G, class Targets>
constexpr tally reverse_rearranged(Backend& backend, const Source& source, const G* g, const Targets& targets) {
  const auto& child = get<0>(source.children);
  const known_result<no_sink> unknown{};
  if constexpr (std::same_as<typename Source::function, transpose_fn>) {
    const auto sizes = child.extents();
    using sizes_type = std::remove_const_t<decltype(sizes)>;
    const buffer<G> copy(backend.memory, sizes.size());
    const auto flipped = exchanged(view<const G, typename Source::extents_type>(g, source.extents()));
    mezzo::store_value(backend, leaf<std::remove_const_t<decltype(flipped)>>{flipped}, sizes_type(sizes), copy.data());
    return mezzo::reverse(backend, child, static_cast<const G*>(copy.data()), unknown, nothing_saved{}, targets);
  } else {
    return mezzo::reverse(backend, child, g, unknown, nothing_saved{}, targets);
  }
}

/// The sweep below a slot whose gradient stands in scratch.
template <class Backend, class Source, class Scratch, class Saved, class Targets>
constexpr tally reverse_source(Backend& backend, const Source& source, const Scratch& scratch, const Saved& saved,
                               const Targets& targets) {
  if constexpr (!is_bound<Source> || !Targets::template wanted<Source>) {
    return {};
  } else {
    using T = gradient_t<Source>;
    const T* const g = scratch.data();
    if constexpr (gathered<Source>)
      return reverse_gather(backend, source, g, saved, targets);
    else
      return mezzo::reverse(backend, source, g, known_result<no_sink>{}, nothing_saved{}, targets);
  }
}

/// `saved` where slot `I` is the fused one, else nothing.
template <bool Fused, class Saved>
constexpr auto saved_for(const Saved& saved) {
  if constexpr (Fused && !std::same_as<Saved, nothing_saved>)
    return saved;
  else
    return nothing_saved{};
}

template <class Backend, class Bound, class G, class Known, class Saved, class Targets>
MEZZO_OUTLINE constexpr tally reverse_region(Backend& backend, const Bound& expression, const G* g,
                                             const known_result<Known>& known, const Saved& saved,
                                             const Targets& targets) {
  using region = region_t<Bound>;
  using result = typename Bound::extents_type;
  const auto sources = slot_sources(expression);
  using source_types = std::remove_const_t<decltype(sources)>;
  constexpr std::size_t fused_at = fused<result, source_types>::slot;
  constexpr bool is_known = !std::same_as<Known, no_sink>;
  const result sizes = expression.extents();

  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto scratch = move_to_pack(gradient_scratch<Targets>(backend, get<I>(sources))...);
    tally sum;
    {
      const auto values = move_to_pack(
          slot_values<sweep_reads<region, I, is_known>>(backend, get<I>(sources), saved_for<I == fused_at>(saved))...);
      const auto gradients = move_to_pack(start_slot<sharing<region, result, Targets, source_types, I>, I>(
          backend, sources, sizes, targets, scratch)...);
      with_inner_steps<result::rank()>(
          [&](auto... lanes) {
            const loop_shape loop = merge_axes(sizes, lanes...);
            const auto rows = make_pack(lanes...);
            const auto sinks = make_pack(get<I>(gradients).lane()...);
            const pointwise_sweep<region, G, Known, std::remove_const_t<decltype(rows)>,
                                  std::remove_const_t<decltype(sinks)>>
                sweep{loop, rows, known, g, sinks};
            sum += backend.run(
                pointwise_kernel<std::remove_const_t<decltype(sweep)>, true>{sweep, sizes.size()});
          },
          sweep_lane(sizes, get<I>(values).values)...);
      ((sum += get<I>(gradients).finish(backend, get<I>(sources), sizes)), ...);
    }
    ((sum += reverse_source(backend, get<I>(sources), get<I>(scratch), saved_for<I == fused_at>(saved), targets)), ...);
    return sum;
  }(std::make_index_sequence<source_types::size>{});
}

}  // namespace detail

template <class Backend, class Bound, class G, class Known, class Saved, class Targets>
constexpr tally reverse(Backend& backend, const Bound& expression, const G* g, const known_result<Known>& known,
                        const Saved& saved, const Targets& targets) {
  if constexpr (!Targets::template wanted<Bound>)
    return {};
  else if constexpr (detail::gathered<Bound> && !std::same_as<Known, no_sink>)
    return detail::reverse_gather(backend, expression, g, saved_value<Known, false>{known.data}, targets);
  else if constexpr (detail::gathered<Bound>)
    return detail::reverse_gather(backend, expression, g, saved, targets);
  else if constexpr (detail::rearranged<Bound>)
    return detail::reverse_rearranged(backend, expression, g, targets);
  else
    return detail::reverse_region(backend, expression, g, known, saved, targets);
}

}  // namespace mezzo::inline MEZZO_ABI
