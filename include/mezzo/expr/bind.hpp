// SPDX-License-Identifier: MIT
//
// Autocast is a rewrite of types: each node of an expression is paired with the types its policy resolves for it, and
// the policy is gone. Kernels see the outcome only, so two policies that agree on an operation share its code.
#pragma once

#include <mezzo/expr/node.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class T>
concept leaves_accumulator = requires { requires T::keeps_accumulator; };
template <class T>
concept takes_accumulator = requires { requires T::accumulates; };

/// The type by which an operand takes part in promotion: integers (labels) and program numbers do not.
template <class Child>
using promoting_t =
    std::conditional_t<std::is_integral_v<typename Child::value_type>, weak, typename Child::value_type>;

template <class Policy, class Fn, class... Children>
struct resolve_node {
  using given = resolve<Policy, typename Fn::tag, promoting_t<Children>...>;
  using type =
      std::conditional_t<leaves_accumulator<Fn>,
                         precision<typename given::operand, typename given::compute, typename given::compute>, given>;
};
/// A rearranged operand keeps its type: moving rounds nothing at any level.
template <class Policy, class Fn, class Child>
  requires(Fn::kind == fn_kind::rearrange)
struct resolve_node<Policy, Fn, Child> {
  using value = typename Child::value_type;
  using type = precision<as_given, compute_t<value>, value>;
};
/// A bias is resolved with the operands of the product under it: they are one operation.
template <class Policy, class Fn, class Product, class P, class... Operands, class... Rest>
  requires takes_accumulator<Fn>
struct resolve_node<Policy, Fn, bound<Product, P, Operands...>, Rest...> {
  using type = resolve<Policy, typename Fn::tag, promoting_t<Operands>..., promoting_t<Rest>...>;
};

}  // namespace detail

/// The expression with each node's types resolved by `Policy`.
template <autocast_policy Policy, class Expression>
[[nodiscard]] constexpr auto bind(const Expression& expression) {
  if constexpr (!detail::is_node<Expression>) {
    return expression;  // a leaf, a number, or a part that an inner autocast has bound
  } else {
    using fn = typename Expression::function;
    return apply_pack(
        [](const auto&... child) {
          const auto children = make_pack(mezzo::bind<Policy>(child)...);
          return [&]<class... Bound>(const pack<Bound...>&) {
            return bound<fn, typename detail::resolve_node<Policy, fn, Bound...>::type, Bound...>{children};
          }(children);
        },
        expression.children);
  }
}

/// Expression `expression` under `Policy`, such as `into(y) = autocast<policy>(relu(matmul(x, w) + b))`.
template <autocast_policy Policy, class Expression>
  requires operands<Expression>
[[nodiscard]] constexpr auto autocast(Expression&& expression) {
  return mezzo::bind<Policy>(as_expression(std::forward<Expression>(expression)));
}

}  // namespace mezzo::inline MEZZO_ABI
