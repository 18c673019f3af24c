// expect-error: mezzo::into: the destination must have the sizes of the expression; given other sizes
// SPDX-License-Identifier: MIT
//
// A destination of fixed sizes that a result of fixed sizes can neither fill nor repeat to.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

void use(reference& on, const tensor<float, shape<2, 3>>& x) {
#if defined(MEZZO_EXPECT_ERROR)
  tensor<float, shape<3>> y;
#else
  tensor<float, shape<4, 2, 3>> y;
#endif
  into(on, y) = relu(x);
}
