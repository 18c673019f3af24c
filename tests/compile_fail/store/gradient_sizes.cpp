// expect-error: mezzo::gradient: a destination must have the sizes of its tensor; given other sizes
// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

using namespace mezzo;

void use(const tensor<float, shape<3, 4>>& x, const tensor<float, shape<3, 4>>& dy) {
#if defined(MEZZO_EXPECT_ERROR)
  tensor<float, shape<4, 3>> dx;
#else
  tensor<float, shape<3, 4>> dx;
#endif
  into(dx) = gradient(relu(x), dy, wrt(x));
}
