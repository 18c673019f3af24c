// expect-error: mezzo::gradient: a tensor of wrt must be row-major; given a view with another layout
// SPDX-License-Identifier: MIT
//
// A gradient with respect to a transposed view that a product reads.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

using square = tensor<float, shape<3, 3>>;

void use(reference& on, const square& x, const square& w, const square& dy) {
  square d;
#if defined(MEZZO_EXPECT_ERROR)
  const view<const float, shape<3, 3>, layout_left> flipped(x.data(), shape<3, 3>{});
  into(on, d) = gradient(matmul(flipped, w), dy, wrt(flipped));
#else
  into(on, d) = gradient(matmul(transpose(x), w), dy, wrt(x));
#endif
}
