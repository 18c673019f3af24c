// SPDX-License-Identifier: MIT
//
// The gradient of a convolution's weights from shifted planes: row (c, r, s) of the patches is plane c from the place
// of tap (r, s) on, so the patches are the left operand where they lie, and the gradient of the result, turned once, is
// the right one. That gives the gradient of the weights with its axes exchanged; they are exchanged back as it is
// delivered.
#pragma once

#include <mezzo/backend/cpu/shifted_product.hpp>

#include <cstddef>  // size_t, byte
#include <cstdint>  // uint32_t
#include <cstring>  // memcpy

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Left, class Right>
inline constexpr bool is_turned_patches = false;
template <class PrecisionG, class G, class Patches>
inline constexpr bool is_turned_patches<plane_operand<PrecisionG, G>, transposed_operand<Patches>> =
    is_patches<Patches>;

/// Copies rows of some planes of the result's gradient to lines of the shifted layout, zeros between and after them.
template <class Operand, class E>
struct copy_lines {
  const Operand& operand;
  const shifted_layout& layout;
  std::size_t image, first_plane, count, first, rows;
  E* out;
  std::size_t stride;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t p = 0; p < count; ++p) {
      const auto* const plane = operand.plane_of(image, first_plane + p) + first * layout.columns;
      for (std::size_t y = 0; y < rows; ++y) {
        E* const to = out + p * stride + y * layout.line;
        read_run<typename Operand::precision>(plane + y * layout.columns, to, layout.columns);
        put_zeros(to + layout.columns, layout.line - layout.columns);
      }
    }
  }
};

/// The product over units `U` of a gradient's planes with the patches of the input, transposed. Pairs are neighbours
/// along rows: taps at odd places read a copy of the planes that is one element ahead.
template <class U>
struct turned_driver {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  static constexpr std::size_t terms = unit<U>::terms;

  shifted_layout layout;
  std::size_t images, taps, outputs;
  plane_source input;
  const void* gradient;
  void (*copy)(const void* gradient, isa level, const shifted_layout& layout, std::size_t image, std::size_t plane,
               std::size_t count, std::size_t first, std::size_t rows, E* out, std::size_t stride);
  result_rows<A> result;
  isa level;
  const std::uint32_t* offsets = nullptr;
  A* turned = nullptr;  // the gradient with its axes exchanged

  std::size_t vector = (level >= isa::avx512 ? 64 : level == isa::avx2 ? 32 : 16) / sizeof(A);
  std::size_t wide = (outputs + 2 * vector - 1) / (2 * vector) * (2 * vector);
  product_blocks cut{product_shape{taps, 1, 1}, 1, 1, false};

  [[nodiscard]] std::size_t depth() const { return (layout.run(layout.block) + terms - 1) / terms; }
  [[nodiscard]] std::size_t line() const { return (layout.run(layout.block) + 15) / 16 * 16 + 2 * run_slack; }
  [[nodiscard]] std::size_t source() const { return (layout.planes * layout.whole_plane() + 63) / 32 * 32; }
  [[nodiscard]] std::size_t scratch() const {
    return whole_lines(terms * source() * sizeof(E)) + whole_lines(depth() * wide * sizeof(U)) +
           whole_lines(line() * vector * sizeof(E)) + whole_lines(outputs * cut.rows * sizeof(A)) +
           layout.width * sizeof(E);
  }
  /// Where tap `t` of plane `p` begins, in units.
  [[nodiscard]] std::uint32_t offset(std::size_t p, const window_tap& tap) const {
    const std::size_t at = p * layout.whole_plane() + tap.offset;
    return static_cast<std::uint32_t>(at % terms * source() / terms + at / terms);
  }

  /// Computes the gradient of blocks [from, to) of taps.
  void run(std::size_t from, std::size_t to, std::byte* memory, tally* tallies) const {
    E* const planes = reinterpret_cast<E*>(memory);
    U* const panels = reinterpret_cast<U*>(memory += whole_lines(terms * source() * sizeof(E)));
    E* const some = reinterpret_cast<E*>(memory += whole_lines(depth() * wide * sizeof(U)));
    A* const block = reinterpret_cast<A*>(memory += whole_lines(line() * vector * sizeof(E)));
    void* const whole = memory + whole_lines(outputs * cut.rows * sizeof(A));
    const std::size_t last = to * cut.rows < taps ? to * cut.rows : taps;
    if (images == 0)
      for (std::size_t x = from * cut.rows * wide; x < last * wide; ++x) turned[x] = A(0);
    bool add = false;
    for (std::size_t image = 0; image < images; ++image)
      for (std::size_t first = 0; first < layout.rows; first += layout.block) {
        const std::size_t rows = layout.rows - first < layout.block ? layout.rows - first : layout.block;
        const std::size_t units = (layout.run(rows) + terms - 1) / terms;
        input.copy(input.operand, level, layout, image, first, planes, whole);
        if constexpr (terms == 2) std::memcpy(planes + source(), planes + 1, (source() - 1) * sizeof(E));
        for (std::size_t o = 0; o < outputs; o += vector) {
          const std::size_t count = outputs - o < vector ? outputs - o : vector;
          copy(gradient, level, layout, image, o, count, first, rows, some, line());
          const std::size_t at = o / (2 * vector) * (2 * vector);
          const std::size_t width = outputs - at > vector ? 2 * vector : vector;
          call_with(level, turn_columns<U>{reinterpret_cast<const U*>(some), line() / terms, count, units,
                                           panels + at * units + (o - at), width});
        }
        for (std::size_t n = from; n < to; ++n) {
          const std::size_t i = n * cut.rows;
          const std::size_t high = taps - i < cut.rows ? taps - i : cut.rows;
          call_contracted(level, multiply_block<U>{reinterpret_cast<const U*>(planes), true, 0, panels, 0, high,
                                                   outputs, units, add, turned + i * wide, wide, nullptr, offsets + i});
        }
        add = true;
      }
    for (std::size_t n = from; n < to; ++n) {
      const std::size_t i = n * cut.rows;
      const std::size_t high = taps - i < cut.rows ? taps - i : cut.rows;
      tally sum;
      deliver(i, high, block, &sum);
      tallies[n] = sum;
    }
  }

 private:
  void deliver(std::size_t i, std::size_t high, A* block, tally* sum) const {
    A* const to = result.memory == nullptr ? block : result.memory + i;
    const std::size_t stride = result.memory == nullptr ? high : result.stride;
    std::size_t j = 0;
    for (; j + vector <= high; j += vector)
      call_with(level, turn_columns<A>{turned + (i + j) * wide, wide, vector, outputs, to + j, stride});
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t t = j; t < high; ++t) to[o * stride + t] = turned[(i + t) * wide + o];
    result.deliver(result.sink, level, to, stride, 0, outputs, i, high, sum);
  }
};

/// Runs a product on the threads of `executor`: taps are split among them.
template <class U>
MEZZO_OUTLINE tally run_turned(turned_driver<U> product, const executor_ref& executor, workspace& memory) {
  const shifted_layout& layout = product.layout;
  if (product.taps == 0 || product.outputs == 0) return {};
  const std::size_t window = layout.window();
  const buffer<window_tap> taps(memory, window);
  layout.fill(taps.data());
  const buffer<std::uint32_t> offsets(memory, product.taps + block_rows);
  for (std::size_t t = 0; t < product.taps; ++t)
    offsets.data()[t] = product.offset(t / window, taps.data()[t % window]);
  // The lowest tile reads rows past the last.
  for (std::size_t t = 0; t < block_rows; ++t) offsets.data()[product.taps + t] = 0;
  product.offsets = offsets.data();
  const buffer<typename unit<U>::sum> turned(memory, product.taps * product.wide);
  product.turned = turned.data();
  return run_shares(executor, memory, product.cut.row_blocks, product.scratch(), true,
                    [&](std::size_t from, std::size_t to, std::byte* scratch, tally* sums) {
                      product.run(from, to, scratch, sums);
                    });
}

/// The product over units `U` of the gradient's planes with the patches of the input, transposed.
template <class U, class Gradient, class Patches, class Sink>
tally multiply_shifted_turned(const Gradient& gradient, const Patches& input, const product_shape& shape,
                              const Sink& sink, isa level, const executor_ref& executor, workspace& memory) {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  return run_turned(
      turned_driver<U>{shifted_layout(input, shape.m), input.shape.images, shape.n, shape.m, planes_of<E>(input),
                       &gradient,
                       [](const void* of, isa on, const shifted_layout& layout, std::size_t image, std::size_t plane,
                          std::size_t count, std::size_t first, std::size_t rows, E* out, std::size_t stride) {
                         call_with(on, copy_lines<Gradient, E>{*static_cast<const Gradient*>(of), layout, image, plane,
                                                               count, first, rows, out, stride});
                       },
                       results_of<A>(sink), level},
      executor, memory);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
