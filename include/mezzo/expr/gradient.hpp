// SPDX-License-Identifier: MIT
//
// The gradient of an expression, as a request: the expression, the gradient of its result, and the tensors with respect
// to which it is wanted. The sweep through the expression is derived when the request is stored.
#pragma once

#include <mezzo/expr/bind.hpp>
#include <mezzo/expr/broadcast.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Gradients of `Expression` with respect to the leaves `Wrt...`, given the gradient of its result.
template <class Expression, class Incoming, class... Wrt>
struct gradient_request {
  Expression expression;
  Incoming incoming;
  pack<Wrt...> wrt;
};

namespace detail {

template <class... Ts>
concept in_memory = ((is_tensor<std::remove_cvref_t<Ts>> || is_view<std::remove_cvref_t<Ts>> ||
                      is_leaf<std::remove_cvref_t<Ts>>) &&
                     ...) ||
                    unsatisfied<"mezzo::wrt: a gradient is taken with respect to a tensor or view; given an "
                                "expression; name the tensor it reads",
                                Ts...>();

}  // namespace detail

/// The tensors of a gradient, in the order of its destinations.
template <class... Ts>
  requires detail::in_memory<Ts...> && detail::outlive<Ts...>
[[nodiscard]] constexpr auto wrt(Ts&&... tensors) {
  return make_pack(as_expression(std::forward<Ts>(tensors))...);
}

/// Gradient of `expression` with respect to the tensors in `wrt(...)`, given `incoming`, the gradient of its result: a
/// tensor or view of its sizes. A tensor that occurs several times gets the sum of its contributions.
template <class E, class G, class... Wrt>
  requires operands<E> && (detail::is_tensor<std::remove_cvref_t<G>> || detail::is_view<std::remove_cvref_t<G>>) &&
           detail::outlive<G>
[[nodiscard]] constexpr auto gradient(E&& expression, G&& incoming, const pack<Wrt...>& wrt) {
  const auto e = as_expression(std::forward<E>(expression));
  const auto g = as_expression(std::forward<G>(incoming));
  using expression_type = std::remove_const_t<decltype(e)>;
  using incoming_type = std::remove_const_t<decltype(g)>;
  static_assert(detail::extents_agree<typename incoming_type::extents_type, typename expression_type::extents_type>(),
                "mezzo::gradient: the incoming gradient must have the sizes of the expression; given other sizes; "
                "check its shape");
  if constexpr (detail::extents_agree<typename incoming_type::extents_type, typename expression_type::extents_type>())
    if (!(g.extents() == e.extents()))
      fail(sentence("mezzo::gradient: the incoming gradient must have the sizes of the expression; given ")
           << g.extents().size() << " elements for " << e.extents().size() << "; check its shape");
  return gradient_request<expression_type, incoming_type, Wrt...>{e, g, wrt};
}

/// Gradient of an expression that is one number, such as a loss.
template <class E, class... Wrt>
  requires operands<E>
[[nodiscard]] constexpr auto gradient(E&& expression, const pack<Wrt...>& wrt) {
  const auto e = as_expression(std::forward<E>(expression));
  using expression_type = std::remove_const_t<decltype(e)>;
  static_assert(expression_type::extents_type::rank() == 0,
                "mezzo::gradient: only a single number needs no incoming gradient; given an expression with axes; pass "
                "its gradient as "
                "the second argument");
  return gradient_request<expression_type, scalar, Wrt...>{e, scalar{1.0f, 1.0}, wrt};
}

/// A gradient request under `Policy`.
template <autocast_policy Policy, class E, class G, class... Wrt>
[[nodiscard]] constexpr auto autocast(const gradient_request<E, G, Wrt...>& request) {
  const auto e = mezzo::bind<Policy>(request.expression);
  return gradient_request<std::remove_const_t<decltype(e)>, G, Wrt...>{e, request.incoming, request.wrt};
}

}  // namespace mezzo::inline MEZZO_ABI
