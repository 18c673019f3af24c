// SPDX-License-Identifier: MIT
//
// The same values under other indices. A product reads a transposed operand in place; a reshaped row-major operand is
// the same memory.
#pragma once

#include <mezzo/expr/node.hpp>

namespace mezzo::inline MEZZO_ABI {

struct transpose_fn {
  using tag = op::transpose;
  static constexpr fn_kind kind = fn_kind::rearrange;

  template <class Extents>
  static constexpr auto extents(const Extents& sizes) {
    constexpr std::size_t rank = Extents::rank();
    static_assert(
        rank >= 2,
        "mezzo::transpose: the operand must have two axes to exchange; given fewer; reshape it to a matrix first");
    if constexpr (rank >= 2)
      return [&]<std::size_t... R>(std::index_sequence<R...>) {
        return shape<Extents::static_extent(R)..., Extents::static_extent(rank - 1), Extents::static_extent(rank - 2)>(
            sizes.extent(R)..., sizes.extent(rank - 1), sizes.extent(rank - 2));
      }(std::make_index_sequence<rank - 2>{});
  }
};

/// Row-major elements seen with sizes `Sizes`, one of which may be dynamic and is then what remains.
template <std::size_t... Sizes>
struct reshape_fn {
  using tag = op::reshape;
  static constexpr fn_kind kind = fn_kind::rearrange;
  static constexpr std::size_t unknown = (std::size_t{0} + ... + std::size_t{Sizes == dynamic_extent});
  static_assert(unknown <= 1,
                "mezzo::reshape: one size at most may be dynamic; given several; write the others as numbers");

  template <class Extents>
  static constexpr shape<Sizes...> extents(const Extents& sizes) {
    constexpr std::size_t known = (std::size_t{1} * ... * (Sizes == dynamic_extent ? std::size_t{1} : Sizes));
    static_assert(Extents::rank_dynamic() != 0 || (unknown == 0 ? known == Extents{}.size()
                                                                : known != 0 && Extents{}.size() % known == 0),
                  "mezzo::reshape: the number of elements must stay the same; given sizes that hold another number; "
                  "change a size");
    const std::size_t size = sizes.size();
    const std::size_t rest = known == 0 ? 0 : size / known;
    if (rest * known != size || (unknown == 0 && known != 0 && rest != 1))
      fail(sentence("mezzo::reshape: the number of elements must stay the same; given ")
           << size << " elements and sizes whose product divides into " << known << "; change a size");
    return shape<Sizes...>((Sizes == dynamic_extent ? rest : Sizes)...);
  }
};

/// All axes after the first as one.
struct flatten_fn {
  using tag = op::flatten;
  static constexpr fn_kind kind = fn_kind::rearrange;

  template <class Extents>
  static constexpr auto extents(const Extents& sizes) {
    static_assert(
        Extents::rank() >= 1,
        "mezzo::flatten_rows: the operand must have a first axis to keep; given a single number; reshape it first");
    constexpr std::size_t columns = [] {
      std::size_t product = 1;
      for (std::size_t r = 1; r < Extents::rank(); ++r) {
        const std::size_t size = Extents::static_extent(r);
        if (detail::given_later(product) || detail::given_later(size))
          product = product > size ? product : size;
        else
          product *= size;
      }
      return product;
    }();
    std::size_t width = 1;
    for (std::size_t r = 1; r < Extents::rank(); ++r) width *= sizes.extent(r);
    return shape<Extents::static_extent(0), columns>(sizes.extent(0), width);
  }
};

/// Rows as columns; of each of the matrices that are stacked along leading axes.
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto transpose(X&& x) {
  return make_node<transpose_fn>(std::forward<X>(x));
}

/// The elements of `x` in row-major order with sizes `Sizes`.
template <std::size_t... Sizes, class X>
  requires operands<X>
[[nodiscard]] constexpr auto reshape(X&& x) {
  return make_node<reshape_fn<Sizes...>>(std::forward<X>(x));
}

/// The elements of `x` as a matrix with as many rows as `x` has.
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto flatten_rows(X&& x) {
  return make_node<flatten_fn>(std::forward<X>(x));
}

}  // namespace mezzo::inline MEZZO_ABI
