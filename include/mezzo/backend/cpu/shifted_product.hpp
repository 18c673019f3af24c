// SPDX-License-Identifier: MIT
//
// A convolution with step 1 as a product whose right operand is never built: in planes with their margins of zeros, the
// row of patches that belongs to one tap is the plane itself, shifted. So the tile reads its lines where they lie, and
// results that fall into the margins are left out when rows are delivered.
#pragma once

#include <mezzo/backend/cpu/product.hpp>
#include <mezzo/backend/patch_operand.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <cstring>  // memmove

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Whether an operand is the patches of a convolution whose step is (`Certain`) or may be 1.
template <class Operand, bool Certain>
inline constexpr bool shifts = false;
template <class Precision, class T, bool Gradient, std::size_t Step, bool Certain>
inline constexpr bool shifts<patch_operand<Precision, T, Gradient, Step>, Certain> =
    Step == 1 || (Step == 0 && !Certain);

/// How planes lie with their margins: neighbouring rows share one.
struct shifted_layout {
  static constexpr std::size_t most_columns = 576;  // of a block of results, margins included, if a row has fewer

  std::size_t planes, height, width;      // of the source
  std::size_t window_height, window_width;
  std::size_t rows, columns;              // of the result
  std::size_t above, before;              // margins; `above` wraps where rows of the source are not read
  std::size_t skipped;                    // columns of the source that are not read
  bool flipped;                           // taps count from the end
  std::size_t line = 0;                   // distance of rows
  std::size_t block = 0;                  // rows of the result that are computed at once
  std::size_t plane = 0;                  // distance of planes

  template <class Precision, class T, bool Gradient, std::size_t Step>
  explicit shifted_layout(const patch_operand<Precision, T, Gradient, Step>& p)
      : planes(p.planes()), height(p.plane_height()), width(p.plane_width()), window_height(p.shape.kernel_height),
        window_width(p.shape.kernel_width), rows(p.result_height()), columns(p.result_width()),
        above(Gradient ? window_height - 1 - p.shape.before_rows : p.shape.before_rows), before(0), skipped(0),
        flipped(Gradient) {
    if (!Gradient)
      before = p.shape.before_columns;
    else if (p.shape.before_columns < window_width)
      before = window_width - 1 - p.shape.before_columns;
    else
      skipped = p.shape.before_columns - (window_width - 1);
    if (skipped > width) skipped = width;
    const std::size_t there = width - skipped;
    const std::size_t needed = columns + window_width - 1;
    const std::size_t after = needed > there + before ? needed - there - before : 0;
    line = there + (before > after ? before : after);
    if (line < columns) line = columns;
    const std::size_t blocks = (rows * line + most_columns - 1) / most_columns;
    block = blocks == 0 ? 1 : (rows + blocks - 1) / blocks;
    plane = (block + window_height - 1) * line + window_width - 1;
  }

  [[nodiscard]] std::size_t blocks() const { return (rows + block - 1) / block; }
  [[nodiscard]] std::size_t depth() const { return planes * window_height * window_width; }
  [[nodiscard]] std::size_t block_columns() const { return (block - 1) * line + columns; }

  void fill_offsets(std::uint32_t* to) const {
    for (std::size_t p = 0; p < planes; ++p)
      for (std::size_t r = 0; r < window_height; ++r)
        for (std::size_t s = 0; s < window_width; ++s) {
          const std::size_t down = flipped ? window_height - 1 - r : r;
          const std::size_t right = flipped ? window_width - 1 - s : s;
          *to++ = static_cast<std::uint32_t>(p * plane + down * line + right);
        }
  }
};

/// Copies the rows that a block of results reads, with their margins.
template <class Precision, class T>
struct copy_planes {
  using A = typename Precision::compute;

  const shifted_layout& layout;
  const T* image;     // its first plane
  std::size_t first;  // row of the result
  A* out;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    const std::size_t lines = layout.block + layout.window_height - 1;
    for (std::size_t p = 0; p < layout.planes; ++p) {
      A* const to = out + p * layout.plane;
      for (std::size_t y = 0; y < lines; ++y) {
        A* const row = to + y * layout.line;
        const std::size_t source = first + y - layout.above;  // wraps above every height when it would be negative
        if (source >= layout.height) {
          for (std::size_t x = 0; x < layout.line; ++x) row[x] = A(0);
          continue;
        }
        for (std::size_t x = 0; x < layout.before; ++x) row[x] = A(0);
        const std::size_t there = layout.width - layout.skipped;
        read_run<Precision>(image + (p * layout.height + source) * layout.width + layout.skipped, row + layout.before,
                            there);
        for (std::size_t x = layout.before + there; x < layout.line; ++x) row[x] = A(0);
      }
      for (std::size_t x = lines * layout.line; x < layout.plane; ++x) to[x] = A(0);
    }
  }
};

/// Closes the gaps that margins leave between rows of results, and delivers each plane's part in one run.
template <class A, class Sink>
struct deliver_shifted {
  const Sink& sink;
  const shifted_layout& layout;
  A* c;
  std::size_t stride, outputs, first_output, image, first, rows;
  tally* sum;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    const std::size_t columns = layout.columns;
    for (std::size_t o = 0; o < outputs; ++o) {
      A* const plane = c + o * stride;
      for (std::size_t y = 1; y < rows; ++y)
        std::memmove(plane + y * columns, plane + y * layout.line, columns * sizeof(A));
      sink.tile_row(first_output + o, (image * layout.rows + first) * columns, rows * columns, plane, *sum);
    }
  }
};

/// The product of `left` with the patches of `right`, one block of rows of one image after another.
template <class Left, class Precision, class T, bool Gradient, std::size_t Step, class Sink>
tally multiply_shifted(const Left& left, const patch_operand<Precision, T, Gradient, Step>& right,
                       const product_shape& shape, const Sink& sink, isa level, const executor_ref& executor,
                       workspace& memory) {
  using A = typename Precision::compute;
  const shifted_layout layout(right);
  const std::size_t blocks = layout.blocks() * right.shape.images;
  if (blocks == 0 || shape.m == 0) return {};
  const std::size_t depth = layout.depth();
  const buffer<std::uint32_t> offsets(memory, depth);
  layout.fill_offsets(offsets.data());

  constexpr std::size_t vector = 64 / sizeof(A);  // a tile reads whole vectors, past the last plane too
  const std::size_t stride = (layout.block_columns() + vector - 1) / vector * vector;
  const std::size_t source = layout.planes * layout.plane + 2 * vector + stride - layout.block_columns();
  const std::size_t elements = block_rows * block_depth + source + shape.m * stride;
  const product_blocks cut(product_shape{shape.m, 1, depth}, 1, 1, false);

  return run_shares(executor, memory, blocks, elements * sizeof(A), true, [&](std::size_t from, std::size_t to,
                                                                              std::byte* scratch, tally* sums) {
    A* const a = reinterpret_cast<A*>(scratch);
    A* const b = a + block_rows * block_depth;
    A* const c = b + source;
    for (std::size_t x = layout.planes * layout.plane; x < source; ++x) b[x] = A(0);
    for (std::size_t n = from; n < to; ++n) {
      const std::size_t image = n / layout.blocks();
      const std::size_t first = n % layout.blocks() * layout.block;
      const std::size_t rows = layout.rows - first < layout.block ? layout.rows - first : layout.block;
      call_with(level, copy_planes<Precision, T>{layout, right.plane_of(image, 0), first, b});
      tally sum;
      for (std::size_t step = 0; step == 0 || step < cut.depth_blocks; ++step) {
        const std::size_t k = step * cut.depth;
        const std::size_t part = depth - k < cut.depth ? depth - k : cut.depth;
        for (std::size_t i = 0; i < shape.m; i += cut.rows) {
          const std::size_t high = shape.m - i < cut.rows ? shape.m - i : cut.rows;
          call_with(level, fetch_rows<Left, A>{left, i, high, k, part, a, packed_rows::row});
          for (std::size_t r = high; r % 4 != 0; ++r)
            for (std::size_t x = 0; x < part; ++x) a[r * packed_rows::row + x] = A(0);
          call_contracted(level, multiply_block<A>{a, true, packed_rows::row, b, 0, high,
                                                   (rows - 1) * layout.line + layout.columns, part, k > 0,
                                                   c + i * stride, stride, offsets.data() + k});
          if (k + part == depth)
            call_with(level, deliver_shifted<A, Sink>{sink, layout, c + i * stride, stride, high, i, image, first, rows,
                                                      &sum});
        }
      }
      sums[n] = sum;
    }
  });
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
