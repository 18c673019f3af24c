// expect-error: mezzo::flatten_rows: the operand must have a first axis to keep
// SPDX-License-Identifier: MIT
//
// A single number has no rows.
#include <mezzo/expr/rearrange.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<>> number;
  const tensor<float, shape<2, 3>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = flatten_rows(number);
#else
  const auto e = flatten_rows(x);
#endif
  static_cast<void>(e);
}
