// SPDX-License-Identifier: MIT
//
// The work of a fused region, counted by its type: an instruction a node, a few for a smooth function, and casts where
// types change. So the plan of a kernel is known before any tensor is.
#pragma once

#include <mezzo/backend/work.hpp>
#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/product.hpp>
#include <mezzo/expr/sweep.hpp>

#include <type_traits>  // type_identity

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Instructions of one operation, whatever its type.
struct steps {
  std::size_t plain, slow;
};

template <class Fn>
inline constexpr steps apply_steps{1, 0};
template <>
inline constexpr steps apply_steps<div_fn>{0, 1};
template <>
inline constexpr steps apply_steps<exp_fn>{0, 1};
template <>
inline constexpr steps apply_steps<log_fn>{0, 1};
template <>
inline constexpr steps apply_steps<sqrt_fn>{0, 1};
template <>
inline constexpr steps apply_steps<sigmoid_fn>{2, 2};  // 1 / (1 + exp(-x))
template <>
inline constexpr steps apply_steps<silu_fn>{3, 2};
template <>
inline constexpr steps apply_steps<tanh_fn>{3, 2};  // (e^2x - 1) / (e^2x + 1)
template <>
inline constexpr steps apply_steps<gelu_tanh_fn>{6, 2};
template <>
inline constexpr steps apply_steps<gelu_fn>{14, 2};  // erf by a polynomial and an exponential
template <>
inline constexpr steps apply_steps<where_fn>{2, 0};  // compare, select
template <>
inline constexpr steps apply_steps<greater_fn>{2, 0};
template <>
inline constexpr steps apply_steps<greater_equal_fn>{2, 0};

/// Of the adjoint with respect to one operand.
template <class Fn>
inline constexpr steps adjoint_steps{2, 0};
template <>
inline constexpr steps adjoint_steps<add_fn>{0, 0};
template <class Tag>
inline constexpr steps adjoint_steps<bias_fn<Tag>>{0, 0};
template <>
inline constexpr steps adjoint_steps<sub_fn>{1, 0};
template <>
inline constexpr steps adjoint_steps<neg_fn>{1, 0};
template <>
inline constexpr steps adjoint_steps<mul_fn>{1, 0};
template <>
inline constexpr steps adjoint_steps<exp_fn>{1, 0};
template <>
inline constexpr steps adjoint_steps<div_fn>{1, 1};
template <>
inline constexpr steps adjoint_steps<log_fn>{0, 1};
template <>
inline constexpr steps adjoint_steps<sqrt_fn>{1, 1};
template <>
inline constexpr steps adjoint_steps<sigmoid_fn>{3, 0};
template <>
inline constexpr steps adjoint_steps<tanh_fn>{3, 0};
template <>
inline constexpr steps adjoint_steps<silu_fn>{7, 2};
template <>
inline constexpr steps adjoint_steps<gelu_tanh_fn>{14, 2};
template <>
inline constexpr steps adjoint_steps<gelu_fn>{20, 3};

/// Steps on elements of type `T`.
template <class T>
constexpr instructions typed(const steps& s) {
  if constexpr (low_precision<T>)
    return {s.plain, 0, s.slow, 0};
  else
    return {0, s.plain, 0, s.slow};
}

/// A cast, which takes the longer of its two types.
template <class From, class To>
constexpr instructions cast_steps() {
  if constexpr (!real<From> || !real<To> || std::same_as<From, To>)
    return {};
  else
    return {0, 1, 0, 0};
}

}  // namespace detail

/// Instructions that compute the region itself.
template <class Region>
struct forward_work {
  static constexpr instructions value{};
};
template <class Fn, class Precision, class... Children>
struct forward_work<region_node<Fn, Precision, Children...>> {
  using lane = typename Precision::output;
  static constexpr instructions value = [] {
    instructions sum = detail::typed<lane>(detail::apply_steps<Fn>);
    ((sum += forward_work<Children>::value + detail::cast_steps<typename Children::value_type, lane>()), ...);
    return sum;
  }();
};

/// Instructions that push a gradient through the region, whose values are computed again where an adjoint reads them.
template <class Region, class Sinks>
struct backward_work {
  static constexpr instructions value{};
};
template <class Fn, class Precision, class... Children, class Sinks>
struct backward_work<region_node<Fn, Precision, Children...>, Sinks> {
  static constexpr instructions value = [] {
    instructions sum;
    const auto add = [&]<class Child>(std::type_identity<Child>) {
      if (!detail::wanted<Child, Sinks>::value) return;
      sum += detail::typed<typename Precision::compute>(detail::adjoint_steps<Fn>);
      sum += backward_work<Child, Sinks>::value;
      if (Fn::uses == reads::operands) sum += forward_work<Child>::value;
    };
    (add(std::type_identity<Children>{}), ...);
    return sum;
  }();
};

/// The operations of a region from the leaves to the root, such as "mul+relu".
template <class Region>
struct region_name {
  static constexpr void put(short_name&) {}
};
template <class Fn, class Precision, class... Children>
struct region_name<region_node<Fn, Precision, Children...>> {
  static constexpr void put(short_name& name) {
    (region_name<Children>::put(name), ...);
    if (name.text[0] != '\0') name << "+";
    if constexpr (detail::takes_accumulator<Fn>)
      name << "bias";
    else
      name << unqualified_name<typename Fn::tag>().text;
  }
};

}  // namespace mezzo::inline MEZZO_ABI
