// SPDX-License-Identifier: MIT
//
// The gradient of a convolution by the data of few channels. With one row for each channel a product has too few rows;
// with one for each tap of each channel it has enough: the weights, turned, times the gradient of the result where it
// lies, and each row of that is added to the image from the place of its tap on.
#pragma once

#include <mezzo/backend/cpu/shifted_product.hpp>

#include <cstddef>  // size_t, byte

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Sums of an image's planes, split into the phases of the step, with margins for what is added outside.
struct scatter_layout {
  static constexpr std::size_t most_columns = 576;

  std::size_t planes, window;      // of the result's gradient; taps
  std::size_t rows, columns;       // of a plane
  std::size_t channels, height, width;
  window_axis down, across;
  std::size_t step;
  std::size_t block;               // rows at once
  std::size_t line, lines, phase;  // distance of rows, rows, and distance of phases of the sums

  template <class Precision, class T, std::size_t Step>
  explicit scatter_layout(const patch_operand<Precision, T, true, Step>& p)
      : planes(p.planes()), window(p.shape.window()), rows(p.shape.rows), columns(p.shape.columns),
        channels(p.shape.channels), height(p.shape.height), width(p.shape.width),
        down{p.shape.kernel_height, p.shape.step, p.shape.before_rows},
        across{p.shape.kernel_width, p.shape.step, p.shape.before_columns}, step(p.shape.step),
        block(columns == 0 || most_columns / columns == 0 ? 1 : most_columns / columns),
        line(extent(columns, across, width)), lines(extent(rows, down, height)), phase(lines * line) {
    if (block > rows) block = rows;
  }
  [[nodiscard]] std::size_t sums() const { return channels * step * step * phase; }
  /// Where tap `t` of channel `c` adds the first element of a plane.
  [[nodiscard]] std::size_t place(std::size_t c, std::size_t t) const {
    const std::size_t r = t / across.taps, s = t % across.taps;
    return (c * step * step + down.phase(r) * step + across.phase(s)) * phase +
           static_cast<std::size_t>(down.shift(r) - down.least()) * line +
           static_cast<std::size_t>(across.shift(s) - across.least());
  }

 private:
  /// Places along an axis: those that taps reach, and those of the image.
  [[nodiscard]] static std::size_t extent(std::size_t count, const window_axis& axis, std::size_t size) {
    const std::size_t reached = count + axis.reach();
    const std::size_t there = (size + axis.step - 1) / axis.step + static_cast<std::size_t>(-axis.least());
    return reached > there ? reached : there;
  }
};

/// Copies a run of positions of all planes, as units.
template <class U, class Operand>
struct copy_positions {
  const Operand& operand;
  std::size_t image, planes, first, count;
  U* out;
  std::size_t stride;
  typename unit<U>::element* some;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    using P = typename Operand::precision;
    for (std::size_t p = 0; p < planes; p += unit<U>::terms) {
      U* const to = out + p / unit<U>::terms * stride;
      if constexpr (unit<U>::terms == 1) {
        read_run<P>(operand.plane_of(image, p) + first, to, count);
      } else {
        const bfloat16* const low = run_as_bfloat16<P>(operand.plane_of(image, p) + first, count, some);
        if (p + 1 < planes) {
          const bfloat16* const odd =
              run_as_bfloat16<P>(operand.plane_of(image, p + 1) + first, count, some + count);
          for (std::size_t i = 0; i < count; ++i) to[i] = join(low, odd, i);
        } else {
          for (std::size_t i = 0; i < count; ++i) to[i] = join(low, static_cast<const bfloat16*>(nullptr), i);
        }
      }
    }
  }
};

/// Adds rows of products to the sums from the places of their taps on.
template <class A>
struct add_taps {
  const scatter_layout& layout;
  const A* products;
  std::size_t stride, first, rows;
  A* sums;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t c = 0, i = 0; c < layout.channels; ++c)
      for (std::size_t t = 0; t < layout.window; ++t, ++i) {
        A* const place = sums + layout.place(c, t) + first * layout.line;
        for (std::size_t y = 0; y < rows; ++y) {
          A* const to = place + y * layout.line;
          const A* const from = products + i * stride + y * layout.columns;
          for (std::size_t x = 0; x < layout.columns; ++x) to[x] += from[x];
        }
      }
  }
};

/// Puts the phases of a plane's sums between one another.
template <class A>
struct join_sums {
  const scatter_layout& layout;
  const A* sums;  // of a channel
  A* out;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    const std::size_t step = layout.step;
    const std::size_t above = static_cast<std::size_t>(-layout.down.least());
    const std::size_t before = static_cast<std::size_t>(-layout.across.least());
    for (std::size_t y = 0; y < layout.height; ++y)
      interleave(step, sums + y % step * step * layout.phase + (y / step + above) * layout.line + before, layout.phase,
                 layout.width, out + y * layout.width);
  }
};

/// One gradient over units `U`: an image a task.
template <class U>
struct scatter_driver {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  static constexpr std::size_t terms = unit<U>::terms;

  scatter_layout layout;
  std::size_t images;
  operand_rows left;
  const void* gradient;
  void (*copy)(const void* gradient, isa level, std::size_t image, std::size_t planes, std::size_t first,
               std::size_t count, U* out, std::size_t stride, E* some);
  result_rows<A> result;
  isa level;
  U* packed = nullptr;

  std::size_t rows = layout.channels * layout.window;  // of the product
  std::size_t depth = (layout.planes + terms - 1) / terms;
  product_blocks cut{product_shape{rows, 1, depth}, 1, 1, false};

  [[nodiscard]] std::size_t high() const { return (rows + 3) / 4 * 4; }
  [[nodiscard]] std::size_t packed_units() const { return cut.depth_blocks * high() * packed_rows::row; }
  [[nodiscard]] std::size_t stride() const { return (layout.block * layout.columns + 31) / 32 * 32; }
  [[nodiscard]] std::size_t scratch() const {
    return whole_lines(depth * stride() * sizeof(U)) + whole_lines(rows * stride() * sizeof(A)) +
           whole_lines(layout.sums() * sizeof(A)) + whole_lines(layout.height * layout.width * sizeof(A)) +
           2 * stride() * sizeof(E);
  }

  /// Packs the weights of all taps; `some` holds those of one channel.
  void pack(E* some) const {
    for (std::size_t x = 0; x < packed_units(); ++x) packed[x] = U{};
    for (std::size_t c = 0; c < layout.channels; ++c) {
      left.fetch(left.operand, level, c, 1, 0, layout.planes * layout.window, some, 0);
      for (std::size_t k = 0; k < depth; ++k)
        for (std::size_t t = 0; t < layout.window; ++t) {
          const E* const weight = some + terms * k * layout.window + t;
          U* const to = packed + k / cut.depth * high() * packed_rows::row + k % cut.depth;
          to[(c * layout.window + t) * packed_rows::row] =
              join(weight, terms * k + 1 < layout.planes ? weight + layout.window : nullptr, 0);
        }
    }
  }

  /// Computes images [from, to).
  void run(std::size_t from, std::size_t to, std::byte* memory, tally* tallies) const {
    U* const b = reinterpret_cast<U*>(memory);
    A* const products = reinterpret_cast<A*>(memory += whole_lines(depth * stride() * sizeof(U)));
    A* const sums = reinterpret_cast<A*>(memory += whole_lines(rows * stride() * sizeof(A)));
    A* const joined = reinterpret_cast<A*>(memory += whole_lines(layout.sums() * sizeof(A)));
    E* const some = reinterpret_cast<E*>(memory + whole_lines(layout.height * layout.width * sizeof(A)));
    for (std::size_t image = from; image < to; ++image) {
      for (std::size_t x = 0; x < layout.sums(); ++x) sums[x] = A(0);
      for (std::size_t first = 0; first < layout.rows; first += layout.block) {
        const std::size_t count = layout.rows - first < layout.block ? layout.rows - first : layout.block;
        copy(gradient, level, image, layout.planes, first * layout.columns, count * layout.columns, b, stride(), some);
        for (std::size_t k = 0; k < depth; k += cut.depth)
          for (std::size_t i = 0; i < rows; i += cut.rows) {
            const U* const a = packed + (k / cut.depth * high() + i) * packed_rows::row;
            call_contracted(level, multiply_block<U>{a, true, packed_rows::row, b + k * stride(), stride(),
                                                     rows - i < cut.rows ? rows - i : cut.rows, count * layout.columns,
                                                     depth - k < cut.depth ? depth - k : cut.depth, k > 0,
                                                     products + i * stride(), stride()});
          }
        if (depth > 0) call_with(level, add_taps<A>{layout, products, stride(), first, count, sums});
      }
      tally sum;
      const std::size_t plane = layout.height * layout.width;
      for (std::size_t c = 0; c < layout.channels; ++c) {
        call_with(level, join_sums<A>{layout, sums + c * layout.step * layout.step * layout.phase, joined});
        result.deliver(result.sink, level, joined, 0, c, 1, image * plane, plane, &sum);
      }
      tallies[image] = sum;
    }
  }
};

/// Runs a gradient on the threads of `executor`.
template <class U>
MEZZO_OUTLINE tally run_scattered(scatter_driver<U> product, const executor_ref& executor, workspace& memory) {
  using E = typename unit<U>::element;
  const buffer<U> packed(memory, product.packed_units());
  product.packed = packed.data();
  {
    const buffer<E> some(memory, product.layout.planes * product.layout.window);
    product.pack(some.data());
  }
  return run_shares(executor, memory, product.images, product.scratch(), true,
                    [&](std::size_t first, std::size_t last, std::byte* scratch, tally* sums) {
                      product.run(first, last, scratch, sums);
                    });
}

/// Whether the gradient by data is worth this way: few channels, and enough planes to sum over before rows are added.
inline bool worth_scattering(const convolution_shape& s) { return s.channels <= few_rows && s.outputs >= 16; }

/// The product over units `U` of `left`, the weights, with the patches of `right`, a gradient.
template <class U, class Left, class Right, class Sink>
tally multiply_scattered(const Left& left, const Right& right, const Sink& sink, isa level,
                         const executor_ref& executor, workspace& memory) {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
  return run_scattered(
      scatter_driver<U>{scatter_layout(right), right.shape.images, rows_of<E>(left, false), &right,
                        [](const void* of, isa on, std::size_t image, std::size_t planes, std::size_t first,
                           std::size_t count, U* out, std::size_t stride, E* some) {
                          call_with(on, copy_positions<U, Right>{*static_cast<const Right*>(of), image, planes, first,
                                                                 count, out, stride, some});
                        },
                        results_of<A>(sink), level},
      executor, memory);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
