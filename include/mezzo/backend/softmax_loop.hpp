// SPDX-License-Identifier: MIT
//
// Softmax, its logarithm and cross-entropy, forward and backward, a row at a time. Every row subtracts its largest
// element first; sums are float32 or wider, in an order fixed by the sizes.
#pragma once

#include <mezzo/backend/reduce_loop.hpp>
#include <mezzo/number/limits.hpp>
#include <mezzo/number/math.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Largest element of a row; 0 where the row is −∞ throughout (all masked), so that x − largest is −∞. A NaN need not
/// win: it comes back as the sum of the exponentials.
template <std::size_t Bytes = row_bytes, class X, class A = typename X::value_type>
MEZZO_INLINE constexpr A row_shift(const X& x, std::size_t length) {
  constexpr A lowest = -std::numeric_limits<A>::infinity();
  const A largest = row_largest<Bytes>(x, length, lowest);
  return largest == lowest ? A(0) : largest;
}

/// exp(x − shift) of a row to a row in scratch, which may be where x lies unless that is bfloat16; returns their sum.
template <std::size_t Bytes = row_bytes, bool Halves, class X, class A>
MEZZO_INLINE constexpr A exp_row(const X& x, const scratch_row<Halves, A>& out, std::size_t length, A shift) {
  for_elements<Halves>(length, [&](auto i) MEZZO_INLINE_LAMBDA { out[i] = math::exp_below_zero(x[i] - shift); });
  return row_sum<Bytes>(out, length);
}

/// Where line `line` along the middle of three axes begins.
MEZZO_INLINE constexpr std::size_t line_begin(const axis_split& axes, std::size_t line) {
  return line / axes.inner * axes.length * axes.inner + line % axes.inner;
}
/// Calls `f` with a line of neighbours (see `run_of`), or one of elements `step` apart, read into `own`.
template <class Precision, class T, class A, class F>
MEZZO_INLINE constexpr void with_line(const T* from, std::size_t step, A* own, std::size_t length, const F& f) {
  if (step == 1) return f(run_of<Precision>(from, own, length));
  for (std::size_t i = 0; i < length; ++i) own[i] = enter<Precision, false>(from[i * step]);
  f(number_run<A>{own});
}
template <bool Halves, class Sink, class A, class F>
MEZZO_INLINE constexpr void deliver_line(const Sink& sink, std::size_t base, std::size_t step, A* own,
                                         std::size_t length, auto& sum, const F& f) {
  if (step == 1) return deliver_run<Halves>(sink, base, length, own, sum, f);
  for (std::size_t i = 0; i < length; ++i) {
    own[i] = f(i);
    sink(base + i * step, 1, own + i, sum);
  }
}

}  // namespace detail

/// Softmax (or its logarithm) along the middle of three axes. A fully masked row gives zeros (−∞).
template <class Precision, bool Logarithm, class T, class Sink>
struct softmax_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = false;
  static constexpr bool worth_wide = true;

  const T* x;
  detail::axis_split axes;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = axes.outer * axes.length * axes.inner;
    const kernel_work own{short_name{} << (Logarithm ? "log_softmax" : "softmax"), total, {0, 2, 0, 1}, 2 * total};
    return detail::delivering(own.reading(x, total), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return axes.outer * axes.inner; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 2 * axes.length; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    const std::size_t base = detail::line_begin(axes, task);
    detail::with_line<Precision>(x + base, axes.inner, row, axes.length, [&](const auto& in) MEZZO_INLINE_LAMBDA {
      constexpr bool halves = in_halves<Sink, std::remove_cvref_t<decltype(in)>>;
      const A shift = detail::row_shift<Bytes>(in, axes.length);
      const detail::scratch_row<halves, A> powers(row + axes.length, axes.length);
      const A total = detail::exp_row<Bytes>(in, powers, axes.length, shift);
      const auto deliver = [&](const auto& f) MEZZO_INLINE_LAMBDA {
        detail::deliver_line<halves>(sink, base, axes.inner, row + axes.length, axes.length, sum, f);
      };
      if constexpr (Logarithm) {
        const A logarithm = total == A(0) ? A(0) : math::log(total);
        deliver([&](auto i) MEZZO_INLINE_LAMBDA {
          MEZZO_ROUND_EACH
          return in[i] - shift - logarithm;
        });
      } else {
        const A factor = total == A(0) ? A(0) : A(1) / total;
        deliver([&](auto i) MEZZO_INLINE_LAMBDA { return powers[i] * factor; });
      }
    });
  }
};

/// Gradient of softmax from its result y: y·(g − Σ g·y); of its logarithm: g − exp(y)·Σ g.
template <class Precision, bool Logarithm, class Y, class G, class Sink>
struct softmax_gradient_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;
  static constexpr bool worth_wide = true;

  const Y* y;
  const G* g;
  detail::axis_split axes;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = axes.outer * axes.length * axes.inner;
    const kernel_work own{short_name{} << (Logarithm ? "log_softmax gradient" : "softmax gradient"), total,
                          {0, 3, 0, std::size_t{Logarithm}}, total};
    return detail::delivering(own.reading(y, total).reading(g, total), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return axes.outer * axes.inner; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 2 * axes.length; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    using plain = precision<as_given, A, A>;
    const std::size_t base = detail::line_begin(axes, task);
    A* const own = row + axes.length;
    detail::with_line<plain>(y + base, axes.inner, row, axes.length, [&](const auto& result) MEZZO_INLINE_LAMBDA {
      detail::with_line<plain>(g + base, axes.inner, own, axes.length, [&](const auto& incoming) MEZZO_INLINE_LAMBDA {
        constexpr bool halves =
            in_halves<Sink, std::remove_cvref_t<decltype(result)>, std::remove_cvref_t<decltype(incoming)>>;
        constexpr std::size_t bytes = detail::bytes_from_memory<Bytes, std::remove_cvref_t<decltype(incoming)>>;
        const A total = Logarithm ? detail::row_sum<bytes>(incoming, axes.length)
                                  : detail::row_dot<bytes>(incoming, result, axes.length);
        detail::deliver_line<halves>(sink, base, axes.inner, own, axes.length, sum, [&](auto i) MEZZO_INLINE_LAMBDA {
          MEZZO_ROUND_EACH
          if constexpr (Logarithm)
            return math::fma(-math::exp_below_zero(result[i]), total, incoming[i]);
          else
            return result[i] * (incoming[i] - total);
        });
      });
    });
  }
};

/// Cross-entropy of one row a task: its loss, log Σ exp(x − x_label), and, in the same pass, the gradient
/// (softmax(x) − onehot(label))·factor, delivered to `sink` unless that has no data. The loss scale rides in `factor`,
/// in float32.
template <class Precision, class T, class Label, class Sink>
struct cross_entropy_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;
  static constexpr bool worth_wide = true;
  static constexpr std::size_t grain = 16;  // rows of one task

  const T* logits;
  const Label* labels;
  std::size_t rows;
  std::size_t classes;
  A* losses;  // one a row
  A factor;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = rows * classes;
    const kernel_work own{short_name{} << "cross_entropy_loss", total, {0, 3, 0, 2}, 2 * total};
    return detail::delivering(own.reading(logits, total).reading(labels, rows).writing(losses, rows), sink, total);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return (rows + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return classes; }

  template <std::size_t Bytes = detail::row_bytes>
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, auto& sum) const {
    const std::size_t last = rows - task * grain < grain ? rows : (task + 1) * grain;
    for (std::size_t r = task * grain; r < last; ++r) {
      const auto in = run_of<Precision>(logits + r * classes, row, classes);
      constexpr bool halves = in_halves<Sink, std::remove_cvref_t<decltype(in)>>;
      const A shift = detail::row_shift<Bytes>(in, classes);
      const auto label = static_cast<std::size_t>(labels[r]);
      const A chosen = in[label] - shift;
      const detail::scratch_row<halves, A> powers(row, classes);
      const A total = detail::exp_row<Bytes>(in, powers, classes, shift);
      losses[r] = math::log(total) - chosen;
      if (sink.data == nullptr) continue;
      // The labelled class loses its 1 before anything is rounded.
      powers[label] -= total;
      const A by = factor / total;
      deliver_run<halves>(sink, r * classes, classes, row, sum,
                          [&](auto i) MEZZO_INLINE_LAMBDA { return powers[i] * by; });
    }
  }
};

}  // namespace mezzo::inline MEZZO_ABI
