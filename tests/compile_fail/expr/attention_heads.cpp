// expect-error: must be multiples of the number of heads; given one that is not; choose another
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 7, 8>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = attention<3>(x, x, x);
#else
  const auto e = attention<4>(x, x, x);
#endif
  static_cast<void>(e);
}
