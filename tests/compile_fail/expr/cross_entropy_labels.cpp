// expect-error: mezzo::cross_entropy: labels must be integers, one class for each row
// SPDX-License-Identifier: MIT
//
// A class is a number of it, not a value.
#include <mezzo/expr/softmax.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<4, 10>> logits;
  const tensor<float, shape<4>> values;
  const tensor<int, shape<4>> labels;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = cross_entropy(logits, values);
#else
  const auto e = cross_entropy(logits, labels);
#endif
  static_cast<void>(e);
}
