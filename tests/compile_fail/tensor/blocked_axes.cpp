// expect-error: mezzo::blocked_layout: NC1HWC0 and FRACTAL_Z have four axes, FRACTAL_NZ, ZZ and ZN have two
// SPDX-License-Identifier: MIT
//
// A matrix in the layout of images.
#include <mezzo/tensor/fractal.hpp>
#include <mezzo/tensor/view.hpp>

using namespace mezzo;

void use(float* memory) {
#if defined(MEZZO_EXPECT_ERROR)
  const view<float, shape<2, 3>, layout_nc1hwc0<8>> x(memory, shape<2, 3>{});
#else
  const view<float, shape<2, 3, 1, 1>, layout_nc1hwc0<8>> x(memory, shape<2, 3, 1, 1>{});
#endif
  static_cast<void>(x);
}
