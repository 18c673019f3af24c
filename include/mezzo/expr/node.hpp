// SPDX-License-Identifier: MIT
//
// An expression is a value: a tree of nodes over views, copied freely, owning nothing, never indexed or printed. A node
// pairs what is computed (a stateless function type) with its operands; nothing is computed before a store.
#pragma once

#include <mezzo/base/pack.hpp>
#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/number/traits.hpp>
#include <mezzo/policy/resolve.hpp>
#include <mezzo/tensor/tensor.hpp>

#include <concepts>     // same_as
#include <type_traits>  // remove_cvref

namespace mezzo::inline MEZZO_ABI {

/// A leaf known only by its address: gradients find it by the memory it views.
struct anonymous {};

/// Name number `I` of a leaf: two leaves are the same where their names are. Networks name their parameters so.
template <std::size_t I>
struct leaf_name {};

/// An operand in memory.
template <class View, class Name = anonymous>
struct leaf {
  using value_type = typename View::value_type;
  using extents_type = typename View::extents_type;
  using name = Name;

  View source;

  [[nodiscard]] constexpr const extents_type& extents() const { return source.extents(); }
};

/// A number written in the program. It takes the type of the operation it enters and promotes nothing.
struct scalar {
  using value_type = detail::weak;
  using extents_type = shape<>;

  float as_float;
  double as_double;

  [[nodiscard]] constexpr extents_type extents() const { return {}; }
};

/// What a function of an expression does with memory.
enum class fn_kind {
  pointwise,  ///< element i of the result needs element i of the operands: fused into one loop
  rearrange,  ///< other indices, same values: transpose, reshape
  gather,     ///< an element of the result needs many of an operand: products, reductions, softmax
};

/// What the adjoint of an elementwise function reads beside the incoming gradient.
enum class reads { nothing, result, operands };

/// `Fn` applied to `Children`.
template <class Fn, class... Children>
struct node {
  using function = Fn;
  using extents_type = decltype(Fn::extents(std::declval<const Children&>().extents()...));

  pack<Children...> children;

  [[nodiscard]] constexpr extents_type extents() const {
    return apply_pack([](const auto&... child) { return Fn::extents(child.extents()...); }, children);
  }
};

/// `Fn` applied to bound operands in the types of `Precision`.
template <class Fn, class Precision, class... Children>
struct bound {
  using function = Fn;
  using precision = Precision;
  using value_type = typename Precision::output;
  using extents_type = decltype(Fn::extents(std::declval<const Children&>().extents()...));

  pack<Children...> children;

  [[nodiscard]] constexpr extents_type extents() const {
    return apply_pack([](const auto&... child) { return Fn::extents(child.extents()...); }, children);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_bound = false;
template <class Fn, class Precision, class... Children>
inline constexpr bool is_bound<bound<Fn, Precision, Children...>> = true;

template <class T>
inline constexpr bool is_leaf = false;
template <class View, class Name>
inline constexpr bool is_leaf<leaf<View, Name>> = true;

template <class T>
inline constexpr bool is_node = false;
template <class Fn, class... Children>
inline constexpr bool is_node<node<Fn, Children...>> = true;

/// Tensors, views and expressions: the types whose operators this library defines.
template <class T>
concept tensorial = is_tensor<std::remove_cvref_t<T>> || is_view<std::remove_cvref_t<T>> ||
                    is_leaf<std::remove_cvref_t<T>> || is_node<std::remove_cvref_t<T>> ||
                    is_bound<std::remove_cvref_t<T>>;

// The sentence stands outside the fold: g++ 12 does not look into one for the reason of its failure.
template <class... Ts>
concept outlive = ((!is_tensor<std::remove_cvref_t<Ts>> || std::is_lvalue_reference_v<Ts>) && ...) ||
                  unsatisfied<"mezzo::expression: an operand must outlive the expression; given a temporary tensor; "
                              "give the tensor a name first",
                              Ts...>();

template <class T>
inline constexpr bool in_blocks = false;
template <class T>
  requires is_view<T>
inline constexpr bool in_blocks<T> = !strided<typename T::mapping_type>;

template <class... Ts>
concept walkable = (!in_blocks<std::remove_cvref_t<Ts>> && ...) ||
                   unsatisfied<"mezzo::expression: an operand is row-major or has one distance along each axis; given "
                               "a view in a blocked layout; convert_layout it to a row-major view first",
                               Ts...>();

template <class T>
concept tensorial_or_number = tensorial<T> || std::is_arithmetic_v<std::remove_cvref_t<T>>;

}  // namespace detail

/// A tensor with a name, a view, an expression or a number.
template <class T>
concept operand = detail::tensorial_or_number<T> && detail::outlive<T> && detail::walkable<T>;

/// Operands of one operation, at least one of them not a plain number.
template <class... Ts>
concept operands =
    (detail::tensorial_or_number<Ts> && ...) && (detail::tensorial<Ts> || ...) && detail::outlive<Ts...> &&
    detail::walkable<Ts...>;

/// The expression that an operand stands for.
template <operand T>
[[nodiscard]] constexpr auto as_expression(T&& value) {
  using plain = std::remove_cvref_t<T>;
  if constexpr (detail::is_tensor<plain>) {
    using read = typename plain::const_view_type;
    return leaf<read>{read(value.as_view())};
  } else if constexpr (detail::is_view<plain>) {
    using read = view<const typename plain::value_type, typename plain::extents_type, typename plain::layout_type>;
    return leaf<read>{read(value)};
  } else if constexpr (std::is_arithmetic_v<plain>) {
    return scalar{static_cast<float>(value), static_cast<double>(value)};
  } else {
    return value;
  }
}

template <class T>
using expression_t = decltype(as_expression(std::declval<T>()));

namespace detail {

template <class Fn>
concept takes_integers = requires { requires Fn::integer_operands; };
template <class Expression>
inline constexpr bool holds_numbers = true;
template <class View, class Name>
inline constexpr bool holds_numbers<leaf<View, Name>> = !std::is_integral_v<typename View::value_type>;

}  // namespace detail

/// `Fn` applied to operands. Error: sizes that do not fit, known only at run time.
template <class Fn, class... Ts>
[[nodiscard]] constexpr auto make_node(Ts&&... values) {
  static_assert(detail::takes_integers<Fn> || (detail::holds_numbers<expression_t<Ts>> && ...),
                "mezzo::expression: tensors in arithmetic must hold floating-point numbers; given one of integers; "
                "copy it to a tensor of float first");
  const node<Fn, expression_t<Ts>...> result{make_pack(as_expression(std::forward<Ts>(values))...)};
  static_cast<void>(result.extents());
  return result;
}

}  // namespace mezzo::inline MEZZO_ABI
