// expect-error: mezzo::backend: the backend must support every operation in the type that the policy gives it
// SPDX-License-Identifier: MIT
//
// A gradient under a policy with a type that the backend lacks.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

using namespace mezzo;

/// A chip without bfloat16.
struct chip : reference {
  template <class Tag, class T>
  static constexpr bool supports = !std::same_as<T, bfloat16>;
};

using square = tensor<float, shape<3, 3>>;

void use(chip& on, const square& x, const square& w, const square& dy, square& d) {
#if defined(MEZZO_EXPECT_ERROR)
  into(on, d) = autocast<policies::O2<bfloat16>>(gradient(matmul(x, w), dy, wrt(w)));
#else
  into(on, d) = autocast<policies::O2<float16>>(gradient(matmul(x, w), dy, wrt(w)));
#endif
}
