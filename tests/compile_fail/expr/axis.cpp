// expect-error: mezzo::axis: an axis must lie in [-rank, rank)
// SPDX-License-Identifier: MIT
//
// The last axis of a matrix is 1, or -1.
#include <mezzo/expr/reduce.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2, 3>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = sum<2>(x);
#else
  const auto e = sum<1>(x);
#endif
  static_cast<void>(e);
}
