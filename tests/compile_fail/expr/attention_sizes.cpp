// expect-error: keys must be as many as values and as wide as queries; given other sizes
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 7, 8>> q;
  const tensor<float, shape<1, 5, 8>> k;
  const tensor<float, shape<1, 6, 8>> v;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = attention(q, k, v);
#else
  const auto e = attention(q, k, k);
#endif
  static_cast<void>(v);
  static_cast<void>(e);
}
