// expect-error: mezzo::unscale: gradients are unscaled once; given gradients that are unscaled already
// SPDX-License-Identifier: MIT
//
// Divided twice, gradients would be too small by the loss scale.
#include <mezzo/train/gradients.hpp>

using namespace mezzo;

void use(const gradients<carries_scale, false, false>& g) {
#if defined(MEZZO_EXPECT_ERROR)
  static_cast<void>(unscale(unscale(g)));
#else
  static_cast<void>(unscale(g));
#endif
}
