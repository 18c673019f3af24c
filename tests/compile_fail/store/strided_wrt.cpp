// expect-error: mezzo::gradient: a tensor of wrt must be row-major; given a view with another layout
// SPDX-License-Identifier: MIT
//
// A gradient with respect to a transposed view.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

using matrix = tensor<float, shape<2, 3>>;

void use(reference& on, const tensor<float, shape<3, 2>>& x, const matrix& dy) {
#if defined(MEZZO_EXPECT_ERROR)
  const view<const float, shape<2, 3>, layout_left> flipped(x.data(), shape<2, 3>{});
  matrix d;
  into(on, d) = gradient(relu(flipped), dy, wrt(flipped));
#else
  tensor<float, shape<3, 2>> d;
  into(on, d) = gradient(relu(transpose(x)), dy, wrt(x));
#endif
}
