// SPDX-License-Identifier: MIT
//
// Normalisation of rows, forward and backward, a row at a time in scratch: memory is read once and written once. The
// backward pass takes the statistics again, which costs less than keeping them would.
#pragma once

#include <mezzo/backend/reduce_loop.hpp>
#include <mezzo/expr/normalize.hpp>
#include <mezzo/expr/sweep.hpp>
#include <mezzo/number/fma.hpp>
#include <mezzo/number/sqrt.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// A gain or a shift as operands of the operation: an array, or one number.
template <class Precision, class P>
struct norm_parameters {
  const P* data;
  MEZZO_INLINE constexpr auto operator[](std::size_t i) const { return enter<Precision, false>(data[i]); }
  MEZZO_INLINE constexpr norm_parameters from(std::size_t first) const { return {data + first}; }
};
template <class Precision>
struct norm_parameters<Precision, weak_value> {
  weak_value number;
  MEZZO_INLINE constexpr auto operator[](std::size_t) const { return enter<Precision, false>(number); }
  MEZZO_INLINE constexpr norm_parameters from(std::size_t) const { return *this; }
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

/// Statistics of a row: x̂ = (x − mean)·scale.
template <class A>
struct row_statistics {
  A mean, scale;
  MEZZO_INLINE constexpr A normalized(A x) const {
    MEZZO_ROUND_EACH
    return (x - mean) * scale;
  }
};
template <bool Centered, std::size_t Bytes, class X, class A>
MEZZO_INLINE constexpr row_statistics<A> statistics_of(const X& x, std::size_t length, A epsilon) {
  const A count = static_cast<A>(length);
  const A mean = Centered ? row_sum<Bytes>(x, length) / count : A(0);
  const A squares = Centered ? row_deviation<Bytes>(x, length, mean) : row_dot<Bytes>(x, x, length);
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

  [[nodiscard]] constexpr std::size_t tasks() const { return shape.rows; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return shape.length; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
    const auto in = run_of<Precision>(x + task * shape.length, row, shape.length);
    constexpr bool halves = !Shares && in_halves<Sink, std::remove_cvref_t<decltype(in)>>;
    const auto statistics = detail::statistics_of<Centered, Bytes>(in, shape.length, epsilon);
    detail::for_parameters<Shares>(
        shape, task, [&](std::size_t j, std::size_t first, std::size_t count) MEZZO_INLINE_LAMBDA {
          const auto by = gain.from(j);
          const auto plus = shift.from(j);
          deliver_run<halves>(sink, task * shape.length + first, count, row + first, sum,
                              [&](auto i) MEZZO_INLINE_LAMBDA {
                                if constexpr (Shares)
                                  return math::fma(statistics.normalized(in[first + i]), by[0], plus[0]);
                                else
                                  return math::fma(statistics.normalized(in[i]), by[i], plus[i]);
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

  [[nodiscard]] constexpr std::size_t tasks() const { return blocks(shape); }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 2 * shape.length; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
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
      constexpr bool halves =
          !Shares && in_halves<Sink, std::remove_cvref_t<decltype(in)>, std::remove_cvref_t<decltype(dy)>>;
      const detail::scratch_row<halves, A> hat(row, shape.length), through(h, shape.length);
      const auto statistics = detail::statistics_of<Centered, Bytes>(in, shape.length, epsilon);
      detail::for_parameters<Shares>(
          shape, r, [&](std::size_t j, std::size_t first_of, std::size_t count) MEZZO_INLINE_LAMBDA {
            const std::size_t at = task * parameters + j;
            if constexpr (Shares)
              add_shared<Bytes>(at, gain.from(j)[0], in, dy, statistics, row, h, first_of, count);
            else
              add_each<halves>(at, gain.from(j), in, dy, statistics, hat, through, count);
          });
      if constexpr (!std::same_as<Sink, no_sink>) {
        // dx from h = gain·dy
        const A count = static_cast<A>(shape.length);
        const A along = detail::row_dot<Bytes>(through, hat, shape.length) / count;
        const A mean = Centered ? detail::row_sum<Bytes>(through, shape.length) / count : A(0);
        const A scale = statistics.scale;
        deliver_run<halves>(sink, r * shape.length, shape.length, row, sum, [&](auto i) MEZZO_INLINE_LAMBDA {
          MEZZO_ROUND_EACH
          return scale * math::fma(hat[i], -along, through[i] - mean);
        });
      }
    }
  }

 private:
  /// Writes x̂ and gain·dy of a run of elements that shares one parameter; adds Σ dy·x̂ and Σ dy over it to the sums of
  /// that.
  template <std::size_t Bytes, class X, class DY>
  MEZZO_INLINE constexpr void add_shared(std::size_t at, A factor, const X& in, const DY& dy,
                                         const detail::row_statistics<A>& statistics, A* row, A* h, std::size_t first,
                                         std::size_t count) const {
    MEZZO_ROUND_EACH
    MEZZO_INDEPENDENT
    for (std::size_t i = first; i < first + count; ++i) {
      row[i] = statistics.normalized(in[i]);
      h[i] = dy[i];
    }
    const detail::number_run<A> hat{row + first}, incoming{h + first};
    if (gains != nullptr) gains[at] += detail::row_dot<Bytes>(incoming, hat, count);
    if (shifts != nullptr) shifts[at] += detail::row_sum<Bytes>(incoming, count);
    MEZZO_INDEPENDENT
    for (std::size_t i = first; i < first + count; ++i) h[i] *= factor;
  }

  /// The same for a row whose elements have parameters of their own, to the sums from `at` on.
  template <bool Halves, class Gains, class X, class DY, class Row>
  MEZZO_INLINE constexpr void add_each(std::size_t at, const Gains& factors, const X& in, const DY& dy,
                                       const detail::row_statistics<A>& statistics, const Row& hat, const Row& through,
                                       std::size_t count) const {
    A* const to_gain = gains + at;
    A* const to_shift = shifts + at;
    if (gains != nullptr && shifts != nullptr) {
      detail::for_elements<Halves>(count, [&](auto i) MEZZO_INLINE_LAMBDA {
        MEZZO_ROUND_EACH
        const A incoming = dy[i], normalized = statistics.normalized(in[i]);
        hat[i] = normalized;
        through[i] = incoming * factors[i];
        to_gain[i] = math::fma(incoming, normalized, to_gain[i]);
        to_shift[i] += incoming;
      });
      return;
    }
    // Before anything is written: x and dy may have been read to where x̂ and gain·dy go.
    if (gains != nullptr)
      detail::for_elements<Halves>(count, [&](auto i) MEZZO_INLINE_LAMBDA {
        to_gain[i] = math::fma(dy[i], statistics.normalized(in[i]), to_gain[i]);
      });
    if (shifts != nullptr)
      detail::for_elements<Halves>(count, [&](auto i) MEZZO_INLINE_LAMBDA { to_shift[i] += dy[i]; });
    detail::for_elements<Halves>(count, [&](auto i) MEZZO_INLINE_LAMBDA {
      MEZZO_ROUND_EACH
      hat[i] = statistics.normalized(in[i]);
      through[i] = dy[i] * factors[i];
    });
  }
};

}  // namespace mezzo::inline MEZZO_ABI
