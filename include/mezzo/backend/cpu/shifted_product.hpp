// SPDX-License-Identifier: MIT
//
// A convolution, or its gradient by data, as a product whose right operand is never built: the tile reads the rows of
// patches where they lie in shifted planes. Results that fall into the margins are left out when rows are delivered.
#pragma once

#include <mezzo/backend/cpu/few_rows.hpp>
#include <mezzo/backend/cpu/product.hpp>
#include <mezzo/backend/cpu/shifted_planes.hpp>

#include <cstddef>  // size_t, byte
#include <cstdint>  // uint32_t
#include <cstring>  // memmove

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Puts the phases of rows back between one another.
template <class A>
struct join_phases {
  const shifted_layout& layout;
  const A* sums;
  std::size_t distance;  // of phases
  std::size_t rows;      // of the result
  A* out;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    const std::size_t step = layout.step;
    for (std::size_t y = 0; y < rows; ++y)
      interleave(step, sums + y % step * step * distance + y / step * layout.line, distance, layout.result_width,
                 out + y * layout.result_width);
  }
};

/// One product over units `U`: rows of weights times shifted planes, one block of rows of one image after another.
template <class U>
struct shifted_driver {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  static constexpr std::size_t terms = unit<U>::terms;

  shifted_layout layout;
  std::size_t images;
  operand_rows left;
  std::size_t rows;  // of `left`
  plane_source source;
  result_rows<A> result;
  isa level;
  const window_tap* taps = nullptr;
  const std::uint32_t* offsets = nullptr;  // of all phases' lines
  U* packed = nullptr;

  [[nodiscard]] std::size_t plane_units() const { return (layout.planes + terms - 1) / terms; }
  [[nodiscard]] std::size_t high() const { return (rows + 3) / 4 * 4; }  // what the lowest tile reads
  [[nodiscard]] product_blocks cut(std::size_t phase) const {
    return product_blocks(product_shape{rows, 1, plane_units() * layout.taps_of(phase)}, 1, 1, false);
  }
  /// Units of packed weights before a phase.
  [[nodiscard]] std::size_t packed_before(std::size_t phase) const {
    std::size_t count = 0;
    for (std::size_t q = 0; q < phase; ++q) count += cut(q).depth_blocks * high() * packed_rows::row;
    return count;
  }
  [[nodiscard]] std::size_t stride() const { return (layout.run(layout.block) + 15) / 16 * 16; }
  // A tile reads whole vectors, past the last plane too.
  [[nodiscard]] std::size_t source_units() const { return plane_units() * layout.whole_plane() + 64; }
  [[nodiscard]] std::size_t joined_sums() const {
    return layout.phases() == 1 ? 0 : layout.block * layout.step * layout.result_width + run_slack;
  }
  [[nodiscard]] std::size_t scratch() const {
    return whole_lines(source_units() * sizeof(U)) + whole_lines(layout.phases() * rows * stride() * sizeof(A)) +
           whole_lines(joined_sums() * sizeof(A)) + 2 * layout.width * sizeof(A);
  }

  void fill_offsets(std::uint32_t* to) const {
    const window_tap* tap = taps;
    for (std::size_t phase = 0; phase < layout.phases(); ++phase) {
      const std::size_t count = layout.taps_of(phase);
      for (std::size_t p = 0; p < plane_units(); ++p)
        for (std::size_t t = 0; t < count; ++t)
          *to++ = static_cast<std::uint32_t>(p * layout.whole_plane() + tap[t].offset);
      tap += count;
    }
  }

  /// Packs rows [first, last) of the weights; `some` holds one of them.
  void pack(std::size_t first, std::size_t last, E* some) const {
    for (std::size_t i = first; i < last; ++i) {
      U* to = packed + i * packed_rows::row;
      const window_tap* tap = taps;
      const bool as_they_are = terms == 1 && layout.phases() == 1;
      if (i < rows && !as_they_are)
        left.fetch(left.operand, level, i, 1, 0, layout.planes * layout.window(), some, 0);
      for (std::size_t phase = 0; phase < layout.phases(); ++phase) {
        const product_blocks blocks = cut(phase);
        const std::size_t count = layout.taps_of(phase), depth = plane_units() * count;
        std::size_t p = 0, t = 0;
        for (std::size_t k = 0; k < depth; k += blocks.depth, to += high() * packed_rows::row) {
          const std::size_t part = depth - k < blocks.depth ? depth - k : blocks.depth;
          if (i >= rows)
            for (std::size_t n = 0; n < part; ++n) to[n] = U{};
          else if (as_they_are)
            left.fetch(left.operand, level, i, 1, k, part, to, 0);
          else
            for (std::size_t n = 0; n < part; ++n) {
              const E* const weight = some + terms * p * layout.window() + tap[t].index;
              to[n] = join(weight, terms * p + 1 < layout.planes ? weight + layout.window() : nullptr, 0);
              if (++t == count) t = 0, ++p;
            }
        }
        tap += count;
      }
    }
  }

  /// Computes blocks [first, last).
  void run(std::size_t from, std::size_t to, std::byte* memory, tally* tallies) const {
    U* const b = reinterpret_cast<U*>(memory);
    A* const c = reinterpret_cast<A*>(memory += whole_lines(source_units() * sizeof(U)));
    A* const joined = reinterpret_cast<A*>(memory += whole_lines(layout.phases() * rows * stride() * sizeof(A)));
    void* const whole = memory + whole_lines(joined_sums() * sizeof(A));
    for (std::size_t x = plane_units() * layout.whole_plane(); x < source_units(); ++x) b[x] = U{};
    for (std::size_t n = from; n < to; ++n) {
      const std::size_t image = n / layout.blocks(), first = n % layout.blocks() * layout.block;
      const std::size_t some = layout.rows - first < layout.block ? layout.rows - first : layout.block;
      source.copy(source.operand, level, layout, image, first, b, whole);
      tally sum;
      const std::uint32_t* lines = offsets;
      for (std::size_t phase = 0; phase < layout.phases(); ++phase) {
        const std::size_t depth = plane_units() * layout.taps_of(phase);
        const U* a = packed + packed_before(phase);
        const product_blocks blocks = cut(phase);
        for (std::size_t k = 0; k == 0 || k < depth; k += blocks.depth, a += high() * packed_rows::row) {
          const std::size_t part = depth - k < blocks.depth ? depth - k : blocks.depth;
          for (std::size_t i = 0; i < rows; i += blocks.rows) {
            const std::size_t count = rows - i < blocks.rows ? rows - i : blocks.rows;
            A* const sums = c + (phase * rows + i) * stride();
            multiply(a + i * packed_rows::row, b, lines + k, count, some, part, k > 0, sums);
            if (k + part == depth && layout.phases() == 1) deliver(sums, i, count, image, first, some, &sum);
          }
          if (depth == 0) break;
        }
        lines += depth;
      }
      if (layout.phases() > 1) deliver_joined(c, joined, image, first * layout.step, some * layout.step, &sum);
      tallies[n] = sum;
    }
  }

 private:
  void multiply(const U* a, const U* b, const std::uint32_t* lines, std::size_t count, std::size_t some,
                std::size_t depth, bool add, A* sums) const {
    if constexpr (std::same_as<U, A>)
      if (count <= few_rows)
        return call_contracted(
            level, multiply_few<A>{a, b, lines, count, layout.run(some), depth, add, sums, stride()});
    call_contracted(level, multiply_block<U>{a, true, packed_rows::row, b, 0, count, layout.run(some), depth, add, sums,
                                             stride(), lines});
  }
  /// Closes the gaps that margins leave between rows of results, and delivers each plane's part in one run.
  void deliver(A* sums, std::size_t i, std::size_t count, std::size_t image, std::size_t first, std::size_t some,
               tally* sum) const {
    const std::size_t columns = layout.columns;
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t y = 1; y < some; ++y)
        std::memmove(sums + r * stride() + y * columns, sums + r * stride() + y * layout.line, columns * sizeof(A));
    result.deliver(result.sink, level, sums, stride(), i, count, (image * layout.rows + first) * columns,
                   some * columns, sum);
  }
  void deliver_joined(const A* sums, A* joined, std::size_t image, std::size_t first, std::size_t some,
                      tally* sum) const {
    if (layout.result_height - first < some) some = layout.result_height - first;
    for (std::size_t i = 0; i < rows; ++i) {
      call_with(level, join_phases<A>{layout, sums + i * stride(), rows * stride(), some, joined});
      result.deliver(result.sink, level, joined, 0, i, 1, (image * layout.result_height + first) * layout.result_width,
                     some * layout.result_width, sum);
    }
  }
};

/// Runs a product on the threads of `executor`.
template <class U>
MEZZO_OUTLINE tally run_shifted(shifted_driver<U> product, const executor_ref& executor, workspace& memory) {
  using E = typename unit<U>::element;
  const shifted_layout& layout = product.layout;
  const std::size_t blocks = layout.blocks() * product.images;
  if (blocks == 0 || product.rows == 0 || layout.columns == 0) return {};
  const buffer<window_tap> taps(memory, layout.window());
  layout.fill(taps.data());
  product.taps = taps.data();
  const buffer<std::uint32_t> offsets(memory, product.plane_units() * layout.window());
  product.fill_offsets(offsets.data());
  product.offsets = offsets.data();
  const buffer<U> packed(memory, product.packed_before(layout.phases()));
  product.packed = packed.data();
  run_shares(executor, memory, product.high(), layout.planes * layout.window() * sizeof(E), false,
             [&](std::size_t first, std::size_t last, std::byte* scratch, tally*) {
               product.pack(first, last, reinterpret_cast<E*>(scratch));
             });
  return run_shares(executor, memory, blocks, product.scratch(), true,
                    [&](std::size_t first, std::size_t last, std::byte* scratch, tally* sums) {
                      product.run(first, last, scratch, sums);
                    });
}

/// The product of `left` with the patches of `right` over units `U`.
template <class U, class Left, class Right, class Sink>
tally multiply_shifted(const Left& left, const Right& right, const product_shape& shape, const Sink& sink, isa level,
                       const executor_ref& executor, workspace& memory) {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  return run_shifted(shifted_driver<U>{shifted_layout(right, shape.m), right.shape.images, rows_of<E>(left, false),
                                       shape.m, planes_of<U>(right), results_of<A>(sink), level},
                     executor, memory);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
