// expect-error: mezzo::cross_entropy: logits must have two axes (batch, classes) and labels one (batch)
// SPDX-License-Identifier: MIT
//
// One row of logits is a batch of one.
#include <mezzo/expr/softmax.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<10>> logits;
  const tensor<float, shape<1, 10>> batch;
  const tensor<int, shape<1>> labels;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = cross_entropy(logits, labels);
#else
  const auto e = cross_entropy(batch, labels);
#endif
  static_cast<void>(e);
}
