// SPDX-License-Identifier: MIT
//
// Whether a backend can run an expression in the types that its policy gave it: asked where it is stored, and of every
// stage of a network, so that the answer is a sentence of the compiler's.
#pragma once

#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/expr/node.hpp>

#include <type_traits>  // conditional

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Backend, class Expression>
struct supported {
  static constexpr bool value = true;
};
template <class Backend, class Fn, class Precision, class... Children>
struct supported<Backend, bound<Fn, Precision, Children...>> {
  template <class T>
  using enters =
      std::conditional_t<std::same_as<typename Precision::operand, as_given>, T, typename Precision::operand>;
  static constexpr bool value =
      Backend::template supports<typename Fn::tag, typename Precision::output> &&
      (Backend::template supports<typename Fn::tag, enters<typename Children::value_type>> && ...) &&
      (supported<Backend, Children>::value && ...);
};

template <class Backend, class Expression>
concept runs_on = supported<Backend, Expression>::value || unsatisfied<
    "mezzo::backend: the backend must support every operation in the type that the policy gives it; given a "
    "policy with a type it lacks; choose another low type or keep those operations in float",
    Backend, Expression>();

}  // namespace detail

/// Fails with a sentence where `Backend` cannot run `Expression`; a backend that knows more to say specialises it.
template <class Backend, class Expression>
struct check_support {
  static_assert(detail::runs_on<Backend, Expression>);
  static constexpr bool value = true;
};

}  // namespace mezzo::inline MEZZO_ABI
