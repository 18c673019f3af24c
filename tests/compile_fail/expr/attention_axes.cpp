// expect-error: mezzo::attention: queries, keys and values must have three axes (batch, time, width)
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<7, 8>> one;
  const tensor<float, shape<1, 7, 8>> batch;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = attention(one, one, one);
#else
  const auto e = attention(batch, batch, batch);
#endif
  static_cast<void>(e);
}
