// expect-error: mezzo::broadcast: sizes of an axis, aligned at the last, must be equal or 1
// SPDX-License-Identifier: MIT
//
// Axes meet from the last: a column of three needs an axis of size 1 behind it.
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<3, 4>> x;
  const tensor<float, shape<3>> row;
  const tensor<float, shape<3, 1>> column;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = x + row;
#else
  const auto e = x + column;
#endif
  static_cast<void>(e);
}
