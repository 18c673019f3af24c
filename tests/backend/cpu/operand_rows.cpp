// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/operand_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using namespace mezzo;

TEST_CASE("rows of an operand, or of its transpose where those are the quick ones, are where memory holds them") {
  using matrix = matrix_operand<precision<as_given, float, float>, float>;
  const float data[] = {1, 2, 3, 4, 5, 6};
  const matrix rows{data, 3, 1}, columns{data, 1, 3};
  const auto turned = transposed(rows);
  const auto as_rows = detail::quick_rows_of<float>(rows, turned);
  CHECK(!as_rows.transposed);
  CHECK(as_rows.memory == data);
  CHECK(as_rows.stride == 3);
  const auto turned_back = transposed(columns);
  const auto as_columns = detail::quick_rows_of<float>(columns, turned_back);
  CHECK(as_columns.transposed);
  CHECK(as_columns.memory == data);
  CHECK(as_columns.stride == 3);
}

TEST_CASE("elements that enter as another type are fetched, on every instruction set") {
  using matrix = matrix_operand<precision<as_given, float, float>, float16>;
  float16 data[40];
  for (int i = 0; i < 40; ++i) data[i] = float16(static_cast<float>(i));
  const matrix m{data, 20, 1};
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    const auto rows = detail::rows_of<float>(m, false);
    CHECK(rows.memory == nullptr);
    float out[2][24]{};
    rows.fetch(rows.operand, level, 0, 2, 3, 17, &out[0][0], 24);
    for (int r = 0; r < 2; ++r) {
      for (int i = 0; i < 17; ++i) CHECK(out[r][i] == static_cast<float>(r * 20 + i + 3));
      CHECK(out[r][17] == 0);
    }
  }
}
