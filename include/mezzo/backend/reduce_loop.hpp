// SPDX-License-Identifier: MIT
//
// Sums over some axes of a row-major array. One kernel serves sums, means and the gradients of repeated operands. The
// order of additions is fixed by the sizes alone: neither threads nor instruction sets change a bit.
#pragma once

#include <mezzo/backend/lanes.hpp>
#include <mezzo/backend/row_sums.hpp>
#include <mezzo/backend/sinks.hpp>
#include <mezzo/expr/reduce.hpp>

namespace mezzo::inline MEZZO_ABI {

/// y[kept] = factor · Σ over reduced axes of x, read as `Precision` says.
template <class Precision, class T, class Sink>
struct reduce_kernel {
  using A = typename Precision::compute;
  using scratch = A;
  static constexpr bool inspects = true;
  static constexpr std::size_t grain = 128;  // results of one task

  const T* data = nullptr;
  std::size_t kept_rank = 0;
  std::size_t kept_size[max_rank] = {};
  std::ptrdiff_t kept_stride[max_rank] = {};  // in x, innermost last
  std::size_t reduced_rank = 0;
  std::size_t reduced_size[max_rank] = {};
  std::ptrdiff_t reduced_stride[max_rank] = {};
  std::size_t results = 1;
  A factor = 1;
  Sink sink;

  /// Axes of `loop` (sizes of row-major x); axis r is reduced where `reduced[r]`.
  constexpr reduce_kernel(const T* x, const loop_shape& loop, const bool (&reduced)[max_rank], A by, const Sink& to)
      : data(x), factor(by), sink(to) {
    std::ptrdiff_t step = static_cast<std::ptrdiff_t>(loop.total());
    for (std::size_t r = 0; r < loop.rank; ++r) {
      if (loop.size[r] != 0) step /= static_cast<std::ptrdiff_t>(loop.size[r]);
      if (loop.size[r] == 1) continue;
      std::size_t& rank = reduced[r] ? reduced_rank : kept_rank;
      std::size_t* sizes = reduced[r] ? reduced_size : kept_size;
      std::ptrdiff_t* strides = reduced[r] ? reduced_stride : kept_stride;
      // An axis that continues the one before it joins it.
      if (rank > 0 && strides[rank - 1] == step * static_cast<std::ptrdiff_t>(loop.size[r])) {
        sizes[rank - 1] *= loop.size[r];
        strides[rank - 1] = step;
      } else {
        sizes[rank] = loop.size[r];
        strides[rank++] = step;
      }
      if (!reduced[r]) results *= loop.size[r];
    }
  }

  [[nodiscard]] constexpr kernel_work work() const {
    const std::size_t total = results * reduced_count(reduced_rank);
    const kernel_work own{short_name{} << "sum", total, {}, total, true};
    return detail::delivering(own.reading(data, total), sink, results);
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return (results + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return grain; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* sums, auto& total) const {
    const std::size_t first = task * grain;
    const std::size_t count = results - first < grain ? results - first : grain;
    for (std::size_t i = 0; i < count; ++i) sums[i] = A(0);
    const bool along_results = kept_rank > 0 && kept_stride[kept_rank - 1] == 1;
    if (along_results)
      add_columns(first, count, sums);
    else
      for (std::size_t i = 0; i < count; ++i) sums[i] = sum_of(data + kept_offset(first + i));
    for (std::size_t i = 0; i < count; ++i) sums[i] *= factor;
    sink(first, count, sums, total);
  }

 private:
  MEZZO_INLINE static constexpr std::ptrdiff_t offset_in(std::size_t index, std::size_t rank,
                                                         const std::size_t* sizes, const std::ptrdiff_t* strides) {
    std::ptrdiff_t offset = 0;
    for (std::size_t r = rank; r-- > 0;) {
      offset += static_cast<std::ptrdiff_t>(index % sizes[r]) * strides[r];
      index /= sizes[r];
    }
    return offset;
  }
  MEZZO_INLINE constexpr std::ptrdiff_t kept_offset(std::size_t result) const {
    return offset_in(result, kept_rank, kept_size, kept_stride);
  }
  MEZZO_INLINE constexpr std::size_t reduced_count(std::size_t rank) const {
    std::size_t count = 1;
    for (std::size_t r = 0; r < rank; ++r) count *= reduced_size[r];
    return count;
  }

  /// Neighbouring results lie side by side in x: whole rows are added.
  MEZZO_INLINE constexpr void add_columns(std::size_t first, std::size_t count, A* sums) const {
    const std::size_t width = kept_size[kept_rank - 1];
    const std::size_t terms = reduced_count(reduced_rank);
    for (std::size_t done = 0; done < count;) {
      const std::size_t column = (first + done) % width;
      const std::size_t part = width - column < count - done ? width - column : count - done;
      const T* const from = data + kept_offset(first + done);
      for (std::size_t t = 0; t < terms; ++t) {
        const T* const row = from + offset_in(t, reduced_rank, reduced_size, reduced_stride);
        A* const to = sums + done;
        MEZZO_INDEPENDENT
        for (std::size_t i = 0; i < part; ++i) to[i] += detail::enter<Precision, false>(row[i]);
      }
      done += part;
    }
  }

  /// One result: runs along the innermost axis, which is reduced and therefore without gaps.
  MEZZO_INLINE constexpr A sum_of(const T* from) const {
    if (reduced_rank == 0) return detail::enter<Precision, false>(*from);
    const std::size_t length = reduced_size[reduced_rank - 1];
    const std::size_t runs = reduced_count(reduced_rank - 1);
    A sum = 0;
    for (std::size_t r = 0; r < runs; ++r) {
      const T* const run = from + offset_in(r, reduced_rank - 1, reduced_size, reduced_stride);
      sum += detail::ordered_sum<A>(
          length, [&](std::size_t i) MEZZO_INLINE_LAMBDA { return detail::enter<Precision, false>(run[i]); });
    }
    return sum;
  }
};

/// The gradient of a sum: x[o, l, i] = factor · g[o, i] for every l.
template <class G, class A, class Sink>
struct repeat_kernel {
  using scratch = A;
  static constexpr bool inspects = true;
  static constexpr std::size_t grain = 4096;

  const G* g;
  detail::axis_split axes;
  A factor;
  Sink sink;

  [[nodiscard]] constexpr std::size_t total() const { return axes.outer * axes.length * axes.inner; }
  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own{short_name{} << "sum gradient", total(), {0, 1, 0, 0}};
    return detail::delivering(own.reading(g, axes.outer * axes.inner), sink, total());
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return (total() + grain - 1) / grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return grain; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, A* values, auto& sum) const {
    const std::size_t first = task * grain;
    const std::size_t count = total() - first < grain ? total() - first : grain;
    const std::size_t block = axes.length * axes.inner;
    std::size_t outer = first / block;
    std::size_t inside = first % block;
    for (std::size_t done = 0; done < count; ++outer, inside = 0) {
      const std::size_t part = block - inside < count - done ? block - inside : count - done;
      if (axes.inner == 1) {
        const A value = convert<A>(g[outer]) * factor;
        for (std::size_t i = 0; i < part; ++i) values[done + i] = value;
      } else {
        const G* const row = g + outer * axes.inner;
        for (std::size_t i = 0; i < part; ++i) values[done + i] = convert<A>(row[(inside + i) % axes.inner]) * factor;
      }
      done += part;
    }
    sink(first, count, values, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
