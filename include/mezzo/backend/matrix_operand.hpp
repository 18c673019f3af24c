// SPDX-License-Identifier: MIT
//
// What a product reads: a matrix given by a formula for its elements. Plain matrices, transposed ones, and the patches
// of an image all look alike, so a convolution is a product and no column matrix is ever stored. A backend asks for
// short runs of a row or a column while it packs; that is also where a wider operand is rounded to the low type.
#pragma once

#include <mezzo/backend/runs.hpp>
#include <mezzo/backend/tally.hpp>
#include <mezzo/expr/region.hpp>

#include <cstddef>      // size_t, ptrdiff_t
#include <type_traits>  // bool_constant

namespace mezzo::inline MEZZO_ABI {

/// Every operand provides `element(i, j)`; `row_run`, which writes `count` elements of row `i` from column `j` to
/// `out`, in the compute type `A` or in `value_type`, whose values they have; and `rows_run`, whether its runs along
/// rows are the quick ones.
template <class Precision, class T>
struct matrix_operand {
  using A = typename Precision::compute;
  using value_type = entering_t<Precision, T>;

  const T* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  [[nodiscard]] constexpr bool rows_run() const { return column_stride == 1; }
  /// The elements where they lie, if they enter as they are.
  [[nodiscard]] constexpr const T* data_as(const T*) const
    requires std::same_as<T, value_type>
  {
    return data;
  }

  MEZZO_INLINE constexpr A element(std::size_t i, std::size_t j) const {
    return detail::enter<Precision, false>(
        data[static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride]);
  }
  template <class Out>
  MEZZO_INLINE constexpr void row_run(std::size_t i, std::size_t j, std::size_t count, Out* out) const {
    const T* const from =
        data + static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride;
    if (column_stride == 1) {
      read_run<Precision>(from, out, count);
    } else {
      for (std::size_t n = 0; n < count; ++n)
        out[n] = read_as<Precision, Out>(from[static_cast<std::ptrdiff_t>(n) * column_stride]);
    }
  }
};

namespace detail {

/// Whether the type of an operand tells which of its runs are the quick ones.
template <class Operand>
concept runs_known = requires { typename std::bool_constant<Operand::rows_run()>; };

}  // namespace detail

/// Rows of one operand as the columns of another.
template <class Operand>
struct transposed_operand {
  using A = typename Operand::A;
  using value_type = typename Operand::value_type;

  Operand of;

  [[nodiscard]] static constexpr bool rows_run()
    requires detail::runs_known<Operand>
  {
    return !Operand::rows_run();
  }
  [[nodiscard]] constexpr bool rows_run() const
    requires(!detail::runs_known<Operand>)
  {
    return !of.rows_run();
  }
  MEZZO_INLINE constexpr A element(std::size_t i, std::size_t j) const { return of.element(j, i); }
  template <class Out>
  MEZZO_INLINE constexpr void row_run(std::size_t i, std::size_t j, std::size_t count, Out* out) const {
    for (std::size_t n = 0; n < count; ++n) of.row_run(j + n, i, 1, out + n);
  }
};
template <class Precision, class T>
[[nodiscard]] constexpr auto transposed(const matrix_operand<Precision, T>& m) {
  return matrix_operand<Precision, T>{m.data, m.column_stride, m.row_stride};
}
template <class Operand>
[[nodiscard]] constexpr auto transposed(const transposed_operand<Operand>& m) {
  return m.of;
}
template <class Operand>
[[nodiscard]] constexpr auto transposed(const Operand& m) {
  return transposed_operand<Operand>{m};
}

/// Delivers a product with `columns` columns to a row-major matrix.
template <class Sink>
struct matrix_sink {
  Sink sink;
  std::size_t columns;

  template <class A>
  MEZZO_INLINE constexpr void tile_row(std::size_t row, std::size_t column, std::size_t count, const A* values,
                                       auto& sum) const {
    sink(row * columns + column, count, values, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
