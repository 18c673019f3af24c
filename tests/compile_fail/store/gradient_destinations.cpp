// expect-error: mezzo::into: a gradient needs one destination for each tensor of wrt; given another number
// SPDX-License-Identifier: MIT
//
// One destination for the gradients of two tensors.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

using vector = tensor<float, shape<3>>;

void use(reference& on, const vector& a, const vector& b, const vector& dy, vector& da, vector& db) {
#if defined(MEZZO_EXPECT_ERROR)
  into(on, da) = gradient(a * b, dy, wrt(a, b));
  static_cast<void>(db);
#else
  into(on, da, db) = gradient(a * b, dy, wrt(a, b));
#endif
}
