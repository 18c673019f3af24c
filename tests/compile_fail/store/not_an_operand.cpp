// expect-error: given one whose type occurs nowhere in it; remove it from wrt
// SPDX-License-Identifier: MIT
//
// A gradient with respect to a tensor that the expression cannot read.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

using vector = tensor<float, shape<3>>;

void use(reference& on, const vector& x, const vector& dy, const tensor<float, shape<4>>& other) {
#if defined(MEZZO_EXPECT_ERROR)
  tensor<float, shape<4>> d;
  into(on, d) = gradient(relu(x), dy, wrt(other));
#else
  vector d;
  into(on, d) = gradient(relu(x), dy, wrt(x));
  static_cast<void>(other);
#endif
}
