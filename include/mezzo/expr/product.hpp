// SPDX-License-Identifier: MIT
//
// Matrix products, alone and with a bias. A product that feeds a bias hands over its accumulator: product and bias are
// one operation with one rounding.
#pragma once

#include <mezzo/expr/pointwise.hpp>
#include <mezzo/expr/rearrange.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Whether leading axes, along which matrices are stacked, may be equal.
template <class A, class B>
constexpr bool stacks_agree() {
  for (std::size_t r = 0; r + 2 < A::rank(); ++r)
    if (!sizes_agree(A::static_extent(r), B::static_extent(r))) return false;
  return true;
}

template <class A, class B>
constexpr auto product_extents(const A& a, const B& b) {
  static_assert(A::rank() >= 2 && B::rank() == A::rank(),
                "mezzo::matmul: both operands must be matrices, or as many stacked along equal leading axes, or the "
                "right one a single matrix; given an operand with another number of axes; reshape it");
  if constexpr (A::rank() >= 2 && B::rank() == A::rank()) {
    constexpr std::size_t rank = A::rank();
    static_assert(stacks_agree<A, B>(),
                  "mezzo::matmul: stacked matrices must have the same leading axes; given other sizes; reshape an "
                  "operand");
    for (std::size_t r = 0; r + 2 < rank; ++r)
      if (a.extent(r) != b.extent(r))
        fail(sentence("mezzo::matmul: stacked matrices must have the same leading axes; given ")
             << a.extent(r) << " and " << b.extent(r) << " along axis " << r << "; reshape an operand");
    static_assert(A::static_extent(rank - 1) == B::static_extent(rank - 2) || given_later(A::static_extent(rank - 1)) ||
                      given_later(B::static_extent(rank - 2)),
                  "mezzo::matmul: the left operand must have as many columns as the right has rows; given other sizes; "
                  "transpose an "
                  "operand or check its shape");
    if (a.extent(rank - 1) != b.extent(rank - 2))
      fail(sentence("mezzo::matmul: the left operand must have as many columns as the right has rows; given ")
           << a.extent(rank - 1) << " columns and " << b.extent(rank - 2)
           << " rows; transpose an operand or check its shape");
    return [&]<std::size_t... R>(std::index_sequence<R...>) {
      return shape<A::static_extent(R)..., B::static_extent(rank - 1)>(a.extent(R)..., b.extent(rank - 1));
    }(std::make_index_sequence<rank - 1>{});
  }
}

}  // namespace detail

/// (…, M, K) times (…, K, N), matrices stacked along equal leading axes: y_ij = Σ_k a_ik b_kj, summed in float32 or
/// wider. `Tag` names the operation to the policy; `Accumulator` leaves the sum unrounded for the bias that follows.
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

/// (…, M, K) times one (K, N): the rows of all matrices are those of one product.
template <class Tag, bool Accumulator>
struct rows_product_fn {
  using tag = Tag;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr bool keeps_accumulator = Accumulator;

  template <class A, class B>
  static constexpr auto extents(const A& a, const B& b) {
    constexpr std::size_t rank = A::rank();
    using row = shape<1, A::static_extent(rank - 1)>;
    static_cast<void>(detail::product_extents(row(1, a.extent(rank - 1)), b));
    return [&]<std::size_t... R>(std::index_sequence<R...>) {
      return shape<A::static_extent(R)..., B::static_extent(1)>(a.extent(R)..., b.extent(1));
    }(std::make_index_sequence<rank - 1>{});
  }
};

/// Adds a bias to an accumulator and rounds once.
template <class Tag>
struct bias_fn : add_fn {
  using tag = Tag;
  static constexpr bool accumulates = true;  ///< operand 0 is the accumulator of a product with the same tag
};

namespace detail {

/// Whether `A` stacks matrices that one matrix `B` multiplies.
template <class A, class B>
inline constexpr bool stacked_by_one =
    (expression_t<A>::extents_type::rank() > 2 && expression_t<B>::extents_type::rank() == 2);

template <class Tag, bool Accumulator, class A, class B>
constexpr auto make_product(A&& a, B&& b) {
  using fn = std::conditional_t<stacked_by_one<A, B>, rows_product_fn<Tag, Accumulator>, product_fn<Tag, Accumulator>>;
  return make_node<fn>(std::forward<A>(a), std::forward<B>(b));
}

}  // namespace detail

/// Matrix product, of matrices stacked along equal leading axes too, or of stacked ones with one: (…, M, K) with
/// (…, K, N) or (K, N). `transpose(a)` and `transpose(b)` are read in place.
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto matmul(A&& a, B&& b) {
  return detail::make_product<op::matmul, false>(std::forward<A>(a), std::forward<B>(b));
}

/// x·w + b with one rounding: x (…, M, K), w (K, N), b (N) or broadcast.
template <class X, class W, class B>
  requires operands<X, W, B>
[[nodiscard]] constexpr auto linear(X&& x, W&& w, B&& b) {
  return make_node<bias_fn<op::linear>>(
      detail::make_product<op::linear, true>(std::forward<X>(x), std::forward<W>(w)), std::forward<B>(b));
}
template <class X, class W>
  requires operands<X, W>
[[nodiscard]] constexpr auto linear(X&& x, W&& w) {
  return detail::make_product<op::linear, false>(std::forward<X>(x), std::forward<W>(w));
}

}  // namespace mezzo::inline MEZZO_ABI
