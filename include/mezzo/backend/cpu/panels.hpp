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
/// `first` and `second` one behind the other.
template <class Half, class V, std::size_t... Lane>
MEZZO_INLINE void join_halves(V& out, const Half& first, const Half& second, std::index_sequence<Lane...>) {
  out = __builtin_shufflevector(first, second, Lane...);
}
/// Lanes of `x` and of `y` in turn, `Run` at a time, into both: out of the first and out of the second halves of blocks
/// of `Block` lanes. What stays within 16 bytes takes one quick instruction.
template <std::size_t Run, std::size_t Block, class V, std::size_t... Lane>
MEZZO_INLINE void deal_lanes(V& x, V& y, std::index_sequence<Lane...>) {
  constexpr std::size_t width = sizeof...(Lane);
  const V first = __builtin_shufflevector(
      x, y, (Lane / Block * Block + Lane % Block / (2 * Run) * Run + Lane % Run + Lane / Run % 2 * width)...);
  const V second = __builtin_shufflevector(x, y, (Lane / Block * Block + Block / 2 + Lane % Block / (2 * Run) * Run +
                                                  Lane % Run + Lane / Run % 2 * width)...);
  x = first;
  y = second;
}
/// Rows r and r + Width of a square, `Width` lanes of either, lie in `rows[r]`: makes them the columns, the first in
/// `rows[0]`. What crosses 16 bytes is slow: loading by halves has spared one of two steps that do.
template <class V, std::size_t Width>
MEZZO_INLINE void turn_half(V (&rows)[Width]) {
  using twice = typename vector_of<std::uint64_t, sizeof(V)>::type;
  twice columns[Width];  // pairs of lanes; of 4 × 4 lanes, the first two columns before the others
#pragma GCC unroll 2
  for (std::size_t r = 0; r < Width; r += 4) {
    using lanes = std::make_index_sequence<2 * Width>;
    deal_lanes<1, 4>(rows[r], rows[r + 1], lanes{});
    deal_lanes<1, 4>(rows[r + 2], rows[r + 3], lanes{});
#pragma GCC unroll 2
    for (std::size_t c = 0; c < 2; ++c) {
      columns[r + 2 * c] = reinterpret_cast<twice>(rows[r + c]);
      columns[r + 2 * c + 1] = reinterpret_cast<twice>(rows[r + 2 + c]);
      deal_lanes<1, 2>(columns[r + 2 * c], columns[r + 2 * c + 1], std::make_index_sequence<Width>{});
    }
  }
  if constexpr (Width == 8) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < 4; ++c)
      deal_lanes<2, 4>(columns[c], columns[c + 4], std::make_index_sequence<Width>{});
  }
#pragma GCC unroll 8
  for (std::size_t c = 0; c < Width; ++c) rows[c] = reinterpret_cast<V>(columns[c]);
}
#endif

/// Turns up to one vector of columns, each a row of `depth` units in memory, into lines of a panel; columns that fill
/// up the vector hold anything.
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
    if constexpr (Isa != isa::baseline && sizeof(U) == sizeof(std::uint32_t)) {
      using bits = vector_of<std::uint32_t, product_tile<Isa>::bytes>;
      using halves = vector_of<std::uint32_t, product_tile<Isa>::bytes / 2>;
      constexpr std::size_t half = side / 2;
      // Stores through `line` may change anything that is not a variable of its own.
      const U* const from = columns;
      const std::size_t all = depth, step = width;
      U* line = panel;
      std::size_t at[side];
      for (std::size_t r = 0; r < side; ++r) at[r] = (r < count ? r : 0) * stride;
      for (; k + half <= all; k += half) {
        typename bits::type rows[half];
#pragma GCC unroll 8
        for (std::size_t r = 0; r < half; ++r) {
          const typename halves::type first =
              *reinterpret_cast<const typename halves::unaligned*>(from + at[r] + k);
          const typename halves::type second =
              *reinterpret_cast<const typename halves::unaligned*>(from + at[r + half] + k);
          join_halves(rows[r], first, second, std::make_index_sequence<side>{});
        }
        turn_half(rows);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < half; ++r, line += step)
          *reinterpret_cast<typename bits::unaligned*>(line) = rows[r];
      }
    }
#endif
    for (; k < depth; ++k)
      for (std::size_t j = 0; j < side; ++j) panel[k * width + j] = columns[(j < count ? j : 0) * stride + k];
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
