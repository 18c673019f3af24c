// expect-error: mezzo::max_pool2d: window and step must be at least 1; given 0
// SPDX-License-Identifier: MIT
//
// A window without elements has no largest.
#include <mezzo/expr/pool.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 1, 4, 4>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = max_pool2d<0>(x);
#else
  const auto e = max_pool2d<1>(x);
#endif
  static_cast<void>(e);
}
