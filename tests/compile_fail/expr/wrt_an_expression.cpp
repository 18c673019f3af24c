// expect-error: mezzo::wrt: a gradient is taken with respect to a tensor or view
// SPDX-License-Identifier: MIT
//
// What is not in memory has no gradient to store.
#include <mezzo/expr/gradient.hpp>
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2>> x;
  const tensor<float, shape<2>> y;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = wrt(x, x * y);
#else
  const auto e = wrt(x, y);
#endif
  static_cast<void>(e);
}
