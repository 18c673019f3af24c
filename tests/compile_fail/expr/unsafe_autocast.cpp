// expect-error: mezzo::autocast: an operation of class unsafe has no safe low form
// SPDX-License-Identifier: MIT
//
// A program's own function of class unsafe meets the policy where it is bound.
#include <mezzo/expr/bind.hpp>
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

struct odds_fn : pointwise_fn<op::binary_cross_entropy, reads::operands> {
  template <class T>
  static constexpr T apply(T x) {
    return x / (T(1) - x);
  }
};

void use() {
  const tensor<float, shape<2>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = autocast<policies::O2<float16>>(make_node<odds_fn>(x));
#else
  const auto e = autocast<policies::O0<>>(make_node<odds_fn>(x));
#endif
  static_cast<void>(e);
}
