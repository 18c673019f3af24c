// SPDX-License-Identifier: MIT
//
// Matrix products, alone and with a bias. A product that feeds a bias hands over its accumulator: product and bias are
// one operation with one rounding.
#pragma once

#include <mezzo/expr/pointwise.hpp>
#include <mezzo/expr/rearrange.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class A, class B>
constexpr auto product_extents(const A& a, const B& b) {
  static_assert(
      A::rank() == 2 && B::rank() == 2,
      "mezzo::matmul: both operands must be matrices; given an operand with another number of axes; reshape it");
  if constexpr (A::rank() == 2 && B::rank() == 2) {
    static_assert(A::static_extent(1) == B::static_extent(0) || given_later(A::static_extent(1)) ||
                      given_later(B::static_extent(0)),
                  "mezzo::matmul: the left operand must have as many columns as the right has rows; given other sizes; "
                  "transpose an "
                  "operand or check its shape");
    if (a.extent(1) != b.extent(0))
      fail(sentence("mezzo::matmul: the left operand must have as many columns as the right has rows; given ")
           << a.extent(1) << " columns and " << b.extent(0) << " rows; transpose an operand or check its shape");
    return shape<A::static_extent(0), B::static_extent(1)>(a.extent(0), b.extent(1));
  }
}

}  // namespace detail

/// (M, K) times (K, N): y_ij = Σ_k a_ik b_kj, summed in float32 or wider. `Tag` names the operation to the policy;
/// `Accumulator` leaves the sum unrounded for the bias that follows.
template <class Tag, bool Accumulator>
struct product_fn {
  using tag = Tag;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr bool keeps_accumulator = Accumulator;

  template <class A, class B>
  static constexpr auto extents(const A& a, const B& b) {
    return detail::product_extents(a, b);
  }
};

using matmul_fn = product_fn<op::matmul, false>;

/// Adds a bias to an accumulator and rounds once.
template <class Tag>
struct bias_fn : add_fn {
  using tag = Tag;
  static constexpr bool accumulates = true;  ///< operand 0 is the accumulator of a product with the same tag
};

/// Matrix product; `transpose(a)` and `transpose(b)` are read in place.
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto matmul(A&& a, B&& b) {
  return make_node<matmul_fn>(std::forward<A>(a), std::forward<B>(b));
}

/// x·w + b with one rounding: x (M, K), w (K, N), b (N) or broadcast.
template <class X, class W, class B>
  requires operands<X, W, B>
[[nodiscard]] constexpr auto linear(X&& x, W&& w, B&& b) {
  return make_node<bias_fn<op::linear>>(
      make_node<product_fn<op::linear, true>>(std::forward<X>(x), std::forward<W>(w)), std::forward<B>(b));
}
template <class X, class W>
  requires operands<X, W>
[[nodiscard]] constexpr auto linear(X&& x, W&& w) {
  return make_node<product_fn<op::linear, false>>(std::forward<X>(x), std::forward<W>(w));
}

}  // namespace mezzo::inline MEZZO_ABI
