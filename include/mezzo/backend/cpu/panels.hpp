// SPDX-License-Identifier: MIT
//
// How operands of a product are arranged for the tile: the left one in rows or in columns, as it lies, the right one in
// panels of a tile's columns. Arranging knows nothing of the operand: it starts from rows of elements, which are those
// of a matrix in memory or have been fetched into scratch.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <utility>  // index_sequence

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Units made of elements at `row` and, for pairs, at `next`, a row below; null where there is none.
template <class U>
MEZZO_INLINE U join(const U* row, const U*, std::size_t i) {
  return row[i];
}
MEZZO_INLINE bfloat16_pair join(const bfloat16* row, const bfloat16* next, std::size_t i) {
  const std::uint32_t low = row[i].bits();
  return {next == nullptr ? low : low | static_cast<std::uint32_t>(next[i].bits()) << 16};
}

/// Columns of one panel of a tile for `U`.
template <isa Isa, class U>
inline constexpr std::size_t panel_columns = product_tile<Isa>::vectors * vector_units<Isa, U>;

/// Columns that the panel from column `j` on holds: of the last, one vector if that is enough.
template <isa Isa, class U>
MEZZO_INLINE std::size_t panel_width(std::size_t j, std::size_t columns) {
  return columns - j > vector_units<Isa, U> ? panel_columns<Isa, U> : vector_units<Isa, U>;
}

/// Deals rows of `columns` elements, each a term (or two a pair of terms), out to panels of `depth` units each; columns
/// that fill up the last panel hold anything.
template <class U>
struct deal_rows {
  using E = typename unit<U>::element;
  static constexpr bool worth_wide = true;

  const E* rows;
  std::size_t stride;
  std::size_t readable;  // elements of memory from `rows` on
  std::size_t terms;
  std::size_t columns;
  U* panels;
  std::size_t depth, first;  // units of a panel, and the first to write

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t t = 0, k = first; t < terms; t += unit<U>::terms, ++k) {
      const E* const row = rows + t * stride;
      const E* const next = unit<U>::terms == 2 && t + 1 < terms ? row + stride : nullptr;
      std::size_t j = 0;
      for (; j + panel_columns<Isa, U> <= columns; j += panel_columns<Isa, U>)
        one<panel_columns<Isa, U>>(row + j, next == nullptr ? next : next + j,
                                   panels + j * depth + k * panel_columns<Isa, U>);
      if (j == columns) continue;
      const std::size_t width = panel_width<Isa, U>(j, columns);
      U* const to = panels + j * depth + k * width;
      // Columns past the last are never looked at: they may hold what follows in memory, if something does.
      if ((t + unit<U>::terms - 1) * stride + j + width <= readable) {
        if (width == panel_columns<Isa, U>)
          one<panel_columns<Isa, U>>(row + j, next == nullptr ? next : next + j, to);
        else
          one<vector_units<Isa, U>>(row + j, next == nullptr ? next : next + j, to);
        continue;
      }
      for (std::size_t i = 0; i < width; ++i)
        to[i] = j + i < columns ? join(row + j, next == nullptr ? next : next + j, i) : U{};
    }
  }

 private:
  template <std::size_t Width>
  MEZZO_INLINE static void one(const E* row, const E* next, U* to) {
    if (next == nullptr) {
      MEZZO_INDEPENDENT
      for (std::size_t i = 0; i < Width; ++i) to[i] = join(row, static_cast<const E*>(nullptr), i);
    } else {
      MEZZO_INDEPENDENT
      for (std::size_t i = 0; i < Width; ++i) to[i] = join(row, next, i);
    }
  }
};

#if defined(__GNUC__) || defined(__clang__)
/// Exchanges rows and columns of a square of vectors by halves, quarters and so on: after the step of distance d, rows
/// and columns agree on the bit d of their numbers.
template <class V, std::size_t Distance, std::size_t... Lane>
MEZZO_INLINE void exchange(V& upper, V& lower, std::index_sequence<Lane...>) {
  // Lanes are counted through both vectors; those of `lower` come after the `width` of `upper`.
  constexpr std::size_t width = sizeof...(Lane);
  const V first = __builtin_shufflevector(upper, lower, ((Lane & Distance) == 0 ? Lane : width + Lane - Distance)...);
  const V second = __builtin_shufflevector(upper, lower, ((Lane & Distance) == 0 ? Lane + Distance : width + Lane)...);
  upper = first;
  lower = second;
}
template <std::size_t Distance, class V, std::size_t Width>
MEZZO_INLINE void transpose_square(V (&rows)[Width]) {
#pragma GCC unroll 16
  for (std::size_t r = 0; r < Width; ++r)
    if ((r & Distance) == 0) exchange<V, Distance>(rows[r], rows[r + Distance], std::make_index_sequence<Width>{});
  if constexpr (Distance * 2 < Width) transpose_square<Distance * 2>(rows);
}
#endif

/// Turns up to one vector of columns, each a row of `depth` units in memory, into lines of a panel.
template <class U>
struct turn_columns {
  static constexpr bool worth_wide = true;

  const U* columns;
  std::size_t stride;  // in units
  std::size_t count;
  std::size_t depth;
  U* panel;
  std::size_t width;  // of the panel

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    constexpr std::size_t side = vector_units<Isa, U>;
    std::size_t k = 0;
#if defined(__GNUC__) || defined(__clang__)
    if constexpr (sizeof(U) == sizeof(std::uint32_t)) {
      using bits = vector_of<std::uint32_t, product_tile<Isa>::bytes>;
      for (; k + side <= depth; k += side) {
          typename bits::type rows[side];
#pragma GCC unroll 16
          for (std::size_t r = 0; r < side; ++r)
            rows[r] = r < count ? *reinterpret_cast<const typename bits::unaligned*>(columns + r * stride + k)
                                : typename bits::type{};
          transpose_square<1>(rows);
#pragma GCC unroll 16
          for (std::size_t r = 0; r < side; ++r)
            *reinterpret_cast<typename bits::unaligned*>(panel + (k + r) * width) = rows[r];
      }
    }
#endif
    for (; k < depth; ++k)
      for (std::size_t j = 0; j < side; ++j) panel[k * width + j] = j < count ? columns[j * stride + k] : U{};
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
