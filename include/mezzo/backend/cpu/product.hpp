// SPDX-License-Identifier: MIT
//
// Matrix product in blocks (Goto & van de Geijn 2008, doi:10.1145/1356052.1356053): a block of the right operand is
// packed for the second-level cache and serves all rows, a block of the left one streams past it, and finished rows are
// handed to the epilogue while they are in cache. Sums over k run in one fixed order for every number of threads.
// Operands and sinks arrive without their types, so all of this is compiled once.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/cpu/operand_rows.hpp>
#include <mezzo/backend/cpu/panels.hpp>
#include <mezzo/backend/cpu/result_rows.hpp>
#include <mezzo/backend/cpu/row_products.hpp>
#include <mezzo/backend/cpu/shares.hpp>

#include <cstddef>  // size_t, byte

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// How a product is cut: the cuts follow from the sizes alone, never from threads.
struct product_blocks {
  // The left block is packed for the second-level cache, once for so many columns; panels of the right one, which need
  // not fit there, are asked for before they are used.
  static constexpr std::size_t most_columns = 1152;
  static constexpr std::size_t group = 8;  // blocks of rows that share a packed right block, if sums need scratch

  static constexpr std::size_t longer = 4;

  std::size_t rows, row_blocks, columns, column_blocks, depth, depth_blocks;  // depth in units

  /// Of products by tiles, or by rows, whose blocks are longer and lower; of those that pack nothing they are longer.
  product_blocks(const product_shape& shape, std::size_t terms, std::size_t panel, bool by_rows,
                 bool unpacked = false) {
    const auto cut = [](std::size_t size, std::size_t most, std::size_t multiple, std::size_t& blocks) {
      blocks = (size + most - 1) / most;
      if (blocks == 0) return std::size_t{0};
      return ((size + blocks - 1) / blocks + multiple - 1) / multiple * multiple;
    };
    rows = cut(shape.m, by_rows ? block_rows / longer : block_rows, 4, row_blocks);
    columns = cut(shape.n, most_columns, panel, column_blocks);
    const std::size_t most_depth = by_rows || unpacked ? block_depth * longer : block_depth;
    depth = cut((shape.k + terms - 1) / terms, most_depth, 1, depth_blocks);
    // Rounding up may have made the last blocks empty.
    if (rows != 0) row_blocks = (shape.m + rows - 1) / rows;
    if (columns != 0) column_blocks = (shape.n + columns - 1) / columns;
  }
  [[nodiscard]] std::size_t blocks() const { return row_blocks * column_blocks; }
};

/// One product over units `U` on one instruction set.
template <class U>
struct product_driver {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  static constexpr std::size_t terms = unit<U>::terms;
  static constexpr std::size_t short_row = 1024 / sizeof(U);  // several to a page: reading them in place costs little
  static constexpr std::size_t few_lines = 64;  // as many streams as a processor keeps apart, or little more
  static constexpr std::size_t fetched = 16;  // rows, or columns, that are fetched at once
  static constexpr std::size_t few_rows = 4;  // rows that are asked for while as many are copied

  operand_rows left, right;
  product_shape shape;
  result_rows<A> result;
  isa level;
  bool turned;  // whether the transposed result is computed, from the transposed operands
  std::size_t panel = level >= isa::avx512 ? panel_columns<isa::avx512, U>
                      : level == isa::avx2 ? panel_columns<isa::avx2, U>
                                           : panel_columns<isa::baseline, U>;
  // Terms lie side by side in both operands, and one of them has few rows.
  bool by_rows =
      terms == 1 && !left.transposed && right.transposed && shape.k >= 256 && (shape.m <= 16 || shape.n <= 16);
  // One panel of short rows, and rows that the tiles fit: nothing is packed but lines at the end.
  bool unpacked = terms == 1 && shape.n <= panel && shape.m % 4 == 0 && left.memory != nullptr && !left.transposed &&
                  right.memory != nullptr && !right.transposed && right.stride <= short_row;
  product_blocks cut{shape, terms, panel, by_rows, unpacked};

  /// Whether sums are added up where the result will be.
  [[nodiscard]] bool in_place() const { return result.memory != nullptr && !turned; }
  [[nodiscard]] std::size_t left_units() const { return block_rows * block_depth; }
  [[nodiscard]] std::size_t right_units() const { return slice() * cut.depth; }
  /// Columns of the right operand that are packed at once: what serves one block of rows only stays near. Fetching
  /// wants longer runs.
  [[nodiscard]] std::size_t slice() const {
    if (cut.row_blocks != 1 || by_rows) return cut.columns;
    return right.memory != nullptr ? panel : 4 * panel;
  }
  [[nodiscard]] std::size_t fetched_elements() const {
    const std::size_t in_rows = cut.columns > block_rows ? cut.columns : block_rows;
    return fetched * (in_rows > cut.depth * terms ? in_rows : cut.depth * terms);
  }
  [[nodiscard]] std::size_t scratch_sums() const {
    if (in_place()) return 0;
    const std::size_t blocks = cut.row_blocks < cut.group ? cut.row_blocks : cut.group;
    return (blocks + (turned ? 1 : 0)) * cut.rows * cut.columns;
  }
  /// Bytes of scratch for each thread.
  [[nodiscard]] std::size_t scratch() const {
    return whole_lines(left_units() * sizeof(U)) + whole_lines(right_units() * sizeof(U)) +
           whole_lines(fetched_elements() * sizeof(E)) + whole_lines(scratch_sums() * sizeof(A));
  }

  /// Computes blocks [first, last), numbered down the rows first.
  void run(std::size_t first, std::size_t last, std::byte* memory, tally* sums) const {
    U* const a = reinterpret_cast<U*>(memory);
    U* const b = reinterpret_cast<U*>(memory += whole_lines(left_units() * sizeof(U)));
    E* const some = reinterpret_cast<E*>(memory += whole_lines(right_units() * sizeof(U)));
    A* const scratch_c = reinterpret_cast<A*>(memory + whole_lines(fetched_elements() * sizeof(E)));
    while (first < last) {
      const std::size_t j = first / cut.row_blocks * cut.columns;
      const std::size_t columns = shape.n - j < cut.columns ? shape.n - j : cut.columns;
      const std::size_t block = first % cut.row_blocks;
      std::size_t count = cut.row_blocks - block < last - first ? cut.row_blocks - block : last - first;
      if (count > cut.group && !in_place()) count = cut.group;
      const std::size_t stride = in_place() ? result.stride : cut.columns;
      A* const c = in_place() ? result.memory + block * cut.rows * stride + j : scratch_c;
      for (std::size_t step = 0; step == 0 || step < cut.depth_blocks; ++step) {
        const std::size_t k = step * cut.depth * terms;
        const std::size_t depth = shape.k - k < cut.depth * terms ? shape.k - k : cut.depth * terms;
        block_of left_block{};
        for (std::size_t from = 0; from < columns; from += slice()) {
          const std::size_t wide = columns - from < slice() ? columns - from : slice();
          packing_lines<U> packing{};
          const block_of right_block = take_right(k, depth, j + from, wide, block * cut.rows, b, some, packing);
          for (std::size_t n = 0; n < count; ++n) {
            const std::size_t i = (block + n) * cut.rows;
            const std::size_t rows = shape.m - i < cut.rows ? shape.m - i : cut.rows;
            A* const to = c + n * cut.rows * stride;
            if (from == 0) left_block = take_left(i, rows, k, depth, columns, a, some);
            if (by_rows)
              call_contracted(level,
                              multiply_rows<A>{left_block.terms_of(), left_block.step, right_block.terms_of(),
                                               right_block.step, rows, wide, depth, step > 0, to + from, stride});
            else
              call_contracted(level, multiply_block<U>{left_block.from, !left.transposed, left_block.step,
                                                       right_block.from, right_block.step, rows, wide,
                                                       (depth + terms - 1) / terms, step > 0, to + from, stride,
                                                       nullptr, nullptr, n == 0 ? packing : packing_lines<U>{}});
            if (step + 1 < cut.depth_blocks || from + wide < columns) continue;
            tally sum;
            if (turned)
              deliver_turned_block(to, i, rows, j, columns, scratch_c + count * cut.rows * stride, &sum);
            else
              result.deliver(result.sink, level, to, stride, i, rows, j, columns, &sum);
            sums[first + n] = sum;
          }
        }
      }
      first += count;
    }
  }

 private:
  /// A block of an operand, ready to be multiplied, and the distance of its rows or lines.
  struct block_of {
    const U* from = nullptr;
    std::size_t step = 0;

    [[nodiscard]] const A* terms_of() const {
      if constexpr (std::same_as<U, A>)
        return from;
      else
        return nullptr;  // pairs are not multiplied by rows
    }
  };

  /// Delivers columns of `c` as rows, from the result's memory or from `out`.
  void deliver_turned_block(const A* c, std::size_t i, std::size_t rows, std::size_t j, std::size_t columns, A* out,
                            tally* sum) const {
    std::size_t stride = rows;
    if (result.memory != nullptr) {
      stride = result.stride;
      out = result.memory + j * stride + i;
    }
    for (std::size_t n = 0; n < columns; ++n)
      for (std::size_t r = 0; r < rows; ++r) out[n * stride + r] = c[r * cut.columns + n];
    result.deliver(result.sink, level, out, stride, j, columns, i, rows, sum);
  }

  block_of take_left(std::size_t i, std::size_t rows, std::size_t k, std::size_t depth, std::size_t columns, U* a,
                     E* some) const {
    if (by_rows) return whole_rows(left, i, rows, k, depth, a);
    if (left_in_place(i, rows, k, depth, columns)) {
      const std::size_t at = left.transposed ? k * left.stride + i : i * left.stride + k;
      return {reinterpret_cast<const U*>(static_cast<const E*>(left.memory) + at), left.stride / terms};
    }
    if (left.transposed && fetched_as_lines(left, rows)) {
      left.fetch(left.operand, level, k, depth, i, rows, a, rows);
      return {a, rows};
    }
    if (left.transposed && rows <= panel) {
      deal(left, shape.m, k, depth, i, rows, a, some);
      return {a, rows > panel / 2 ? panel : panel / 2};
    }
    pack_left(i, rows, k, depth, a, some);
    return {a, left.transposed ? block_rows : packed_rows::row};
  }
  block_of take_right(std::size_t k, std::size_t depth, std::size_t j, std::size_t columns, std::size_t i, U* b,
                      E* some, packing_lines<U>& packing) const {
    if (by_rows) return whole_rows(right, j, columns, k, depth, b);
    if (right_in_place(k, depth, j, columns))
      return {static_cast<const U*>(right.memory) + k * right.stride + j, right.stride};
    if (!right.transposed && fetched_as_lines(right, columns)) {
      right.fetch(right.operand, level, k, depth, j, columns, b, columns);
      return {b, columns};
    }
    std::size_t first = 0;
    if (packed_by_tiles(depth, shape.m - i < cut.rows ? shape.m - i : cut.rows)) {
      packing = {static_cast<const E*>(right.memory) + k * right.stride + j, right.stride, b};
      first = columns / panel * panel;
    }
    if (first < columns) pack_right(k, depth, j + first, columns - first, b + first * (depth / terms), some);
    return {b, 0};
  }
  block_of whole_rows(const operand_rows& operand, std::size_t row, std::size_t rows, std::size_t from,
                      std::size_t count, U* to) const {
    std::size_t stride = cut.depth;
    const E* const first = rows_in(operand, row, rows, from, count, reinterpret_cast<E*>(to), stride);
    return {reinterpret_cast<const U*>(first), stride};
  }

  /// Whether lines are multiplied as they are fetched, one behind another, because they fit a panel. What tiles read
  /// past the last is scratch.
  [[nodiscard]] bool fetched_as_lines(const operand_rows& operand, std::size_t columns) const {
    return terms == 1 && operand.memory == nullptr && columns <= panel;
  }

  /// Whether rows lie whole pages apart, so that they compete for the same few places of a cache.
  static bool crowded(const operand_rows& operand) { return operand.stride * sizeof(E) % 4096 == 0; }

  /// Whether a block is multiplied where it lies: packing costs more where rows do not compete, or are read once. Tiles
  /// read four rows at a time.
  [[nodiscard]] bool left_in_place(std::size_t i, std::size_t rows, std::size_t k, std::size_t depth,
                                   std::size_t columns) const {
    if (left.memory == nullptr || depth % terms != 0 || left.stride % terms != 0) return false;
    if (!left.transposed) return rows % 4 == 0 && (columns <= panel || !crowded(left));
    const std::size_t read = (depth - 1) * left.stride + (rows + 3) / 4 * 4;
    return terms == 1 && left.stride <= short_row && read <= (shape.k - k - 1) * left.stride + shape.m - i;
  }
  /// The same for a block that serves few rows. Whole vectors are read, so something must follow the last line.
  [[nodiscard]] bool right_in_place(std::size_t k, std::size_t depth, std::size_t j, std::size_t columns) const {
    const std::size_t vector = panel / 2;
    const std::size_t read = (depth - 1) * right.stride + (columns + vector - 1) / vector * vector;
    const std::size_t there = (shape.k - k - 1) * right.stride + shape.n - j;
    return terms == 1 && right.memory != nullptr && !right.transposed && cut.row_blocks <= 2 &&
           (right.stride <= short_row || shape.k <= few_lines) && read <= there;
  }

  /// Whether whole panels are packed by the first tiles that read them, instead of in advance: loads and stores that
  /// would take turns with the multiply-adds are hidden behind them.
  [[nodiscard]] bool packed_by_tiles(std::size_t depth, std::size_t rows) const {
    return level >= isa::avx2 && right.memory != nullptr && !right.transposed && depth % terms == 0 &&
           rows >= product_tile<isa::avx512>::rows && !crowded(right);
  }

  /// Rows [row, row + rows) of an operand from element `from`, in memory or fetched to `some`; `stride` becomes theirs.
  const E* rows_in(const operand_rows& operand, std::size_t row, std::size_t rows, std::size_t from, std::size_t count,
                   E* some, std::size_t& stride) const {
    if (operand.memory != nullptr) {
      stride = operand.stride;
      return static_cast<const E*>(operand.memory) + row * stride + from;
    }
    operand.fetch(operand.operand, level, row, rows, from, count, some, stride);
    return some;
  }

  void pack_left(std::size_t i, std::size_t rows, std::size_t k, std::size_t depth, U* a, E* some) const {
    const std::size_t high = (rows + 3) / 4 * 4;  // what the lowest tile reads
    const std::size_t units = (depth + terms - 1) / terms;
    if (!left.transposed) {
      constexpr std::size_t stride = packed_rows::row * terms;
      E* const to = reinterpret_cast<E*>(a);
      for (std::size_t r = 0; r < rows; r += few_rows) {
        for (std::size_t n = r + few_rows; n < rows && n < r + 2 * few_rows; ++n) left.bring(i + n, k, depth);
        left.fetch(left.operand, level, i + r, rows - r < few_rows ? rows - r : few_rows, k, depth, to + r * stride,
                   stride);
      }
      if (depth % terms != 0)
        for (std::size_t r = 0; r < rows; ++r) to[r * stride + depth] = E{};
      for (std::size_t r = rows; r < high; ++r)
        for (std::size_t n = 0; n < units * terms; ++n) to[r * stride + n] = E{};
      return;
    }
    if constexpr (terms == 1) {
      left.fetch(left.operand, level, k, depth, i, rows, a, block_rows);
    } else {
      for (std::size_t t = 0; t < depth; t += fetched) {
        std::size_t stride = block_rows;
        const std::size_t part = depth - t < fetched ? depth - t : fetched;
        const E* const from = rows_in(left, k + t, part, i, rows, some, stride);
        for (std::size_t n = 0; n < part; n += terms) {
          U* const to = a + (t + n) / terms * block_rows;
          const E* const row = from + n * stride;
          const E* const next = n + 1 < part ? row + stride : nullptr;
          for (std::size_t r = 0; r < rows; ++r) to[r] = join(row, next, r);
        }
      }
    }
    for (std::size_t n = 0; n < units; ++n)
      for (std::size_t r = rows; r < high; ++r) a[n * block_rows + r] = U{};
  }

  /// Packs columns [j, j + columns) of lines [k, k + depth) of an operand with `all` columns.
  void deal(const operand_rows& operand, std::size_t all, std::size_t k, std::size_t depth, std::size_t j,
            std::size_t columns, U* to, E* some) const {
    for (std::size_t t = 0; t < depth; t += fetched) {
      // Rows that follow one another without a gap are fetched as one, and come by themselves.
      const bool as_one = operand.row_bytes == columns * operand.element_bytes;
      std::size_t stride = as_one ? columns : cut.columns;
      const std::size_t part = depth - t < fetched ? depth - t : fetched;
      for (std::size_t n = t + fetched; !as_one && n < depth && n < t + 2 * fetched; ++n)
        operand.bring(k + n, j, columns);
      const E* const from = rows_in(operand, k + t, part, j, columns, some, stride);
      const std::size_t readable = from == some ? (part - 1) * stride + columns
                                                : (shape.k - k - t - 1) * stride + all - j;
      call_with(level, deal_rows<U>{from, stride, readable, part, columns, to, (depth + terms - 1) / terms, t / terms});
    }
  }

  void pack_right(std::size_t k, std::size_t depth, std::size_t j, std::size_t columns, U* b, E* some) const {
    const std::size_t units = (depth + terms - 1) / terms;
    if (!right.transposed) return deal(right, shape.n, k, depth, j, columns, b, some);
    const std::size_t vector = panel / 2;
    for (std::size_t n = 0; n < columns; n += vector) {
      const std::size_t part = columns - n < vector ? columns - n : vector;
      std::size_t stride = cut.depth * terms;
      // Terms are turned in whole units: what does not fill one in memory is fetched.
      const bool whole = depth % terms == 0 && right.stride % terms == 0;
      if (!whole)
        for (std::size_t c = 0; c < part; ++c) some[c * stride + units * terms - 1] = E{};
      operand_rows columns_of = right;
      if (!whole) columns_of.memory = nullptr;
      const E* const from = rows_in(columns_of, j + n, part, k, depth, some, stride);
      const std::size_t at = n / panel * panel;
      const std::size_t width = columns - at > vector ? panel : vector;
      call_with(level, turn_columns<U>{reinterpret_cast<const U*>(from), stride / terms, part, units,
                                       b + at * units + (n - at), width});
    }
  }
};

/// Runs a product on the threads of `executor`.
template <class U>
MEZZO_OUTLINE tally run_product(const product_driver<U>& product, const executor_ref& executor, workspace& memory) {
  return run_shares(executor, memory, product.cut.blocks(), product.scratch(), true,
                    [&](std::size_t first, std::size_t last, std::byte* scratch, tally* sums) {
                      product.run(first, last, scratch, sums);
                    });
}

/// A product of operands whose types are forgotten. Where the result has no more columns than a vector has lanes, many
/// lanes would be empty: its columns are computed as rows, if they are longer and the left operand lies that way.
template <class U>
MEZZO_OUTLINE product_driver<U> product_of(const operand_rows& left, const operand_rows& right,
                                           const product_shape& shape,
                                           const result_rows<typename unit<U>::sum>& result, isa level) {
  const product_driver<U> product{left, right, shape, result, level, false};
  const std::size_t vector = product.panel / 2;
  if (!left.transposed || shape.n > vector || shape.m <= vector) return product;
  operand_rows of_right = right, of_left = left;
  of_right.transposed = !right.transposed;
  of_left.transposed = !left.transposed;
  return {of_right, of_left, {shape.n, shape.m, shape.k}, result, level, true};
}

template <class U, class Left, class Right, class Sink>
tally multiply_units(const Left& left, const Right& right, const product_shape& shape, const Sink& sink, isa level,
                     const executor_ref& executor, workspace& memory) {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  const auto left_turned = transposed(left);
  const auto right_turned = transposed(right);
  const product_driver<U> product =
      product_of<U>(quick_rows_of<E>(left, left_turned), quick_rows_of<E>(right, right_turned), shape,
                    results_of<A>(sink), level);
  return run_product(product, executor, memory);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
