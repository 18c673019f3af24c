// expect-error: mezzo::into: a destination must be a named tensor or a row-major view that can be written
// SPDX-License-Identifier: MIT
//
// A view for reading as a destination.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

void use(reference& on, const tensor<float, shape<3>>& x, float* memory) {
#if defined(MEZZO_EXPECT_ERROR)
  const view<const float, shape<3>> y(memory, shape<3>{});
#else
  const view<float, shape<3>> y(memory, shape<3>{});
#endif
  into(on, y) = relu(x);
}
