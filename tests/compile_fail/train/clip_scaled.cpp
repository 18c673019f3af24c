// expect-error: mezzo::clip_norm: gradients must be unscaled before they are clipped
// SPDX-License-Identifier: MIT
//
// Clipped with their scale, gradients would vanish when it is divided out.
#include <mezzo/train/gradients.hpp>

using namespace mezzo;

void use(const gradients<carries_scale, true, false>& g) {
#if defined(MEZZO_EXPECT_ERROR)
  static_cast<void>(clip_norm(g, 1.0f));
#else
  static_cast<void>(clip_norm(unscale(g), 1.0f));
#endif
}
