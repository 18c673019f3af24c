// SPDX-License-Identifier: MIT
//
// Sums and means, over everything or along one axis, accumulated in float32 or wider whatever the storage.
#pragma once

#include <mezzo/expr/node.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Every axis.
inline constexpr int all_axes = 0x7fffffff;

namespace detail {

/// Axis `Axis` of `Rank`, negative from the end.
template <int Axis, std::size_t Rank>
constexpr std::size_t axis_index() {
  static_assert(
      Axis < static_cast<int>(Rank) && Axis >= -static_cast<int>(Rank),
      "mezzo::axis: an axis must lie in [-rank, rank); given one outside; count from 0, or from -1 at the end");
  return static_cast<std::size_t>(Axis < 0 ? Axis + static_cast<int>(Rank) : Axis);
}

template <std::size_t Axis, class Extents>
constexpr auto without_axis(const Extents& sizes) {
  return [&]<std::size_t... R>(std::index_sequence<R...>) {
    using result = shape<Extents::static_extent(R < Axis ? R : R + 1)...>;
    if constexpr (sizeof...(R) == 0)
      return result{};
    else
      return result(sizes.extent(R < Axis ? R : R + 1)...);
  }(std::make_index_sequence<Extents::rank() - 1>{});
}

/// The axes before, at and after a reduced one as three numbers.
struct axis_split {
  std::size_t outer = 1;
  std::size_t length = 1;
  std::size_t inner = 1;
};

template <int Axis, class Extents>
constexpr axis_split split_at(const Extents& sizes) {
  axis_split split;
  if constexpr (Axis == all_axes) {
    split.length = sizes.size();
  } else {
    constexpr std::size_t axis = axis_index<Axis, Extents::rank()>();
    for (std::size_t r = 0; r < axis; ++r) split.outer *= sizes.extent(r);
    split.length = sizes.extent(axis);
    for (std::size_t r = axis + 1; r < Extents::rank(); ++r) split.inner *= sizes.extent(r);
  }
  return split;
}

}  // namespace detail

/// Sum, or mean, over axis `Axis`, which disappears.
template <class Tag, int Axis, bool Mean>
struct reduce_fn {
  using tag = Tag;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr int axis = Axis;
  static constexpr bool mean = Mean;

  template <class X>
  static constexpr auto extents(const X& x) {
    if constexpr (Axis == all_axes)
      return shape<>{};
    else
      return detail::without_axis<detail::axis_index<Axis, X::rank()>()>(x);
  }
};

/// Sum over axis `Axis`, negative from the end, or over all.
template <int Axis = all_axes, class X>
  requires operands<X>
[[nodiscard]] constexpr auto sum(X&& x) {
  return make_node<reduce_fn<op::sum, Axis, false>>(std::forward<X>(x));
}

/// Mean over axis `Axis`, negative from the end, or over all.
template <int Axis = all_axes, class X>
  requires operands<X>
[[nodiscard]] constexpr auto mean(X&& x) {
  return make_node<reduce_fn<op::mean, Axis, true>>(std::forward<X>(x));
}

}  // namespace mezzo::inline MEZZO_ABI
