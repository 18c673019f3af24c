// expect-error: mezzo::expression: an operand must outlive the expression; given a temporary tensor
// SPDX-License-Identifier: MIT
//
// The incoming gradient is read as late as the operands.
#include <mezzo/expr/gradient.hpp>
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2>> x;
  const tensor<float, shape<2>> dy;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = gradient(x * x, tensor<float, shape<2>>{1.0f, 2.0f}, wrt(x));
#else
  const auto e = gradient(x * x, dy, wrt(x));
#endif
  static_cast<void>(e);
}
