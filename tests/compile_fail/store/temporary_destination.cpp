// expect-error: mezzo::into: a destination must be a named tensor or a row-major view that can be written
// SPDX-License-Identifier: MIT
//
// A result stored where nobody can read it.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

using vector = tensor<float, shape<3>>;

void use(reference& on, const vector& x) {
#if defined(MEZZO_EXPECT_ERROR)
  into(on, vector()) = relu(x);
#else
  vector y;
  into(on, y) = relu(x);
#endif
}
