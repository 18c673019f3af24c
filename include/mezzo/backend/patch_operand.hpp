// SPDX-License-Identifier: MIT
//
// A convolution as three products over operands that are never stored: forward over the patches of the input, by
// weights over the same patches transposed, by data over the patches of the gradient.
#pragma once

#include <mezzo/backend/matrix_operand.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Sizes of a convolution: `images` of `channels` planes, `height`×`width`; `outputs` planes of `rows`×`columns`. Where
/// there are several groups, channels and outputs are those of one, and the planes of an image are those of all.
struct convolution_shape {
  std::size_t images, channels, height, width;
  std::size_t outputs, kernel_height, kernel_width;
  std::size_t rows, columns;
  std::size_t step, before_rows, before_columns;
  std::size_t groups = 1;

  [[nodiscard]] constexpr std::size_t window() const { return kernel_height * kernel_width; }
  [[nodiscard]] constexpr std::size_t input_plane() const { return height * width; }
  [[nodiscard]] constexpr std::size_t output_plane() const { return rows * columns; }
};

/// Row (c, r, s), column (image, i, j): the input under tap (r, s) of channel c for output (i, j), zero in the padding.
/// Without `Gradient` this is the right operand of the forward product. With it, the roles are exchanged: row
/// (o, r, s), column (image, y, x) holds the gradient of the output that tap (r, s) of input (y, x) fed, zero where
/// none. `Step`, unless 0, is the distance of windows that `shape` has.
template <class Precision, class T, bool Gradient, std::size_t Step = 0>
struct patch_operand {
  using precision = Precision;
  using A = typename Precision::compute;
  using value_type = entering_t<Precision, T>;

  const T* data;
  convolution_shape shape;

  [[nodiscard]] static constexpr bool rows_run() { return true; }

  /// Planes that the patches are cut from, their sizes, and those of the result.
  [[nodiscard]] constexpr std::size_t planes() const { return Gradient ? shape.outputs : shape.channels; }
  [[nodiscard]] constexpr std::size_t plane_height() const { return Gradient ? shape.rows : shape.height; }
  [[nodiscard]] constexpr std::size_t plane_width() const { return Gradient ? shape.columns : shape.width; }
  [[nodiscard]] constexpr const T* plane_of(std::size_t image, std::size_t plane) const {
    return data + (image * planes() * shape.groups + plane) * plane_height() * plane_width();
  }
  [[nodiscard]] constexpr std::size_t result_height() const { return Gradient ? shape.height : shape.rows; }
  [[nodiscard]] constexpr std::size_t result_width() const { return Gradient ? shape.width : shape.columns; }

  MEZZO_INLINE constexpr A element(std::size_t row, std::size_t column) const {
    A value{};
    row_run(row, column, 1, &value);
    return value;
  }

  template <class Out>
  MEZZO_INLINE constexpr void row_run(std::size_t row, std::size_t column, std::size_t count, Out* out) const {
    const std::size_t s = row % shape.kernel_width;
    const std::size_t r = row / shape.kernel_width % shape.kernel_height;
    const std::size_t plane = row / shape.window();
    const std::size_t wide = result_width();
    const std::size_t high = result_height();
    std::size_t j = column % wide;
    std::size_t i = column / wide % high;
    std::size_t image = column / (wide * high);
    while (count > 0) {
      const std::size_t part = wide - j < count ? wide - j : count;
      line(image, plane, i, j, r, s, part, out);
      out += part;
      count -= part;
      j = 0;
      if (++i == high) {
        i = 0;
        ++image;
      }
    }
  }

 private:
  MEZZO_INLINE constexpr std::size_t step() const { return Step != 0 ? Step : shape.step; }

  /// Source index of position `at` under tap `tap`, or a value ≥ `size` where there is none.
  MEZZO_INLINE constexpr std::size_t source(std::size_t at, std::size_t tap, std::size_t before,
                                            std::size_t size) const {
    if constexpr (Gradient) {
      const std::size_t reach = at + before - tap;  // wraps above every size when it would be negative
      return reach % step() == 0 && reach < size * step() ? reach / step() : size;
    } else {
      return at * step() + tap - before;
    }
  }

  /// `count` neighbouring positions of one image row.
  template <class Out>
  MEZZO_INLINE constexpr void line(std::size_t image, std::size_t plane, std::size_t i, std::size_t j, std::size_t r,
                                   std::size_t s, std::size_t count, Out* out) const {
    const std::size_t high = plane_height();
    const std::size_t wide = plane_width();
    const std::size_t y = source(i, r, shape.before_rows, high);
    if (y >= high) {
      for (std::size_t n = 0; n < count; ++n) out[n] = Out{};
      return;
    }
    const T* const from = plane_of(image, plane) + y * wide;
    if (step() == 1) {
      // Neighbours stay neighbours: zeros, a run, zeros.
      const std::size_t plus = j + (Gradient ? shape.before_columns : s);
      const std::size_t minus = Gradient ? s : shape.before_columns;
      const std::size_t missing = plus >= minus ? 0 : minus - plus;
      std::size_t n = 0;
      for (; n < count && n < missing; ++n) out[n] = Out{};
      if (n < count) {
        const std::size_t x = source(j + n, s, shape.before_columns, wide);
        const std::size_t end = x >= wide ? n : wide - x < count - n ? n + wide - x : count;
        if (end > n) read_run<Precision>(from + x, out + n, end - n);
        n = end;
      }
      for (; n < count; ++n) out[n] = Out{};
      return;
    }
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t x = source(j + n, s, shape.before_columns, wide);
      out[n] = x < wide ? read_as<Precision, Out>(from[x]) : Out{};
    }
  }
};

namespace detail {

/// Whether an operand is the patches of an image, and of a gradient.
template <class Operand>
inline constexpr bool is_patches = false;
template <class Precision, class T, bool Gradient, std::size_t Step>
inline constexpr bool is_patches<patch_operand<Precision, T, Gradient, Step>> = true;
template <class Operand>
inline constexpr bool is_gradient_patches = false;
template <class Precision, class T, std::size_t Step>
inline constexpr bool is_gradient_patches<patch_operand<Precision, T, true, Step>> = true;

}  // namespace detail

/// Planes as rows: row p, column (image, position) of an array (image, plane, position).
template <class Precision, class T>
struct plane_operand {
  using precision = Precision;
  using A = typename Precision::compute;
  using value_type = entering_t<Precision, T>;

  const T* data;
  std::size_t planes;
  std::size_t plane_size;

  [[nodiscard]] static constexpr bool rows_run() { return true; }
  [[nodiscard]] constexpr const T* plane_of(std::size_t image, std::size_t plane) const {
    return data + (image * planes + plane) * plane_size;
  }
  MEZZO_INLINE constexpr A element(std::size_t plane, std::size_t column) const {
    return detail::enter<Precision, false>(
        data[(column / plane_size * planes + plane) * plane_size + column % plane_size]);
  }
  template <class Out>
  MEZZO_INLINE constexpr void row_run(std::size_t plane, std::size_t column, std::size_t count, Out* out) const {
    std::size_t image = column / plane_size;
    std::size_t position = column % plane_size;
    while (count > 0) {
      const std::size_t part = plane_size - position < count ? plane_size - position : count;
      const T* const from = data + (image * planes + plane) * plane_size + position;
      read_run<Precision>(from, out, part);
      out += part;
      count -= part;
      position = 0;
      ++image;
    }
  }
};

/// Weights (outputs, channels, taps) seen from the input: row c, column (o, tap).
template <class Precision, class T>
struct weight_operand {
  using A = typename Precision::compute;
  using value_type = entering_t<Precision, T>;

  const T* data;
  std::size_t channels;
  std::size_t window;

  [[nodiscard]] static constexpr bool rows_run() { return true; }
  MEZZO_INLINE constexpr A element(std::size_t c, std::size_t column) const {
    return detail::enter<Precision, false>(data[(column / window * channels + c) * window + column % window]);
  }
  template <class Out>
  MEZZO_INLINE constexpr void row_run(std::size_t c, std::size_t column, std::size_t count, Out* out) const {
    std::size_t output = column / window;
    std::size_t tap = column % window;
    while (count > 0) {
      const std::size_t part = window - tap < count ? window - tap : count;
      const T* const from = data + (output * channels + c) * window + tap;
      for (std::size_t n = 0; n < part; ++n) out[n] = read_as<Precision, Out>(from[n]);
      out += part;
      count -= part;
      tap = 0;
      ++output;
    }
  }
};

/// Delivers a product with one row for each plane and one column for each (image, position) to the array
/// (image, plane, position).
template <class Sink>
struct plane_sink {
  Sink sink;
  std::size_t planes;
  std::size_t plane_size;

  template <class A>
  MEZZO_INLINE constexpr void tile_row(std::size_t plane, std::size_t column, std::size_t count, const A* values,
                                       auto& sum) const {
    std::size_t image = column / plane_size;
    std::size_t position = column % plane_size;
    while (count > 0) {
      const std::size_t part = plane_size - position < count ? plane_size - position : count;
      sink((image * planes + plane) * plane_size + position, part, values, sum);
      values += part;
      count -= part;
      position = 0;
      ++image;
    }
  }
};

}  // namespace mezzo::inline MEZZO_ABI
