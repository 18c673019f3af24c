// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/few_rows.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

TEST_CASE_TEMPLATE("products of few rows are their sums", T, float, double) {
  constexpr std::size_t row = detail::packed_rows::row;
  const auto a = whole_numbers<T>(detail::few_rows * row, 1), b = whole_numbers<T>(2000, 2);
  std::vector<std::uint32_t> lines(40);
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = static_cast<std::uint32_t>(k * 37 % 1000);
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    for (std::size_t rows = 1; rows <= detail::few_rows; ++rows)
      for (std::size_t columns : {1u, 15u, 16u, 17u, 64u, 100u, 129u, 400u})
        for (std::size_t depth : {0u, 1u, 40u})
          for (bool add : {false, true}) {
            CAPTURE(static_cast<int>(level));
            CAPTURE(rows);
            CAPTURE(columns);
            const std::size_t stride = (columns + 15) / 16 * 16;
            auto c = whole_numbers<T>(rows * stride, 3);
            auto right = c;
            for (std::size_t r = 0; r < rows; ++r)
              for (std::size_t j = 0; j < columns; ++j) {
                T sum = add ? right[r * stride + j] : T(0);
                for (std::size_t k = 0; k < depth; ++k) sum += a[r * row + k] * b[lines[k] + j];
                right[r * stride + j] = sum;
              }
            detail::call_contracted(level, detail::multiply_few<T>{a.data(), b.data(), lines.data(), rows, columns,
                                                                   depth, add, c.data(), stride});
            std::size_t wrong = 0;
            for (std::size_t r = 0; r < rows; ++r)
              for (std::size_t j = 0; j < columns; ++j) wrong += c[r * stride + j] != right[r * stride + j];
            CHECK(wrong == 0);
          }
  }
}
