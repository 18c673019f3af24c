// SPDX-License-Identifier: MIT
//
// One step of the cube: a block of 16×16 sums in float32 gains the products of two blocks of operands. Products are
// exact; in which order the chips add them, how wide and with which rounding is not published, so the order is a
// choice, and no bit of a float result is claimed to be the chip's.
#pragma once

#include <mezzo/backend/isa.hpp>
#include <mezzo/number/float_bits.hpp>
#include <mezzo/number/traits.hpp>
#include <mezzo/tensor/fractal.hpp>

#include <cstddef>      // size_t
#include <cstdint>      // int32_t
#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// How the products of one step reach the accumulator.
enum class summation {
  exact,       ///< their sum is exact and rounded to float32 once, then added
  pairwise,    ///< a tree of float32 additions, whose root is added
  sequential,  ///< one after another, each addition rounded to float32
};

namespace detail {

/// a + b and what rounding it lost (Knuth 1998, TAOCP vol. 2, 4.2.2, theorem B).
MEZZO_INLINE constexpr double two_sum(double a, double b, double& lost) {
  MEZZO_ROUND_EACH
  const double sum = a + b;
  const double of_b = sum - a;
  lost += (a - (sum - of_b)) + (b - of_b);
  return sum;
}

/// high + low, |low| at most half a unit of high, rounded to float32 once: a high that is rounded to odd keeps on which
/// side of a tie the sum lies (Boldo & Melquiond 2008, doi:10.1109/TC.2007.70819). Infinities and NaNs are those of
/// high.
MEZZO_INLINE constexpr float round_once(double high, double low) {
  namespace bits = mezzo::math::detail;
  const auto code = bits::to_bits(high);
  const bool even = (code & 1) == 0;
  const bool outwards = (bits::to_bits(low) >> 63) == (code >> 63);
  const auto odd = outwards ? code + 1 : code - 1;
  const bool finite = bits::magnitude_bits(high) < bits::infinity_bits<double>;
  return static_cast<float>(bits::from_bits<double>(finite && even && bits::magnitude_bits(low) != 0 ? odd : code));
}
MEZZO_INLINE constexpr float sum_once(double a, double b) {
  double lost = 0;
  const double sum = two_sum(a, b, lost);
  return round_once(sum, lost);
}

/// c (16×16) += a (16 rows, `Depth` terms, rows `stride` apart) · b (`Depth` rows of 16).
template <summation Order, std::size_t Depth>
MEZZO_INLINE constexpr void cube_step(const float* a, std::size_t stride, const float* b, float* c) {
  for (std::size_t i = 0; i < fractal_rows; ++i, a += stride, c += fractal_rows) {
    MEZZO_ROUND_EACH
    if constexpr (Order == summation::exact) {
      double high[fractal_rows] = {}, low[fractal_rows] = {};
      for (std::size_t k = 0; k < Depth; ++k)
        for (std::size_t j = 0; j < fractal_rows; ++j)
          high[j] = two_sum(high[j], static_cast<double>(a[k]) * static_cast<double>(b[k * fractal_rows + j]), low[j]);
      for (std::size_t j = 0; j < fractal_rows; ++j) {
        // An infinite sum has lost a NaN on its way.
        const bool finite = !mezzo::non_finite(high[j]);
        c[j] += finite ? sum_once(high[j], low[j]) : static_cast<float>(high[j]);
      }
    } else if constexpr (Order == summation::sequential) {
      for (std::size_t k = 0; k < Depth; ++k)
        for (std::size_t j = 0; j < fractal_rows; ++j)
          c[j] = sum_once(static_cast<double>(c[j]),
                          static_cast<double>(a[k]) * static_cast<double>(b[k * fractal_rows + j]));
    } else {
      static_assert(Depth % 2 == 0);
      float sum[Depth / 2][fractal_rows];
      for (std::size_t k = 0; k < Depth / 2; ++k)
        for (std::size_t j = 0; j < fractal_rows; ++j) {
          const float* const column = b + 2 * k * fractal_rows + j;
          sum[k][j] = sum_once(static_cast<double>(a[2 * k]) * static_cast<double>(column[0]),
                               static_cast<double>(a[2 * k + 1]) * static_cast<double>(column[fractal_rows]));
        }
      for (std::size_t count = Depth / 2; count > 1; count /= 2)
        for (std::size_t k = 0; k < count / 2; ++k)
          for (std::size_t j = 0; j < fractal_rows; ++j) sum[k][j] = sum[2 * k][j] + sum[2 * k + 1][j];
      for (std::size_t j = 0; j < fractal_rows; ++j) c[j] += sum[0][j];
    }
  }
}
/// The same for integers, whose sums are exact.
template <summation, std::size_t Depth>
MEZZO_INLINE constexpr void cube_step(const std::int32_t* a, std::size_t stride, const std::int32_t* b,
                                      std::int32_t* c) {
  for (std::size_t i = 0; i < fractal_rows; ++i, a += stride, c += fractal_rows)
    for (std::size_t k = 0; k < Depth; ++k)
      for (std::size_t j = 0; j < fractal_rows; ++j) c[j] += a[k] * b[k * fractal_rows + j];
}

/// The products of all blocks in L0: `a` (rows × depth blocks, a block's rows `depth` terms apart), `b` (depth ×
/// columns blocks) and `c` (columns × rows blocks, as NZ has them), in units of a block.
template <summation Order, std::size_t Depth, class A>
struct cube_blocks {
  static constexpr bool worth_wide = true;

  const A* a;
  const A* b;
  A* c;
  std::size_t rows, columns, depth;

  template <isa Isa>
  MEZZO_INLINE constexpr void operator()(mezzo::detail::isa_constant<Isa>) const {
    for (std::size_t n = 0; n < columns; ++n)
      for (std::size_t m = 0; m < rows; ++m)
        for (std::size_t k = 0; k < depth; ++k)
          cube_step<Order, Depth>(a + (m * depth + k) * fractal_rows * Depth, Depth,
                                  b + (k * columns + n) * Depth * fractal_rows,
                                  c + (n * rows + m) * fractal_rows * fractal_rows);
  }
};

template <summation Order, std::size_t Depth, class A>
constexpr void run_cube(const cube_blocks<Order, Depth, A>& blocks) {
  if (std::is_constant_evaluated())
    blocks(mezzo::detail::isa_constant<isa::baseline>{});
  else
    mezzo::detail::call_with(supported_isa(), blocks);
}

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
