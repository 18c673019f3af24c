// expect-error: mezzo::into: a destination must be a named tensor or a row-major view that can be written
// SPDX-License-Identifier: MIT
//
// A constant tensor as a destination of a store on this machine's processor.
#include <mezzo/store/into.hpp>

using namespace mezzo;

void use(const tensor<float, shape<3>>& x) {
#if defined(MEZZO_EXPECT_ERROR)
  const tensor<float, shape<3>> y;
#else
  tensor<float, shape<3>> y;
#endif
  into(y) = x + 1;
}
