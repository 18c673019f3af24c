// expect-error: mezzo::expression: an operand must outlive the expression; given a temporary tensor
// SPDX-License-Identifier: MIT
//
// The expression would view memory that is gone at the end of the line.
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2>> x;
  const tensor<float, shape<2>> y;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = x + tensor<float, shape<2>>{1.0f, 2.0f};
#else
  const auto e = x + y;
#endif
  static_cast<void>(e);
}
