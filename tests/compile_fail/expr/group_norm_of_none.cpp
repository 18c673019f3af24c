// expect-error: mezzo::group_norm: there must be at least one group
// SPDX-License-Identifier: MIT
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4, 6>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = group_norm<0>(x);
#else
  const auto e = group_norm<1>(x);
#endif
  static_cast<void>(e);
}
