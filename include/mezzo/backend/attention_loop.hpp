// SPDX-License-Identifier: MIT
//
// The rows between the two products of attention: scores become weights, and gradients of weights become gradients of
// scores, in place.
#pragma once

#include <mezzo/backend/softmax_loop.hpp>
#include <mezzo/expr/attention.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Scores of queries from `first` on, `keys` a row, to softmax(scale·scores) over the keys that a query sees; the
/// others get 0.
template <class A, class Mask>
struct attention_weights_kernel {
  using scratch = A;
  static constexpr bool inspects = false;
  static constexpr bool worth_wide = true;

  A* scores;
  std::size_t rows, first, keys;
  A scale;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own{short_name{} << "attention weights", rows * keys, {0, 3, 0, 1}, 2 * rows * keys};
    return own.reading(scores, rows * keys).writing(scores, rows * keys);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return rows; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A*, auto&) const {
    A* const row = scores + task * keys;
    const std::size_t seen = Mask::visible(first + task, keys);
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < seen; ++i) row[i] *= scale;
    const detail::number_run<A> in{row};
    const A total = detail::exp_row(in, detail::scratch_row<false, A>(row, seen), seen, detail::row_shift(in, seen));
    const A factor = total == A(0) ? A(0) : A(1) / total;
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < seen; ++i) row[i] *= factor;
    for (std::size_t i = seen; i < keys; ++i) row[i] = A(0);
  }
};

/// Gradients of weights, in place, to those of scores: scale·p·(g − Σ p·g).
template <class A>
struct attention_scores_gradient_kernel {
  using scratch = A;
  static constexpr bool inspects = false;

  const A* weights;
  A* gradients;
  std::size_t rows, keys;
  A scale;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own{short_name{} << "attention weights gradient", rows * keys, {0, 4, 0, 0}, rows * keys};
    return own.reading(weights, rows * keys).reading(gradients, rows * keys).writing(gradients, rows * keys);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return rows; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A*, auto&) const {
    MEZZO_ROUND_EACH
    const A* const p = weights + task * keys;
    A* const g = gradients + task * keys;
    const A total = detail::row_dot(detail::number_run<A>{p}, detail::number_run<A>{g}, keys);
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < keys; ++i) g[i] = scale * (p[i] * (g[i] - total));
  }
};

/// Rows of sums to their places: row r to `sink` at r·`stride`.
template <class A, class Sink>
struct deliver_rows_kernel {
  using scratch = A;
  static constexpr bool inspects = true;

  const A* sums;
  std::size_t rows, columns, stride;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own{short_name{} << "attention gradient", rows * columns, {0, 1, 0, 0}};
    return detail::delivering(own.reading(sums, rows * columns), sink, rows * columns);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return rows; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }
  MEZZO_INLINE constexpr void operator()(std::size_t task, A*, auto& sum) const {
    sink(task * stride, columns, sums + task * columns, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
