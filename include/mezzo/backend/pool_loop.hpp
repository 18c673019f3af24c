// SPDX-License-Identifier: MIT
//
// Max pooling, one channel of one image a task. The backward pass finds the largest elements again in the input that
// training keeps anyway: no indices are stored.
#pragma once

#include <mezzo/backend/sinks.hpp>
#include <mezzo/expr/region.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Sizes of a pooling.
struct pool_shape {
  std::size_t planes;  ///< images times channels
  std::size_t height, width;
  std::size_t rows, columns;  ///< of the result
  std::size_t window, step;
};

namespace detail {

/// Offset in a plane of the first largest element, or first NaN, of window (row, column).
template <class Precision, class T>
MEZZO_INLINE constexpr std::size_t largest_in_window(const pool_shape& shape, const T* plane, std::size_t row,
                                                     std::size_t column) {
  std::size_t best = row * shape.step * shape.width + column * shape.step;
  auto largest = enter<Precision, false>(plane[best]);
  for (std::size_t i = 0; i < shape.window; ++i)
    for (std::size_t j = 0; j < shape.window; ++j) {
      const std::size_t at = (row * shape.step + i) * shape.width + column * shape.step + j;
      const auto value = enter<Precision, false>(plane[at]);
      const bool larger = value > largest || (value != value && largest == largest);
      best = larger ? at : best;
      largest = larger ? value : largest;
    }
  return best;
}

}  // namespace detail

template <class Precision, class T, class Sink>
struct max_pool_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = false;

  const T* x;
  pool_shape shape;
  Sink sink;

  [[nodiscard]] constexpr std::size_t tasks() const { return shape.planes; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.columns; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
    const T* const plane = x + task * shape.height * shape.width;
    for (std::size_t r = 0; r < shape.rows; ++r) {
      for (std::size_t c = 0; c < shape.columns; ++c)
        row[c] = detail::enter<Precision, false>(plane[detail::largest_in_window<Precision>(shape, plane, r, c)]);
      sink((task * shape.rows + r) * shape.columns, shape.columns, row, sum);
    }
  }
};

template <class Precision, class T, class G, class Sink>
struct max_pool_gradient_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;

  const T* x;
  const G* g;
  pool_shape shape;
  Sink sink;

  [[nodiscard]] constexpr std::size_t tasks() const { return shape.planes; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.height * shape.width; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* plane_gradient, tally& sum) const {
    const std::size_t size = shape.height * shape.width;
    const T* const plane = x + task * size;
    const G* const incoming = g + task * shape.rows * shape.columns;
    for (std::size_t i = 0; i < size; ++i) plane_gradient[i] = A(0);
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.columns; ++c)
        plane_gradient[detail::largest_in_window<Precision>(shape, plane, r, c)] +=
            convert<A>(incoming[r * shape.columns + c]);
    sink(task * size, size, plane_gradient, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
