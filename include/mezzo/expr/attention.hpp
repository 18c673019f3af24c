// SPDX-License-Identifier: MIT
//
// Scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762), the heads side by side in the last axis, so
// that projections before and after it need no transposition.
#pragma once

#include <mezzo/expr/broadcast.hpp>
#include <mezzo/expr/node.hpp>
#include <mezzo/number/sqrt.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Every query sees every key.
struct no_mask {
  static constexpr std::size_t visible(std::size_t, std::size_t keys) { return keys; }
};
/// Query i sees the keys 0 … i.
struct causal_mask {
  static constexpr std::size_t visible(std::size_t query, std::size_t keys) { return query < keys ? query + 1 : keys; }
};

namespace detail {

template <std::size_t Heads>
constexpr bool divides_by_heads(std::size_t width) {
  return given_later(width) || width % Heads == 0;
}

}  // namespace detail

/// q (N, Tq, Heads·D), k (N, Tk, Heads·D), v (N, Tk, Heads·E) → (N, Tq, Heads·E): for each head
/// y_i = Σ_j softmax_j(scale · q_i·k_j) v_j over the keys that `Mask` lets query i see.
template <std::size_t Heads, class Mask>
struct attention_fn {
  using tag = op::scaled_dot_product_attention;
  using mask = Mask;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr std::size_t heads = Heads;
  static_assert(Heads >= 1, "mezzo::attention: there must be at least one head; given 0; write attention<1>");

  template <class Q, class K, class V, class Scale>
  static constexpr auto extents(const Q& q, const K& k, const V& v, const Scale&) {
    static_assert(Q::rank() == 3 && K::rank() == 3 && V::rank() == 3,
                  "mezzo::attention: queries, keys and values must have three axes (batch, time, width); given another "
                  "number; reshape them");
    if constexpr (Q::rank() == 3 && K::rank() == 3 && V::rank() == 3) {
      static_assert(detail::divides_by_heads<Heads>(Q::static_extent(2)) &&
                        detail::divides_by_heads<Heads>(V::static_extent(2)),
                    "mezzo::attention: the widths of queries, keys and values must be multiples of the number of "
                    "heads; given one that is not; choose another number of heads");
      static_assert(detail::sizes_agree(Q::static_extent(0), K::static_extent(0)) &&
                        detail::sizes_agree(K::static_extent(0), V::static_extent(0)) &&
                        detail::sizes_agree(K::static_extent(1), V::static_extent(1)) &&
                        detail::sizes_agree(Q::static_extent(2), K::static_extent(2)),
                    "mezzo::attention: batches must agree, keys must be as many as values and as wide as queries; "
                    "given other sizes; check their shapes");
      if (q.extent(0) != k.extent(0) || k.extent(0) != v.extent(0) || k.extent(1) != v.extent(1) ||
          q.extent(2) != k.extent(2))
        fail(sentence("mezzo::attention: batches must agree, keys must be as many as values and as wide as queries; "
                      "given queries ")
             << q.extent(0) << "x" << q.extent(1) << "x" << q.extent(2) << ", keys " << k.extent(0) << "x"
             << k.extent(1) << "x" << k.extent(2) << ", values " << v.extent(0) << "x" << v.extent(1) << "x"
             << v.extent(2) << "; check their shapes");
      if (q.extent(2) % Heads != 0 || v.extent(2) % Heads != 0)
        fail(sentence("mezzo::attention: the widths of queries, keys and values must be multiples of the number of "
                      "heads; given ")
             << q.extent(2) << " and " << v.extent(2) << " for " << Heads << " heads; choose another number of heads");
      return shape<Q::static_extent(0), Q::static_extent(1), V::static_extent(2)>(q.extent(0), q.extent(1),
                                                                                 v.extent(2));
    }
  }
};

/// The same for queries, keys and values side by side in one tensor (N, T, 3·Heads·D), as one projection makes them.
template <std::size_t Heads, class Mask>
struct self_attention_fn {
  using tag = op::scaled_dot_product_attention;
  static constexpr fn_kind kind = fn_kind::gather;
  static_assert(Heads >= 1, "mezzo::self_attention: there must be at least one head; given 0; write self_attention<1>");

  template <class X, class Scale>
  static constexpr auto extents(const X& x, const Scale&) {
    static_assert(X::rank() == 3,
                  "mezzo::self_attention: the operand must have three axes (batch, time, width of queries, keys and "
                  "values); given another number; reshape it");
    if constexpr (X::rank() == 3) {
      constexpr std::size_t width = X::static_extent(2);
      static_assert(detail::divides_by_heads<3 * Heads>(width),
                    "mezzo::self_attention: the last axis must hold queries, keys and values of equal width for every "
                    "head; given a width that three times the number of heads does not divide; check the projection");
      if (x.extent(2) % (3 * Heads) != 0)
        fail(sentence("mezzo::self_attention: the last axis must hold queries, keys and values of equal width for "
                      "every head; given a width of ")
             << x.extent(2) << " for " << Heads << " heads; check the projection");
      return shape<X::static_extent(0), X::static_extent(1), detail::given_later(width) ? dynamic_extent : width / 3>(
          x.extent(0), x.extent(1), x.extent(2) / 3);
    }
  }
};

namespace detail {

/// 1/√(width of a head).
template <std::size_t Heads, class Extents>
constexpr double attention_scale(const Extents& sizes, std::size_t parts) {
  if constexpr (Extents::rank() == 3) {
    const double width = static_cast<double>(sizes.extent(2) / parts / Heads);
    return 1 / math::sqrt(width < 1 ? 1 : width);
  } else {
    return 1;
  }
}

}  // namespace detail

/// Attention of `Heads` heads side by side, the scores multiplied by `scale`.
template <std::size_t Heads = 1, class Mask = no_mask, class Q, class K, class V>
  requires operands<Q, K, V>
[[nodiscard]] constexpr auto attention(Q&& q, K&& k, V&& v, double scale) {
  return make_node<attention_fn<Heads, Mask>>(std::forward<Q>(q), std::forward<K>(k), std::forward<V>(v), scale);
}
/// The same with scores divided by the root of the width of a head, such as `attention<8, causal_mask>(q, k, v)`.
template <std::size_t Heads = 1, class Mask = no_mask, class Q, class K, class V>
  requires operands<Q, K, V>
[[nodiscard]] constexpr auto attention(Q&& q, K&& k, V&& v) {
  const double scale = detail::attention_scale<Heads>(as_expression(std::forward<Q>(q)).extents(), 1);
  return mezzo::attention<Heads, Mask>(std::forward<Q>(q), std::forward<K>(k), std::forward<V>(v), scale);
}

/// Attention of a tensor to itself: queries, keys and values are the thirds of its last axis.
template <std::size_t Heads = 1, class Mask = no_mask, class X>
  requires operands<X>
[[nodiscard]] constexpr auto self_attention(X&& x) {
  const double scale = detail::attention_scale<Heads>(as_expression(std::forward<X>(x)).extents(), 3);
  return make_node<self_attention_fn<Heads, Mask>>(std::forward<X>(x), scale);
}

}  // namespace mezzo::inline MEZZO_ABI
