// expect-error: mezzo::max_pool2d: the window must fit into the image; given a larger window
// SPDX-License-Identifier: MIT
//
// Nothing is padded.
#include <mezzo/expr/pool.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<1, 1, 4, 4>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = max_pool2d<5>(x);
#else
  const auto e = max_pool2d<4>(x);
#endif
  static_cast<void>(e);
}
