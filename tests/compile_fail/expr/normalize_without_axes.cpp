// expect-error: mezzo::layer_norm, rms_norm, group_norm: gain and shift must be a tensor
// SPDX-License-Identifier: MIT
//
// A tensor without axes is neither.
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<3, 8>> x;
  const tensor<float, shape<>> one;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = layer_norm(x, one);
#else
  const auto e = layer_norm(x, one());
#endif
  static_cast<void>(e);
}
