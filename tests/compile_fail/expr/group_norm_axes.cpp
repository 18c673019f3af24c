// expect-error: mezzo::group_norm: the operand must have at least two axes (batch, channels, ...)
// SPDX-License-Identifier: MIT
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<8>> row;
  const tensor<float, shape<1, 8>> batch;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = group_norm<2>(row);
#else
  const auto e = group_norm<2>(batch);
#endif
  static_cast<void>(e);
}
