// SPDX-License-Identifier: MIT
//
// A product of few rows or few columns whose terms lie side by side in both operands, as in a classifier's forward pass
// and in the gradient of a small convolution's weights: every element is the dot product of two rows. Vectors run along
// the terms, so that nothing is put into panels and no lane is wasted on missing columns.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>

#include <bit>      // bit_cast
#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

#if defined(__GNUC__) || defined(__clang__)
/// Sum of the lanes, by halves.
template <class A, std::size_t Bytes>
MEZZO_INLINE A sum_lanes_of(const typename vector_of<A, Bytes>::type& v) {
  if constexpr (Bytes == 2 * sizeof(A)) {
    return v[0] + v[1];
  } else {
    using half = typename vector_of<A, Bytes / 2>::type;
    struct halves {
      half low, high;
    };
    const halves parts = std::bit_cast<halves>(v);
    return sum_lanes_of<A, Bytes / 2>(parts.low + parts.high);
  }
}
#endif

/// c_ij = or += Σ_k a_ik b_jk over `depth` terms; rows of `a` and `b` lie `left_step` and `right_step` apart.
template <class A>
struct multiply_rows {
  const A* a;
  std::size_t left_step;
  const A* b;
  std::size_t right_step;
  std::size_t rows, columns, depth;
  bool add;
  A* c;
  std::size_t stride;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    constexpr std::size_t high = Isa >= isa::avx512 ? 4 : 2;
    std::size_t i = 0;
    for (; i + high <= rows; i += high) line<Isa, high>(i);
    for (; i < rows; ++i) line<Isa, 1>(i);
  }

 private:
  template <isa Isa, std::size_t Rows>
  MEZZO_INLINE void line(std::size_t i) const {
    std::size_t j = 0;
    for (; j + 5 <= columns; j += 5) tile<Isa, Rows, 5>(i, j);
    for (; j + 2 <= columns; j += 2) tile<Isa, Rows, 2>(i, j);
    if (j < columns) tile<Isa, Rows, 1>(i, j);
  }

  template <isa Isa, std::size_t Rows, std::size_t Columns>
  MEZZO_INLINE void tile(std::size_t i, std::size_t j) const {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    const A* const left = a + i * left_step;
    const A* const right = b + j * right_step;
    A total[Rows][Columns];
    std::size_t k = 0;
#if defined(__GNUC__) || defined(__clang__)
    constexpr std::size_t bytes = product_tile<Isa>::bytes;
    constexpr std::size_t width = bytes / sizeof(A);
    using vector = typename vector_of<A, bytes>::type;
    using unaligned = typename vector_of<A, bytes>::unaligned;
    vector sum[Rows][Columns];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 5
      for (std::size_t n = 0; n < Columns; ++n) sum[r][n] = vector{};
    for (; k + width <= depth; k += width) {
      vector x[Rows];
#pragma GCC unroll 4
      for (std::size_t r = 0; r < Rows; ++r) {
        x[r] = *reinterpret_cast<const unaligned*>(left + r * left_step + k);
        load_once(x[r]);
      }
#pragma GCC unroll 5
      for (std::size_t n = 0; n < Columns; ++n) {
        vector y = *reinterpret_cast<const unaligned*>(right + n * right_step + k);
        load_once(y);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < Rows; ++r) sum[r][n] += x[r] * y;
      }
    }
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t n = 0; n < Columns; ++n) total[r][n] = sum_lanes_of<A, bytes>(sum[r][n]);
#else
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t n = 0; n < Columns; ++n) total[r][n] = A(0);
#endif
    for (; k < depth; ++k)
      for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t n = 0; n < Columns; ++n)
          total[r][n] += left[r * left_step + k] * right[n * right_step + k];
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t n = 0; n < Columns; ++n) {
        A& to = c[(i + r) * stride + j + n];
        to = add ? to + total[r][n] : total[r][n];
      }
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
