// SPDX-License-Identifier: MIT
//
// What an elementwise operation is: `apply`, its value, and `adjoint<I>`, the derivative with respect to operand I
// times the incoming gradient g. One definition serves constant evaluation, every instruction set and every backend.
// `uses` says what the adjoint reads, so that training keeps nothing else.
#pragma once

#include <mezzo/expr/broadcast.hpp>
#include <mezzo/expr/node.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Base of elementwise functions with tag `Tag`.
template <class Tag, reads Uses>
struct pointwise_fn {
  using tag = Tag;
  static constexpr fn_kind kind = fn_kind::pointwise;
  static constexpr reads uses = Uses;

  template <class... Extents>
  static constexpr auto extents(const Extents&... sizes) {
    return broadcast(sizes...);
  }
};

struct add_fn : pointwise_fn<op::add, reads::nothing> {
  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a + b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T, T) {
    return g;
  }
};

struct sub_fn : pointwise_fn<op::sub, reads::nothing> {
  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a - b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T, T) {
    return I == 0 ? g : -g;
  }
};

struct mul_fn : pointwise_fn<op::mul, reads::operands> {
  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a * b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T a, T b) {
    return I == 0 ? g * b : g * a;
  }
};

struct div_fn : pointwise_fn<op::div, reads::operands> {
  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a / b;
  }
  /// d(a/b)/da = 1/b, d(a/b)/db = -(a/b)/b.
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T a, T b) {
    return I == 0 ? g / b : -(g * (a / b)) / b;
  }
};

struct neg_fn : pointwise_fn<op::neg, reads::nothing> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return -x;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T) {
    return -g;
  }
};

/// The larger operand, NaN where one is; at a tie each operand gets half the gradient, as in PyTorch.
struct maximum_fn : pointwise_fn<op::maximum, reads::operands> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a > b || a != a ? a : b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T a, T b) {
    const T mine = I == 0 ? a : b;
    const T other = I == 0 ? b : a;
    const T share = mine > other ? T(1) : T(0);
    return g * (mine == other ? T(0.5) : share);
  }
};

/// The smaller operand, NaN where one is; at a tie each operand gets half the gradient.
struct minimum_fn : pointwise_fn<op::minimum, reads::operands> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T a, T b) {
    const T mine = I == 0 ? a : b;
    const T other = I == 0 ? b : a;
    const T share = mine < other ? T(1) : T(0);
    return g * (mine == other ? T(0.5) : share);
  }
};

/// 1 where a > b, else 0; no gradient.
struct greater_fn : pointwise_fn<op::gt, reads::nothing> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a > b ? T(1) : T(0);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T, T, T, T) {
    return T(0);
  }
};

/// 1 where a >= b, else 0; no gradient.
struct greater_equal_fn : pointwise_fn<op::ge, reads::nothing> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T a, T b) {
    return a >= b ? T(1) : T(0);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T, T, T, T) {
    return T(0);
  }
};

/// a where the condition is not 0, else b.
struct where_fn : pointwise_fn<op::where, reads::operands> {
  static constexpr bool selects = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T condition, T a, T b) {
    return condition != T(0) ? a : b;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T condition, T, T) {
    return I == 0 || (I == 1) == (condition == T(0)) ? T(0) : g;
  }
};

template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator+(A&& a, B&& b) {
  return make_node<add_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator-(A&& a, B&& b) {
  return make_node<sub_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator*(A&& a, B&& b) {
  return make_node<mul_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator/(A&& a, B&& b) {
  return make_node<div_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A>
  requires operands<A>
[[nodiscard]] constexpr auto operator-(A&& a) {
  return make_node<neg_fn>(std::forward<A>(a));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator>(A&& a, B&& b) {
  return make_node<greater_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator<(A&& a, B&& b) {
  return make_node<greater_fn>(std::forward<B>(b), std::forward<A>(a));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator>=(A&& a, B&& b) {
  return make_node<greater_equal_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto operator<=(A&& a, B&& b) {
  return make_node<greater_equal_fn>(std::forward<B>(b), std::forward<A>(a));
}

/// Elementwise larger and smaller of two operands.
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto maximum(A&& a, B&& b) {
  return make_node<maximum_fn>(std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires operands<A, B>
[[nodiscard]] constexpr auto minimum(A&& a, B&& b) {
  return make_node<minimum_fn>(std::forward<A>(a), std::forward<B>(b));
}

/// Elementwise choice, such as `where(x > 0, x, 0.1f * x)`.
template <class C, class A, class B>
  requires operands<C, A, B>
[[nodiscard]] constexpr auto where(C&& condition, A&& a, B&& b) {
  return make_node<where_fn>(std::forward<C>(condition), std::forward<A>(a), std::forward<B>(b));
}

}  // namespace mezzo::inline MEZZO_ABI
