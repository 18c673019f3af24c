// expect-error: mezzo::into: an elementwise result has at most 6 axes; given more; merge axes with reshape
// SPDX-License-Identifier: MIT
//
// A loop over seven axes.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

void use(reference& on) {
#if defined(MEZZO_EXPECT_ERROR)
  tensor<float, shape<1, 2, 1, 2, 1, 2, 1>> x;
#else
  tensor<float, shape<1, 2, 1, 2, 1, 2>> x;
#endif
  into(on, x) = x + 1;
}
