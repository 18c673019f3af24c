// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/result_rows.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

TEST_CASE("a matrix of sums takes them in place, any other sink row by row") {
  float sums[4]{}, c[] = {1, 2, 0, 3, 4, 0};
  const matrix_sink<store_sink<float>> in_place{{sums}, 2};
  const auto memory = detail::results_of<float>(in_place);
  CHECK(memory.memory == sums);
  CHECK(memory.stride == 2);

  bfloat16 rounded[4]{};
  const matrix_sink<store_sink<bfloat16>> other{{rounded}, 2};
  const auto rows = detail::results_of<float>(other);
  CHECK(rows.memory == nullptr);
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    for (bfloat16& x : rounded) x = bfloat16(0.0f);
    tally sum;
    rows.deliver(rows.sink, level, c, 3, 0, 2, 0, 2, &sum);
    for (int i = 0; i < 4; ++i) CHECK(static_cast<float>(rounded[i]) == static_cast<float>(i + 1));
  }
}
