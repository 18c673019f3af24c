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

/// Largest element of a row, NaN if one is; 0 where the row is −∞ throughout (all masked), so that x − largest is −∞.
template <class A>
MEZZO_INLINE constexpr A row_shift(const A* row, std::size_t length) {
  constexpr A lowest = -std::numeric_limits<A>::infinity();
  A largest = lowest;
  for (std::size_t i = 0; i < length; ++i) largest = row[i] > largest || row[i] != row[i] ? row[i] : largest;
  return largest == lowest ? A(0) : largest;
}

/// Replaces a row by exp(x − shift) and returns its sum.
template <class A>
MEZZO_INLINE constexpr A exp_row(A* row, std::size_t length, A shift) {
  MEZZO_INDEPENDENT
  for (std::size_t i = 0; i < length; ++i) row[i] = math::exp(row[i] - shift);
  return ordered_sum<A>(length, [&](std::size_t i) MEZZO_INLINE_LAMBDA { return row[i]; });
}

}  // namespace detail

/// Softmax (or its logarithm) along the middle of three axes. A fully masked row gives zeros (−∞).
template <class Precision, bool Logarithm, class T, class Sink>
struct softmax_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = false;

  const T* x;
  detail::axis_split axes;
  Sink sink;

  [[nodiscard]] constexpr std::size_t tasks() const { return axes.outer * axes.inner; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return axes.length; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
    const std::size_t base = task / axes.inner * axes.length * axes.inner + task % axes.inner;
    for (std::size_t i = 0; i < axes.length; ++i) row[i] = detail::enter<Precision, false>(x[base + i * axes.inner]);
    const A shift = detail::row_shift(row, axes.length);
    const A total = detail::exp_row(row, axes.length, shift);
    if constexpr (Logarithm) {
      const A logarithm = total == A(0) ? A(0) : math::log(total);
      for (std::size_t i = 0; i < axes.length; ++i)
        row[i] = detail::enter<Precision, false>(x[base + i * axes.inner]) - shift - logarithm;
    } else {
      const A factor = total == A(0) ? A(0) : A(1) / total;
      for (std::size_t i = 0; i < axes.length; ++i) row[i] *= factor;
    }
    if (axes.inner == 1)
      sink(base, axes.length, row, sum);
    else
      for (std::size_t i = 0; i < axes.length; ++i) sink(base + i * axes.inner, 1, row + i, sum);
  }
};

/// Gradient of softmax from its result y: y·(g − Σ g·y); of its logarithm: g − exp(y)·Σ g.
template <class Precision, bool Logarithm, class Y, class G, class Sink>
struct softmax_gradient_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;

  const Y* y;
  const G* g;
  detail::axis_split axes;
  Sink sink;

  [[nodiscard]] constexpr std::size_t tasks() const { return axes.outer * axes.inner; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return axes.length; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
    const std::size_t base = task / axes.inner * axes.length * axes.inner + task % axes.inner;
    const auto result = [&](std::size_t i) MEZZO_INLINE_LAMBDA { return convert<A>(y[base + i * axes.inner]); };
    const auto incoming = [&](std::size_t i) MEZZO_INLINE_LAMBDA { return convert<A>(g[base + i * axes.inner]); };
    const A total = detail::ordered_sum<A>(axes.length, [&](std::size_t i) MEZZO_INLINE_LAMBDA {
      if constexpr (Logarithm)
        return incoming(i);
      else
        return incoming(i) * result(i);
    });
    for (std::size_t i = 0; i < axes.length; ++i) {
      MEZZO_ROUND_EACH
      if constexpr (Logarithm)
        row[i] = incoming(i) - math::exp(result(i)) * total;
      else
        row[i] = result(i) * (incoming(i) - total);
    }
    if (axes.inner == 1)
      sink(base, axes.length, row, sum);
    else
      for (std::size_t i = 0; i < axes.length; ++i) sink(base + i * axes.inner, 1, row + i, sum);
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
  static constexpr std::size_t grain = 16;  // rows of one task

  const T* logits;
  const Label* labels;
  std::size_t rows;
  std::size_t classes;
  A* losses;  // one a row
  A factor;
  Sink sink;

  [[nodiscard]] constexpr std::size_t tasks() const { return (rows + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return classes; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* row, tally& sum) const {
    const std::size_t last = rows - task * grain < grain ? rows : (task + 1) * grain;
    for (std::size_t r = task * grain; r < last; ++r) {
      const T* const x = logits + r * classes;
      for (std::size_t i = 0; i < classes; ++i) row[i] = detail::enter<Precision, false>(x[i]);
      const A shift = detail::row_shift(row, classes);
      const auto label = static_cast<std::size_t>(labels[r]);
      const A chosen = row[label] - shift;
      const A total = detail::exp_row(row, classes, shift);
      losses[r] = math::log(total) - chosen;
      if (sink.data == nullptr) continue;
      for (std::size_t i = 0; i < classes; ++i) row[i] /= total;
      row[label] -= A(1);
      for (std::size_t i = 0; i < classes; ++i) row[i] *= factor;
      sink(r * classes, classes, row, sum);
    }
  }
};

}  // namespace mezzo::inline MEZZO_ABI
