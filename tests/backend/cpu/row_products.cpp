// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/row_products.hpp>

#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace mezzo;

namespace {

template <class A>
bool rows_are_right(isa level, std::size_t rows, std::size_t columns, std::size_t depth, bool add) {
  const std::size_t left_step = depth + 3, right_step = depth + 5, stride = columns + 2;
  std::vector<A> a(rows * left_step), b(columns * right_step), c(rows * stride, A(7));
  // Whole numbers in [-4, 4]: sums are exact in any order.
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<A>(counter_below(1, i, 9)) - A(4);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<A>(counter_below(2, i, 9)) - A(4);
  detail::call_contracted(level, detail::multiply_rows<A>{a.data(), left_step, b.data(), right_step, rows, columns,
                                                          depth, add, c.data(), stride});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < stride; ++j) {
      A expected = add || j >= columns ? A(7) : A(0);
      if (j < columns)
        for (std::size_t k = 0; k < depth; ++k) expected += a[i * left_step + k] * b[j * right_step + k];
      if (c[i * stride + j] != expected) return false;
    }
  return true;
}

}  // namespace

TEST_CASE_TEMPLATE("dot products of rows, for every number of rows and columns around the tile", A, float, double) {
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    for (std::size_t rows = 1; rows <= 9; ++rows)
      for (std::size_t columns = 1; columns <= 11; ++columns)
        for (std::size_t depth : {1u, 16u, 75u}) {
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(depth);
          CHECK(rows_are_right<A>(level, rows, columns, depth, rows % 2 == 0));
        }
  }
}
