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
template <bool Centered, std::size_t Bytes, class X, class A>
MEZZO_INLINE constexpr row_statistics<A> statistics_of(const X& x, std::size_t length, A epsilon) {
  constexpr std::size_t bytes = bytes_from_memory<Bytes, X>;
  const A count = static_cast<A>(length);
  const A mean = Centered ? row_sum<bytes>(x, length) / count : A(0);
  const A squares = Centered ? row_deviation<bytes>(x, length, mean) : row_dot<bytes>(x, x, length);
  return {mean, A(1) / math::sqrt(squares / count + epsilon)};
}

/// x̂ of a run.
template <class X, class A>
struct normalized_run {
  X x;
  row_statistics<A> statistics;
  template <class Index>
  MEZZO_INLINE constexpr A operator[](Index i) const {
    return statistics.normalized(x[i]);
  }
};

/// Of each element of a row, as terms of two sums: x̂·h and h, where h = gain·dy; on the way dy·x̂ and dy are added to
/// the sums of the parameters.
template <class X, class DY, class Row>
struct norm_gradient_terms {
  using value_type = typename X::value_type;
  static constexpr std::size_t sums = 2;
  static constexpr bool in_halves = loads_halves<X> && loads_halves<DY> && loads_halves<Row>;

  X x;
  DY dy;
  row_statistics<value_type> statistics;
  Row gain, to_gain, to_shift;

  MEZZO_INLINE constexpr several_sums<value_type, 2> operator[](std::size_t i) const {
    MEZZO_ROUND_EACH
    const value_type hat = statistics.normalized(x[i]), incoming = dy[i], through = incoming * gain[i];
    to_gain[i] += incoming * hat;
    to_shift[i] += incoming;
    return {{through * hat, through}};
  }
#if MEZZO_VECTORS
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V (&to)[2]) const {
    V hat, incoming, gains, shifts;
    x.load(i, hat);
    dy.load(i, incoming);
    gain.load(i, to[1]);
    to_gain.load(i, gains);
    to_shift.load(i, shifts);
    term(hat, incoming, gains, shifts, to);
    to_gain.store(i, gains);
    to_shift.store(i, shifts);
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V (&even)[2], V (&odd)[2]) const {
    V hat[2], incoming[2], gains[2], shifts[2];
    x.load(i, hat[0], hat[1]);
    dy.load(i, incoming[0], incoming[1]);
    gain.load(i, even[1], odd[1]);
    to_gain.load(i, gains[0], gains[1]);
    to_shift.load(i, shifts[0], shifts[1]);
    term(hat[0], incoming[0], gains[0], shifts[0], even);
    term(hat[1], incoming[1], gains[1], shifts[1], odd);
    to_gain.store(i, gains[0], gains[1]);
    to_shift.store(i, shifts[0], shifts[1]);
  }

 private:
  template <class V>
  MEZZO_INLINE void term(V& hat, const V& incoming, V& gains, V& shifts, V (&to)[2]) const {
    MEZZO_ROUND_EACH
    hat -= statistics.mean;
    hat *= statistics.scale;
    to[1] *= incoming;
    to[0] = to[1] * hat;
    gains += incoming * hat;
    shifts += incoming;
  }
#endif
};

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

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
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

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = shape.rows * shape.length;
    const kernel_work own{short_name{} << detail::norm_name<Centered, Shares> << " gradient", total, {0, 9, 0, 0},
                          5 * total};
    return detail::delivering(own.reading(x, total).reading(g, total), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return blocks(shape); }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 4 * shape.length; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    using plain = precision<as_given, A, A>;
    using X = decltype(run_of<Precision>(x, row, shape.length));
    using DY = decltype(run_of<plain>(g, row, shape.length));
    constexpr bool halves = !Shares && in_halves<Sink, X, DY>;
    A* const h = row + shape.length;
    const std::size_t parameters = shape.parameters();
    A* const gain_sums = gains == nullptr ? nullptr : gains + task * parameters;
    A* const shift_sums = shifts == nullptr ? nullptr : shifts + task * parameters;
    for (A* const sums : {gain_sums, shift_sums})
      for (std::size_t j = 0; sums != nullptr && j < parameters; ++j) sums[j] = A(0);
    // Elements with gains of their own: one row of gains (see `for_parameters`), as the loops read it, and, in their
    // order, the sums.
    const detail::scratch_row<halves, A> own(h + shape.length, shape.length);
    if constexpr (!Shares)
      detail::for_elements<halves>(shape.length, [&](auto i) MEZZO_INLINE_LAMBDA { own[i] = gain[i]; });
    const std::size_t first = task * block_rows(shape);
    const std::size_t last = shape.rows - first < block_rows(shape) ? shape.rows : first + block_rows(shape);
    for (std::size_t r = first; r < last; ++r) {
      const auto in = run_of<Precision>(x + r * shape.length, row, shape.length);
      const auto dy = run_of<plain>(g + r * shape.length, h, shape.length);
      const auto statistics = detail::statistics_of<Centered, Bytes>(in, shape.length, epsilon);
      if constexpr (Shares)
        shared_row<Bytes>(r, in, dy, statistics, gain_sums, shift_sums, row, h, sum);
      else
        own_row<Bytes, halves>(r, in, dy, statistics, own, gain_sums, shift_sums, row, h + 2 * shape.length, sum);
    }
    if constexpr (halves)
      for (A* const sums : {gain_sums, shift_sums})
        if (sums != nullptr) {
          const detail::scratch_row<true, A> apart(sums, shape.length);
          detail::for_elements<true>(shape.length, [&](auto i) MEZZO_INLINE_LAMBDA { row[i] = apart[i]; });
          for (std::size_t i = 0; i < shape.length; ++i) sums[i] = row[i];
        }
  }

 private:
  using statistics_type = detail::row_statistics<A>;

  /// A row of runs that share a parameter each: keeps x̂ and gain·dy in scratch.
  template <std::size_t Bytes, class X, class DY>
  MEZZO_INLINE constexpr void shared_row(std::size_t r, const X& in, const DY& dy, const statistics_type& statistics,
                                         A* gain_sums, A* shift_sums, A* row, A* h, auto& sum) const {
    MEZZO_ROUND_EACH
    detail::for_parameters<true>(
        shape, r, [&](std::size_t j, std::size_t first, std::size_t count) MEZZO_INLINE_LAMBDA {
          MEZZO_INDEPENDENT
          for (std::size_t i = first; i < first + count; ++i) {
            row[i] = statistics.normalized(in[i]);
            h[i] = dy[i];
          }
          const detail::number_run<A> hat{row + first}, incoming{h + first};
          if (gain_sums != nullptr) gain_sums[j] += detail::row_dot<Bytes>(incoming, hat, count);
          if (shift_sums != nullptr) shift_sums[j] += detail::row_sum<Bytes>(incoming, count);
          const A factor = gain[j];
          MEZZO_INDEPENDENT
          for (std::size_t i = first; i < first + count; ++i) h[i] *= factor;
        });
    if constexpr (!std::same_as<Sink, no_sink>) {
      const detail::number_run<A> hat{row}, through{h};
      const A along = detail::row_dot<Bytes>(through, hat, shape.length);
      deliver<false>(r, along, Centered ? detail::row_sum<Bytes>(through, shape.length) : A(0), statistics.scale, hat,
                     through, row, sum);
    }
  }

  /// A row whose elements have parameters of their own: x̂ and gain·dy are cheaper made twice than kept.
  template <std::size_t Bytes, bool Halves, class X, class DY, class Row>
  MEZZO_INLINE constexpr void own_row(std::size_t r, const X& in, const DY& dy, const statistics_type& statistics,
                                      const Row& own, A* gain_sums, A* shift_sums, A* row, A* nowhere,
                                      auto& sum) const {
    const std::size_t length = shape.length;
    if (gain_sums == nullptr || shift_sums == nullptr)
      for (std::size_t i = 0; i < length; ++i) nowhere[i] = A(0);
    const Row to_gain(gain_sums == nullptr ? nowhere : gain_sums, length);
    const Row to_shift(shift_sums == nullptr ? nowhere : shift_sums, length);
    const detail::norm_gradient_terms<X, DY, Row> terms{in, dy, statistics, own, to_gain, to_shift};
    const auto sums = detail::sum_of_terms<A, detail::bytes_from_memory<Bytes, X>>(length, terms);
    if constexpr (!std::same_as<Sink, no_sink>) {
      const detail::normalized_run<X, A> hat{in, statistics};
      const detail::product_terms<DY, Row> through{dy, own};
      deliver<Halves>(r, sums.of[0], Centered ? sums.of[1] : A(0), statistics.scale, hat, through, row, sum);
    }
  }

  /// dx of a row from h = gain·dy: scale·(h − Σh/n − x̂·Σ(x̂·h)/n).
  template <bool Halves, class Hat, class Through>
  MEZZO_INLINE constexpr void deliver(std::size_t r, A along_sum, A through_sum, A scale, const Hat& hat,
                                      const Through& through, A* row, auto& sum) const {
    const A count = static_cast<A>(shape.length);
    const A along = along_sum / count, mean = through_sum / count;
    deliver_run<Halves>(sink, r * shape.length, shape.length, row, sum, [&](auto i) MEZZO_INLINE_LAMBDA {
      MEZZO_ROUND_EACH
      return scale * math::fma(hat[i], -along, through[i] - mean);
    });
  }
};

}  // namespace mezzo::inline MEZZO_ABI
