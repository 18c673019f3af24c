// expect-error: must be a multiple of the number of groups; given one that is not
// SPDX-License-Identifier: MIT
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4, 6, 5, 5>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = group_norm<4>(x);
#else
  const auto e = group_norm<3>(x);
#endif
  static_cast<void>(e);
}
