// expect-error: mezzo::gradient: only a single number needs no incoming gradient
// SPDX-License-Identifier: MIT
//
// A tensor has as many gradients as elements; which combination is meant, the incoming gradient says.
#include <mezzo/expr/gradient.hpp>
#include <mezzo/expr/pointwise.hpp>
#include <mezzo/expr/reduce.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2>> x;
  const tensor<float, shape<2>> y;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = gradient(x * y, wrt(x));
#else
  const auto e = gradient(sum(x * y), wrt(x));
#endif
  static_cast<void>(e);
}
