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
};

namespace detail {

/// Offset, from its first element, of the first largest element of a window, or of its first NaN.
template <std::size_t Window, class Precision, class T>
MEZZO_INLINE constexpr std::size_t largest_in_window(const T* window, std::size_t width) {
  std::size_t best = 0;
  auto largest = enter<Precision, false>(window[0]);
  for (std::size_t i = 0; i < Window; ++i)
    for (std::size_t j = 0; j < Window; ++j) {
      const auto value = enter<Precision, false>(window[i * width + j]);
      const bool larger = (value > largest) | ((value != value) & (largest == largest));
      best = larger ? i * width + j : best;
      largest = larger ? value : largest;
    }
  return best;
}

/// The largest element of a window, NaN where it holds one.
template <std::size_t Window, class Precision, class T>
MEZZO_INLINE constexpr auto largest_of_window(const T* window, std::size_t width) {
  auto largest = enter<Precision, false>(window[0]);
  for (std::size_t i = 0; i < Window; ++i)
    for (std::size_t j = 0; j < Window; ++j) {
      const auto value = enter<Precision, false>(window[i * width + j]);
      largest = ((value > largest) | (value != value)) ? value : largest;
    }
  return largest;
}

}  // namespace detail

/// Windows of `Window`×`Window` elements, `Step` apart.
template <std::size_t Window, std::size_t Step, class Precision, class T, class Sink>
struct max_pool_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = false;

  const T* x;
  pool_shape shape;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t results = shape.planes * shape.rows * shape.columns;
    const kernel_work own{short_name{} << "max_pool2d", results, {Window * Window, 0, 0, 0}, 0, true};
    return detail::delivering(own.reading(x, shape.planes * shape.height * shape.width), sink, results);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return shape.planes; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.columns; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    const T* const plane = x + task * shape.height * shape.width;
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const T* const line = plane + r * Step * shape.width;
      MEZZO_INDEPENDENT
      for (std::size_t c = 0; c < shape.columns; ++c)
        row[c] = detail::largest_of_window<Window, Precision>(line + c * Step, shape.width);
      sink((task * shape.rows + r) * shape.columns, shape.columns, row, sum);
    }
  }
};

template <std::size_t Window, std::size_t Step, class Precision, class T, class G, class Sink>
struct max_pool_gradient_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;

  const T* x;
  const G* g;
  pool_shape shape;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t results = shape.planes * shape.rows * shape.columns;
    const std::size_t total = shape.planes * shape.height * shape.width;
    const kernel_work own{short_name{} << "max_pool2d gradient", results, {3 * Window * Window, 0, 0, 0}, 0, true};
    return detail::delivering(own.reading(x, total).reading(g, results), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return shape.planes; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.height * shape.width; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* plane_gradient, auto& sum) const {
    const std::size_t size = shape.height * shape.width;
    const T* const plane = x + task * size;
    const G* const incoming = g + task * shape.rows * shape.columns;
    for (std::size_t i = 0; i < size; ++i) plane_gradient[i] = A(0);
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.columns; ++c) {
        const std::size_t first = r * Step * shape.width + c * Step;
        plane_gradient[first + detail::largest_in_window<Window, Precision>(plane + first, shape.width)] +=
            convert<A>(incoming[r * shape.columns + c]);
      }
    sink(task * size, size, plane_gradient, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
