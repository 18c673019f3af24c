// SPDX-License-Identifier: MIT
//
// The gradient of a convolution's weights from shifted planes: row (c, r, s) of the patches is plane c from the place
// of tap (r, s) on, so the patches are the left operand where they lie, and the gradient of the result, turned once, is
// the right one. That gives the gradient of the weights with its axes exchanged; they are exchanged back as it is
// delivered.
#pragma once

#include <mezzo/backend/cpu/shifted_product.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Left, class Right>
inline constexpr bool is_turned_patches = false;
template <class PrecisionG, class G, class Patches>
inline constexpr bool is_turned_patches<plane_operand<PrecisionG, G>, transposed_operand<Patches>> =
    is_patches<Patches>;

/// Copies rows of some planes of the result's gradient to lines of the shifted layout, zeros between them.
template <class Precision, class T>
struct copy_lines {
  using A = typename Precision::compute;

  const T* planes;  // from the first row on
  std::size_t plane_size, count, rows, columns;
  A* out;
  std::size_t stride, line;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t y = 0; y < rows; ++y) {
        A* const to = out + p * stride + y * line;
        read_run<Precision>(planes + p * plane_size + y * columns, to, columns);
        for (std::size_t x = columns; y + 1 < rows && x < line; ++x) to[x] = A(0);
      }
  }
};

/// Delivers rows of `columns` results that stand as columns of `turned`.
template <class A, class Sink>
struct deliver_turned {
  const Sink& sink;
  const A* turned;
  std::size_t stride, rows, first, columns;
  A* row;
  tally* sum;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) row[j] = turned[j * stride + i];
      sink.tile_row(i, first, columns, row, *sum);
    }
  }
};

/// The product of the gradient's planes with the patches of the input, transposed: taps are split among threads.
template <class PrecisionG, class G, class Precision, class T, std::size_t Step, class Sink>
tally multiply_shifted_turned(const plane_operand<PrecisionG, G>& gradient,
                              const patch_operand<Precision, T, false, Step>& input, const product_shape& shape,
                              const Sink& sink, isa level, const executor_ref& executor, workspace& memory) {
  using A = typename Precision::compute;
  const shifted_layout layout(input, shape.m);
  const std::size_t taps = shape.n, outputs = shape.m;
  const product_blocks cut(product_shape{taps, 1, 1}, 1, 1, false);
  const std::size_t blocks = cut.row_blocks;
  if (blocks == 0 || outputs == 0) return {};
  const buffer<window_tap> window(memory, layout.window());
  layout.fill(window.data());
  const buffer<std::uint32_t> offsets(memory, taps + block_rows);
  for (std::size_t t = 0; t < taps; ++t)
    offsets.data()[t] = static_cast<std::uint32_t>(t / layout.window() * layout.whole_plane() +
                                                   window.data()[t % layout.window()].offset);
  // The lowest tile reads rows past the last.
  for (std::size_t t = taps; t < taps + block_rows; ++t) offsets.data()[t] = 0;

  const std::size_t vector = (level >= isa::avx512 ? 64 : level == isa::avx2 ? 32 : 16) / sizeof(A);
  const std::size_t wide = (outputs + 2 * vector - 1) / (2 * vector) * (2 * vector);
  const std::size_t depth = layout.run(layout.block);
  const std::size_t source = (layout.planes * layout.whole_plane() + 15) / 16 * 16;
  const std::size_t line = (depth + 15) / 16 * 16;
  const std::size_t elements = source + depth * wide + line * vector + cut.rows + layout.width;
  const buffer<A> turned(memory, taps * wide);

  return run_shares(executor, memory, blocks, elements * sizeof(A), true, [&](std::size_t from, std::size_t to,
                                                                              std::byte* scratch, tally* sums) {
    A* const planes = reinterpret_cast<A*>(scratch);
    A* const panels = planes + source;
    A* const some = panels + depth * wide;
    A* const row = some + line * vector;
    const std::size_t last = to * cut.rows < taps ? to * cut.rows : taps;
    bool add = false;
    if (input.shape.images == 0)
      for (std::size_t x = from * cut.rows * wide; x < last * wide; ++x) turned.data()[x] = A(0);
    for (std::size_t image = 0; image < input.shape.images; ++image)
      for (std::size_t first = 0; first < layout.rows; first += layout.block) {
        const std::size_t rows = layout.rows - first < layout.block ? layout.rows - first : layout.block;
        const std::size_t terms = layout.run(rows);
        call_with(level, copy_planes<A, patch_operand<Precision, T, false, Step>>{input, layout, image, first, planes,
                                                                                  row + cut.rows});
        for (std::size_t o = 0; o < outputs; o += vector) {
          const std::size_t count = outputs - o < vector ? outputs - o : vector;
          const G* const some_planes = gradient.data + (image * gradient.planes + o) * gradient.plane_size;
          call_with(level, copy_lines<PrecisionG, G>{some_planes + first * layout.columns, gradient.plane_size, count,
                                                     rows, layout.columns, some, line, layout.line});
          const std::size_t at = o / (2 * vector) * (2 * vector);
          const std::size_t width = outputs - at > vector ? 2 * vector : vector;
          call_with(level, turn_columns<A>{some, line, count, terms, panels + at * terms + (o - at), width});
        }
        for (std::size_t n = from; n < to; ++n) {
          const std::size_t i = n * cut.rows;
          const std::size_t high = taps - i < cut.rows ? taps - i : cut.rows;
          call_contracted(level, multiply_block<A>{planes, true, 0, panels, 0, high, outputs, terms, add,
                                                   turned.data() + i * wide, wide, nullptr, offsets.data() + i});
        }
        add = true;
      }
    for (std::size_t n = from; n < to; ++n) {
      const std::size_t i = n * cut.rows;
      const std::size_t high = taps - i < cut.rows ? taps - i : cut.rows;
      tally sum;
      call_with(level, deliver_turned<A, Sink>{sink, turned.data() + i * wide, wide, outputs, i, high, row, &sum});
      sums[n] = sum;
    }
  });
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
