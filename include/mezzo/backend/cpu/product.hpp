// SPDX-License-Identifier: MIT
//
// Matrix product in blocks (Goto & van de Geijn 2008, doi:10.1145/1356052.1356053): panels of both operands are packed
// in the order in which a small kernel reads them, and the kernel keeps its tile of the result in registers. The tile
// is handed to the epilogue while it is in the first-level cache. Sums over k run in one fixed order for every number
// of threads.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/cpu/isa.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Vector bytes and tile of one instruction set; enough sums in flight to hide the latency of a multiply-add.
template <isa Isa>
struct product_tile;
template <>
struct product_tile<isa::baseline> {
  static constexpr std::size_t bytes = 16, rows = 4, vectors = 2;
};
template <>
struct product_tile<isa::avx2> {
  static constexpr std::size_t bytes = 32, rows = 6, vectors = 2;
};
template <>
struct product_tile<isa::avx512> {
  static constexpr std::size_t bytes = 64, rows = 12, vectors = 2;
};

template <isa Isa, class A>
inline constexpr std::size_t tile_columns = product_tile<Isa>::vectors * product_tile<Isa>::bytes / sizeof(A);

inline constexpr std::size_t block_rows = 96;      // of the result: a multiple of every tile's rows
inline constexpr std::size_t block_columns = 128;  // of the result: a multiple of every tile's columns
inline constexpr std::size_t block_depth = 256;    // of k

/// Packs rows [i, i + count) and columns [k, k + depth) of `a` into panels of one tile's rows (or, for the right
/// operand transposed, columns), k outermost in each.
template <class Operand>
struct pack_panels {
  using A = typename Operand::A;

  Operand a;
  std::size_t panel;  // rows of one
  std::size_t i, count, k, depth;
  A* out;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    A* to = out;
    for (std::size_t first = 0; first < count; first += panel, to += panel * depth) {
      const std::size_t height = count - first < panel ? count - first : panel;
      if (a.rows_run()) {
        // A row is read, and rounded, as one run, and then dealt out.
        A row[block_depth];
        for (std::size_t r = 0; r < height; ++r) {
          a.row_run(i + first + r, k, depth, row);
          for (std::size_t d = 0; d < depth; ++d) to[d * panel + r] = row[d];
        }
      } else {
        const auto columns = transposed(a);
        for (std::size_t d = 0; d < depth; ++d) columns.row_run(k + d, i + first, height, to + d * panel);
      }
      for (std::size_t r = height; r < panel; ++r)
        for (std::size_t d = 0; d < depth; ++d) to[d * panel + r] = A(0);
    }
  }
};

/// Rows and columns of the tile of `level` for sums of type `A`.
template <class A>
struct tile_size {
  std::size_t rows, columns;

  explicit tile_size(isa level) {
    rows = level == isa::avx512 ? product_tile<isa::avx512>::rows
           : level == isa::avx2 ? product_tile<isa::avx2>::rows
                                : product_tile<isa::baseline>::rows;
    columns = level == isa::avx512 ? tile_columns<isa::avx512, A>
              : level == isa::avx2 ? tile_columns<isa::avx2, A>
                                   : tile_columns<isa::baseline, A>;
  }
};

/// c (Rows × Vectors·bytes, row stride `block_columns`) += a panel · b panel over `depth` terms.
template <isa Isa, class A>
MEZZO_INLINE void multiply_tile(const A* a, const A* b, std::size_t depth, A* c) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  using tile = product_tile<Isa>;
#if defined(__GNUC__) || defined(__clang__)
  constexpr std::size_t width = tile::bytes / sizeof(A);
  typedef A vector __attribute__((vector_size(tile::bytes)));
  typedef A unaligned __attribute__((vector_size(tile::bytes), aligned(alignof(A)), may_alias));
  vector sum[tile::rows][tile::vectors];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < tile::rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < tile::vectors; ++v) sum[r][v] = vector{};
  for (std::size_t k = 0; k < depth; ++k) {
    vector right[tile::vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < tile::vectors; ++v) right[v] = *reinterpret_cast<const unaligned*>(b + v * width);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < tile::rows; ++r) {
      const A left = a[r];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < tile::vectors; ++v) sum[r][v] += left * right[v];
    }
    a += tile::rows;
    b += tile::vectors * width;
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < tile::rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < tile::vectors; ++v)
      *reinterpret_cast<unaligned*>(c + r * block_columns + v * width) += sum[r][v];
#else
  constexpr std::size_t width = tile::vectors * tile::bytes / sizeof(A);
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t r = 0; r < tile::rows; ++r)
      for (std::size_t j = 0; j < width; ++j) c[r * block_columns + j] += a[k * tile::rows + r] * b[k * width + j];
#endif
}

/// c += packed a · packed b, tile by tile.
template <class A>
struct multiply_panels {
  static constexpr bool worth_wide = true;

  const A* a;
  const A* b;
  A* c;
  std::size_t rows, columns, depth;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    constexpr std::size_t height = product_tile<Isa>::rows;
    constexpr std::size_t width = tile_columns<Isa, A>;
    for (std::size_t y = 0; y < columns; y += width)
      for (std::size_t x = 0; x < rows; x += height)
        multiply_tile<Isa>(a + x * depth, b + y * depth, depth, c + x * block_columns + y);
  }
};

/// Hands the rows of a finished block to the sink.
template <class A, class Sink>
struct deliver_block {
  const Sink& sink;
  const A* c;
  std::size_t i, rows, j, columns;
  tally* sum;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t r = 0; r < rows; ++r) sink.tile_row(i + r, j, columns, c + r * block_columns, *sum);
  }
};

}  // namespace detail

/// One task: a block of the result over all of k. Packing, multiplying and delivering are compiled apart, each once for
/// all products that share it.
template <class Left, class Right, class Sink>
struct product_kernel {
  using A = typename Left::A;
  using scratch = A;
  static constexpr bool inspects = true;

  Left left;
  Right right;
  product_shape shape;
  Sink sink;

  [[nodiscard]] std::size_t row_blocks() const { return (shape.m + detail::block_rows - 1) / detail::block_rows; }
  [[nodiscard]] std::size_t column_blocks() const {
    return (shape.n + detail::block_columns - 1) / detail::block_columns;
  }
  [[nodiscard]] std::size_t tasks() const { return row_blocks() * column_blocks(); }
  [[nodiscard]] std::size_t scratch_size() const {
    return detail::block_depth * (detail::block_rows + detail::block_columns) +
           detail::block_rows * detail::block_columns;
  }

  void run_with(isa level, std::size_t task, A* memory, tally& sum) const {
    const std::size_t i = task % row_blocks() * detail::block_rows;
    const std::size_t j = task / row_blocks() * detail::block_columns;
    const std::size_t rows = shape.m - i < detail::block_rows ? shape.m - i : detail::block_rows;
    const std::size_t columns = shape.n - j < detail::block_columns ? shape.n - j : detail::block_columns;
    A* const a = memory;
    A* const b = a + detail::block_depth * detail::block_rows;
    A* const c = b + detail::block_depth * detail::block_columns;
    using from_right = decltype(transposed(right));
    const detail::tile_size<A> tile(level);
    const std::size_t high = (rows + tile.rows - 1) / tile.rows * tile.rows;
    const std::size_t wide = (columns + tile.columns - 1) / tile.columns * tile.columns;
    for (std::size_t r = 0; r < high; ++r)
      for (std::size_t q = 0; q < wide; ++q) c[r * detail::block_columns + q] = A(0);
    for (std::size_t k = 0; k < shape.k; k += detail::block_depth) {
      const std::size_t depth = shape.k - k < detail::block_depth ? shape.k - k : detail::block_depth;
      detail::call_with(level, detail::pack_panels<Left>{left, tile.rows, i, rows, k, depth, a});
      detail::call_with(level,
                        detail::pack_panels<from_right>{transposed(right), tile.columns, j, columns, k, depth, b});
      detail::call_with(level, detail::multiply_panels<A>{a, b, c, rows, columns, depth});
    }
    detail::call_with(level, detail::deliver_block<A, Sink>{sink, c, i, rows, j, columns, &sum});
  }
};

}  // namespace mezzo::inline MEZZO_ABI
