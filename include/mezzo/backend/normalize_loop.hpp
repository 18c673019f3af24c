// SPDX-License-Identifier: MIT
//
// Normalisation of rows, forward and backward, a row at a time in scratch: memory is read once and written once. The
// backward pass takes the statistics again, which costs less than keeping them would.
#pragma once

#include <mezzo/backend/reduce_loop.hpp>
#include <mezzo/expr/normalize.hpp>
#include <mezzo/expr/sweep.hpp>
#include <mezzo/number/sqrt.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// A gain or a shift as operands of the operation: an array, or one number.
template <class Precision, class P>
struct norm_parameters {
  const P* data;
  MEZZO_INLINE constexpr auto operator[](std::size_t i) const { return enter<Precision, false>(data[i]); }
};
template <class Precision>
struct norm_parameters<Precision, weak_value> {
  weak_value number;
  MEZZO_INLINE constexpr auto operator[](std::size_t) const { return enter<Precision, false>(number); }
};

/// Calls `f(j, first, count)` for each run of elements of row `row` that have parameter `j`, or, where each element has
/// its own, once for all of them: element i has parameter j + i.
template <bool Shares, class F>
MEZZO_INLINE constexpr void for_parameters(const normalized_rows& shape, std::size_t row, const F& f) {
  const std::size_t own = shape.length / shape.repeat;
  const std::size_t at = row % shape.cycle * own;
  if constexpr (Shares) {
    for (std::size_t j = 0; j < own; ++j) f(at + j, j * shape.repeat, shape.repeat);
  } else {
    f(at, std::size_t{0}, shape.length);
  }
}

template <bool Centered, bool Shares>
inline constexpr const char* norm_name = !Centered ? "rms_norm" : Shares ? "group_norm" : "layer_norm";

/// Statistics of a row: x̂ = (x − mean)·scale.
template <class A>
struct row_statistics {
  A mean, scale;
  MEZZO_INLINE constexpr A normalized(A x) const {
    MEZZO_ROUND_EACH
    return (x - mean) * scale;
  }
};
template <bool Centered, class X, class A>
MEZZO_INLINE constexpr row_statistics<A> statistics_of(const X& x, std::size_t length, A epsilon) {
  const A count = static_cast<A>(length);
  const A mean = Centered ? row_sum(x, length) / count : A(0);
  const A squares = Centered ? row_deviation(x, length, mean) : row_dot(x, x, length);
  return {mean, A(1) / math::sqrt(squares / count + epsilon)};
}

}  // namespace detail

/// One row a task.
template <class Precision, bool Centered, bool Shares, class T, class Gain, class Shift, class Sink>
struct normalize_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = false;
  static constexpr bool worth_wide = true;

  const T* x;
  normalized_rows shape;
  Gain gain;    // norm_parameters
  Shift shift;  // the same
  A epsilon;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = shape.rows * shape.length;
    const kernel_work own{short_name{} << detail::norm_name<Centered, Shares>, total, {0, 5, 0, 0},
                          (Centered ? 2 : 1) * total};
    return detail::delivering(own.reading(x, total), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return shape.rows; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.length; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    const auto in = run_of<Precision>(x + task * shape.length, row, shape.length);
    const auto statistics = detail::statistics_of<Centered>(in, shape.length, epsilon);
    detail::for_parameters<Shares>(
        shape, task, [&](std::size_t j, std::size_t first, std::size_t count) MEZZO_INLINE_LAMBDA {
          deliver_run(sink, task * shape.length + first, count, row + first, sum,
                      [&](std::size_t i) MEZZO_INLINE_LAMBDA {
                        MEZZO_ROUND_EACH
                        const std::size_t at = Shares ? j : j + i;
                        return statistics.normalized(in[first + i]) * gain[at] + shift[at];
                      });
        });
  }
};

/// Gradients of x and, in the same pass, of the parameters, each unless its sink is a `no_sink`. A task is a block of
/// rows; its sums over them go to `gains` and `shifts`, one row of parameters for each block.
template <class Precision, bool Centered, bool Shares, class T, class Gain, class G, class Sink>
struct normalize_gradient_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;
  static constexpr bool worth_wide = true;

  const T* x;
  const G* g;
  normalized_rows shape;
  Gain gain;  // norm_parameters
  A epsilon;
  Sink sink;
  A* gains;   // null where nobody wants them
  A* shifts;

  /// Rows of a block: enough that its sums cost little beside them, few enough that threads share them.
  [[nodiscard]] static constexpr std::size_t block_rows(const normalized_rows& shape) {
    constexpr std::size_t least = 8, most = 64, elements = 65536;
    const std::size_t rows = shape.length == 0 ? most : elements / shape.length;
    return rows < least ? least : rows > most ? most : rows;
  }
  [[nodiscard]] static constexpr std::size_t blocks(const normalized_rows& shape) {
    return (shape.rows + block_rows(shape) - 1) / block_rows(shape);
  }

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = shape.rows * shape.length;
    const kernel_work own{short_name{} << detail::norm_name<Centered, Shares> << " gradient", total, {0, 9, 0, 0},
                          5 * total};
    return detail::delivering(own.reading(x, total).reading(g, total), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return blocks(shape); }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 2 * shape.length; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    A* const h = row + shape.length;
    const std::size_t parameters = shape.parameters();
    if (gains != nullptr)
      for (std::size_t j = 0; j < parameters; ++j) gains[task * parameters + j] = A(0);
    if (shifts != nullptr)
      for (std::size_t j = 0; j < parameters; ++j) shifts[task * parameters + j] = A(0);
    const std::size_t first = task * block_rows(shape);
    const std::size_t last = shape.rows - first < block_rows(shape) ? shape.rows : first + block_rows(shape);
    for (std::size_t r = first; r < last; ++r) {
      const auto in = run_of<Precision>(x + r * shape.length, row, shape.length);
      const auto dy = run_of<precision<as_given, A, A>>(g + r * shape.length, h, shape.length);
      const auto statistics = detail::statistics_of<Centered>(in, shape.length, epsilon);
      detail::for_parameters<Shares>(
          shape, r, [&](std::size_t j, std::size_t first_of, std::size_t count) MEZZO_INLINE_LAMBDA {
            add_parameters(task * parameters + j, j, in, dy, statistics, row, h, first_of, count);
          });
      if constexpr (!std::same_as<Sink, no_sink>) {
        // dx from h = gain·dy
        const detail::number_run<A> hat{row}, through{h};
        const A count = static_cast<A>(shape.length);
        const A along = detail::row_dot(through, hat, shape.length) / count;
        const A mean = Centered ? detail::row_sum(through, shape.length) / count : A(0);
        const A scale = statistics.scale;
        deliver_run(sink, r * shape.length, shape.length, row, sum, [&](std::size_t i) MEZZO_INLINE_LAMBDA {
          MEZZO_ROUND_EACH
          return scale * (h[i] - mean - row[i] * along);
        });
      }
    }
  }

 private:
  /// Writes x̂ and gain·dy of a run of elements; adds Σ dy·x̂ and Σ dy to the sums from `at` on, over the run where it
  /// shares one parameter, else element by element.
  template <class X, class DY>
  MEZZO_INLINE constexpr void add_parameters(std::size_t at, std::size_t j, const X& in, const DY& dy,
                                             const detail::row_statistics<A>& statistics, A* row, A* h,
                                             std::size_t first, std::size_t count) const {
    MEZZO_ROUND_EACH
    if constexpr (Shares) {
      const A factor = gain[j];
      MEZZO_INDEPENDENT
      for (std::size_t i = first; i < first + count; ++i) {
        row[i] = statistics.normalized(in[i]);
        h[i] = dy[i];
      }
      const detail::number_run<A> hat{row + first}, incoming{h + first};
      if (gains != nullptr) gains[at] += detail::row_dot(incoming, hat, count);
      if (shifts != nullptr) shifts[at] += detail::row_sum(incoming, count);
      MEZZO_INDEPENDENT
      for (std::size_t i = first; i < first + count; ++i) h[i] *= factor;
    } else {
      A* const to_gain = gains == nullptr ? row : gains + at;
      A* const to_shift = shifts == nullptr ? row : shifts + at;
      if (gains != nullptr && shifts != nullptr) {
        MEZZO_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          row[i] = statistics.normalized(in[i]);
          to_gain[i] += dy[i] * row[i];
          to_shift[i] += dy[i];
          h[i] = dy[i] * gain[j + i];
        }
      } else {
        MEZZO_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) {
          row[i] = statistics.normalized(in[i]);
          h[i] = dy[i] * gain[j + i];
        }
        if (gains != nullptr) {
          MEZZO_INDEPENDENT
          for (std::size_t i = 0; i < count; ++i) to_gain[i] += dy[i] * row[i];
        }
        if (shifts != nullptr) {
          MEZZO_INDEPENDENT
          for (std::size_t i = 0; i < count; ++i) to_shift[i] += dy[i];
        }
      }
    }
  }
};

}  // namespace mezzo::inline MEZZO_ABI
