// SPDX-License-Identifier: MIT
//
// Forward evaluation. The region at the root of an expression becomes one loop. One of the gathering operations under
// it computes straight into that loop, which is then its epilogue; the others, and operands that are not memory yet,
// are evaluated into scratch first.
#pragma once

#include <mezzo/backend/pointwise_loop.hpp>
#include <mezzo/store/gather_attention.hpp>
#include <mezzo/store/gather_convolution.hpp>
#include <mezzo/store/gather_normalize.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

inline constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

/// Whether types allow that two sizes are one.
constexpr bool may_be_equal(std::size_t a, std::size_t b) {
  if (a == plural_extent) return b != 1;
  if (b == plural_extent) return a != 1;
  return a == b || a == dynamic_extent || b == dynamic_extent;
}

template <class A, class B>
constexpr bool same_static_sizes() {
  if constexpr (A::rank() != B::rank()) {
    return false;
  } else {
    for (std::size_t r = 0; r < A::rank(); ++r)
      if (!may_be_equal(A::static_extent(r), B::static_extent(r))) return false;
    return true;
  }
}

template <class Result, class Sources>
struct fused;
/// Index of the slot whose operation ends in the loop over `Result`: the first that has its sizes.
template <class Result, class... Sources>
struct fused<Result, pack<Sources...>> {
  static constexpr std::size_t slot = [] {
    constexpr bool fits[] = {
        (gathered<Sources> && same_static_sizes<typename Sources::extents_type, Result>())..., false};
    for (std::size_t i = 0; i < sizeof...(Sources); ++i)
      if (fits[i]) return i;
    return no_slot;
  }();
};

template <class... Ts>
constexpr pack<Ts...> move_to_pack(Ts&&... values) {
  return pack<Ts...>{{{std::move(values)}...}};
}

/// An operand in the order of memory that `Fn` reads.
template <class Fn, std::size_t I, class Backend, class Child>
constexpr auto hold_operand(Backend& backend, const Child& child) {
  auto plain = mezzo::hold(backend, child);
  using seen = decltype(plain.values);
  if constexpr (gather<Fn>::template reads_transposed<I> || std::same_as<Child, scalar>) {
    return plain;
  } else if constexpr (std::same_as<typename seen::layout_type, layout_right>) {
    return plain;
  } else {
    using value_type = typename seen::value_type;
    buffer<value_type> copy(backend.memory, plain.values.size());
    mezzo::store_value(backend, leaf<seen>{plain.values}, plain.values.extents(), copy.data());
    const view<const value_type, typename seen::extents_type> row_major(copy.data(), plain.values.extents());
    return held<std::remove_const_t<decltype(row_major)>, buffer<value_type>>{std::move(copy), row_major};
  }
}

/// All operands of a gathering operation as memory.
template <class Backend, class Fn, class Precision, class... Children>
constexpr auto hold_operands(Backend& backend, const bound<Fn, Precision, Children...>& source) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return move_to_pack(hold_operand<Fn, I>(backend, get<I>(source.children))...);
  }(std::index_sequence_for<Children...>{});
}

}  // namespace detail

/// Runs the forward kernel of a gathering operation into `sink`.
template <class Backend, class Fn, class Precision, class... Children, class Sink>
constexpr void run_gather(Backend& backend, const bound<Fn, Precision, Children...>& source, const Sink& sink) {
  const auto operands = detail::hold_operands(backend, source);
  static_cast<void>(apply_pack(
      [&](const auto&... operand) {
        return gather<Fn>::template forward<Precision>(backend, sink, operand.values...);
      },
      operands));
}

namespace detail {

/// A source as memory, unless it is the one that computes into the loop.
template <bool Fused, class Backend, class Source>
constexpr auto hold_unless(Backend& backend, const Source& source) {
  if constexpr (Fused)
    return held<pack<>, pack<>>{};
  else
    return mezzo::hold(backend, source);
}

template <bool Fused, class Source, class Extents, class Held>
constexpr auto store_lane(const Extents& sizes, const Held& memory) {
  if constexpr (Fused)
    return accumulator_lane<typename Source::precision::compute, typename Source::value_type>{};
  else
    return lane_over(sizes, memory.values);
}

}  // namespace detail

namespace detail {

/// Whether the result of a gathering operation is rounded once on its way to elements of type `T`.
template <class Bound, class T>
inline constexpr bool stored_as_it_is = false;
template <class Fn, class P, class... Children, class T>
  requires(Fn::kind == fn_kind::gather)
inline constexpr bool stored_as_it_is<bound<Fn, P, Children...>, T> =
    std::same_as<typename P::output, T> || std::same_as<typename P::output, typename P::compute>;

/// Runs the operation in whose sink a loop over `sizes` ends.
template <class Backend, class Source, class Extents, class Sink>
constexpr void run_into(Backend& backend, const Source& source, const Extents& sizes, const Sink& sink) {
  if (!(source.extents() == sizes))
    fail(sentence(
        "mezzo::into: the result of a product or reduction repeats only along axes that its type fixes at 1; "
        "given one whose dynamic size is 1; store it first, then combine"));
  run_gather(backend, source, sink);
}

}  // namespace detail

template <class Backend, class Bound, class Extents, class T, class Kept>
MEZZO_OUTLINE constexpr void store_value(Backend& backend, const Bound& expression, const Extents& sizes, T* out,
                                         const Kept& kept) {
  const auto sources = slot_sources(expression);
  using source_types = std::remove_const_t<decltype(sources)>;
  constexpr std::size_t fused = detail::fused<Extents, source_types>::slot;
  if (sizes.size() == 0) return;

  if constexpr (fused != detail::no_slot && detail::stored_as_it_is<Bound, T> && std::same_as<Kept, kept_nowhere>) {
    detail::run_into(backend, expression, sizes, store_sink<T>{out, inspection::nothing});
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto memory = detail::move_to_pack(detail::hold_unless<I == fused>(backend, get<I>(sources))...);
      with_inner_steps<Extents::rank()>(
          [&](auto... lanes) {
            const loop_shape loop = merge_axes(sizes, lanes...);
            const pointwise_store<region_t<Bound>, T, Kept, decltype(lanes)...> store{loop, make_pack(lanes...), out,
                                                                                      kept};
            if constexpr (fused == detail::no_slot)
              static_cast<void>(
                  backend.run(pointwise_kernel<std::remove_const_t<decltype(store)>, false>{store, sizes.size()}));
            else
              detail::run_into(backend, get<fused>(sources), sizes, store);
          },
          detail::store_lane<I == fused, pack_element_t<I, source_types>>(sizes, get<I>(memory))...);
    }(std::make_index_sequence<source_types::size>{});
  }
}

}  // namespace mezzo::inline MEZZO_ABI
