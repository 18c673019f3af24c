// SPDX-License-Identifier: MIT
//
// Operands as memory. A tensor is memory already; a transposed or reshaped one is the same memory under other indices;
// anything else is evaluated into scratch that lives as long as what holds it.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/pointwise_loop.hpp>
#include <mezzo/expr/rearrange.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Evaluates `expression` into `out`, row-major, with the sizes `sizes`, and keeps a part of it if asked to; defined in
/// evaluate.hpp.
template <class Backend, class Bound, class Extents, class T, class Kept = kept_nowhere>
constexpr void store_value(Backend& backend, const Bound& expression, const Extents& sizes, T* out,
                           const Kept& kept = {});

namespace detail {

template <class T>
concept rearranged = is_bound<T> && requires { requires T::function::kind == fn_kind::rearrange; };
template <class T>
concept gathered = is_bound<T> && requires { requires T::function::kind == fn_kind::gather; };

/// A view with its last two axes exchanged.
template <class View>
constexpr auto exchanged(const View& v) {
  const auto sizes = transpose_fn::extents(v.extents());
  using extents_type = std::remove_const_t<decltype(sizes)>;
  constexpr std::size_t rank = extents_type::rank();
  std::ptrdiff_t strides[rank];
  for (std::size_t r = 0; r < rank; ++r) strides[r] = v.stride(r + 2 < rank ? r : 2 * rank - 3 - r);
  return view<typename View::element_type, extents_type, layout_stride>(
      v.data(), layout_stride::mapping<extents_type>(sizes, strides));
}
template <class T, class Extents>
constexpr auto rearrange(const transpose_fn&, const view<T, Extents>& v) {
  return exchanged(v);
}
template <class T, class Extents>
  requires(Extents::rank() == 2)
constexpr auto rearrange(const transpose_fn&, const view<T, Extents>& v) {
  return view<T, decltype(transpose_fn::extents(v.extents())), layout_left>(v.data(),
                                                                            transpose_fn::extents(v.extents()));
}
template <class T, class Extents>
constexpr auto rearrange(const transpose_fn&, const view<T, Extents, layout_left>& v) {
  return view<T, decltype(transpose_fn::extents(v.extents()))>(v.data(), transpose_fn::extents(v.extents()));
}
template <class T, class Extents>
constexpr auto rearrange(const transpose_fn&, const view<T, Extents, layout_stride>& v) {
  return exchanged(v);
}

}  // namespace detail

/// Values of an operand, seen through `values`.
template <class Operand, class Memory>
struct held {
  Memory memory;
  Operand values;
};

/// The memory of a tensor, of a rearranged tensor, or of an expression evaluated into scratch.
template <class Backend, class Source>
[[nodiscard]] constexpr auto hold(Backend& backend, const Source& source) {
  if constexpr (detail::is_leaf<Source>) {
    return held<decltype(source.source), pack<>>{{}, source.source};
  } else if constexpr (std::same_as<Source, scalar>) {
    return held<weak_value, pack<>>{{}, {source.as_float, source.as_double}};
  } else if constexpr (detail::rearranged<Source>) {
    using fn = typename Source::function;
    const auto& child = get<0>(source.children);
    auto inner = mezzo::hold(backend, child);
    using inner_view = decltype(inner.values);
    using T = typename inner_view::element_type;
    if constexpr (std::same_as<fn, transpose_fn>) {
      const auto seen = detail::rearrange(fn{}, inner.values);
      return held<std::remove_const_t<decltype(seen)>, decltype(inner)>{std::move(inner), seen};
    } else if constexpr (std::same_as<typename inner_view::layout_type, layout_right>) {
      const view<T, typename Source::extents_type> seen(inner.values.data(), source.extents());
      return held<std::remove_const_t<decltype(seen)>, decltype(inner)>{std::move(inner), seen};
    } else {
      // A reshape counts elements in row-major order, so another order is written out first.
      using value_type = typename Source::value_type;
      const auto sizes = child.extents();
      buffer<value_type> copy(backend.memory, sizes.size());
      const leaf<inner_view> from{inner.values};
      store_value(backend, from, sizes, copy.data());
      const view<const value_type, typename Source::extents_type> seen(copy.data(), source.extents());
      return held<std::remove_const_t<decltype(seen)>, buffer<value_type>>{std::move(copy), seen};
    }
  } else {
    using value_type = typename Source::value_type;
    const auto sizes = source.extents();
    buffer<value_type> values(backend.memory, sizes.size());
    store_value(backend, source, sizes, values.data());
    const view<const value_type, typename Source::extents_type> seen(values.data(), sizes);
    return held<std::remove_const_t<decltype(seen)>, buffer<value_type>>{std::move(values), seen};
  }
}

/// A lane over a held operand, within a result of sizes `Result`.
template <class Result, class T, class Extents, class Layout>
[[nodiscard]] constexpr auto lane_over(const Result&, const view<T, Extents, Layout>& values) {
  lane<std::remove_const_t<T>, detail::inner_step_of<Extents, Layout, Result>()> result{values.data()};
  detail::set_strides(result.strides, values, Result::rank());
  return result;
}
template <class Result>
[[nodiscard]] constexpr number_lane lane_over(const Result&, const weak_value& number) {
  return {number};
}

namespace detail {

template <class Lane>
inline constexpr bool steps_at_run_time = false;
template <class T>
inline constexpr bool steps_at_run_time<lane<T, inner_step::any>> = true;

template <class Lane>
constexpr bool steps_by_one(const Lane& l, std::size_t axis) {
  return !steps_at_run_time<Lane> || l.strides[axis] == 1;
}
template <class Lane>
constexpr auto as_unit(const Lane& l) {
  return l;
}
template <class T>
constexpr auto as_unit(const lane<T, inner_step::any>& l) {
  lane<T, inner_step::unit> result{l.data};
  for (std::size_t r = 0; r < max_rank; ++r) result.strides[r] = l.strides[r];
  return result;
}

}  // namespace detail

/// Calls `f(lanes...)`. Lanes whose inner step is known only now are taken as unit steps where all of them are: that
/// loop is the quick one.
template <std::size_t Rank, class F, class... Lanes>
constexpr void with_inner_steps(const F& f, const Lanes&... lanes) {
  if constexpr ((detail::steps_at_run_time<Lanes> || ...)) {
    if ((detail::steps_by_one(lanes, Rank - 1) && ...)) {
      f(detail::as_unit(lanes)...);
      return;
    }
  }
  f(lanes...);
}

}  // namespace mezzo::inline MEZZO_ABI
