// expect-error: mezzo::into: an expression has one result; given several destinations
// SPDX-License-Identifier: MIT
//
// Two destinations for one result.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

void use(reference& on, const tensor<float, shape<3>>& x, tensor<float, shape<3>>& y, tensor<float, shape<3>>& z) {
#if defined(MEZZO_EXPECT_ERROR)
  into(on, y, z) = relu(x);
#else
  into(on, y) = relu(x);
  into(on, z) = relu(x);
#endif
}
