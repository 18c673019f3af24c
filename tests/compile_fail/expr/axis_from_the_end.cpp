// expect-error: mezzo::axis: an axis must lie in [-rank, rank)
// SPDX-License-Identifier: MIT
//
// The first axis of a matrix is -2 from the end.
#include <mezzo/expr/softmax.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2, 3>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = softmax<-3>(x);
#else
  const auto e = softmax<-2>(x);
#endif
  static_cast<void>(e);
}
