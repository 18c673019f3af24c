// expect-error: mezzo::max_pool2d: the operand must have four axes
// SPDX-License-Identifier: MIT
//
// An image alone is no batch.
#include <mezzo/expr/pool.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4, 4>> image;
  const tensor<float, shape<1, 1, 4, 4>> batch;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = max_pool2d<2>(image);
#else
  const auto e = max_pool2d<2>(batch);
#endif
  static_cast<void>(e);
}
