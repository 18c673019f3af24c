// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/pointwise.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using doubles = tensor<double, shape<3, 5>>;

/// Value and both adjoints of a function of two operands, for g = 2.
template <class Fn, class T>
constexpr bool gives(T a, T b, T value, T by_a, T by_b) {
  const T y = Fn::apply(a, b);
  return y == value && Fn::template adjoint<0>(T(2), y, a, b) == by_a && Fn::template adjoint<1>(T(2), y, a, b) == by_b;
}
template <class T>
constexpr bool arithmetic() {
  return gives<add_fn, T>(3, 4, 7, 2, 2) && gives<sub_fn, T>(3, 4, -1, 2, -2) && gives<mul_fn, T>(3, 4, 12, 8, 6) &&
         gives<div_fn, T>(3, 4, T(0.75), T(0.5), T(-0.375)) && gives<maximum_fn, T>(3, 4, 4, 0, 2) &&
         gives<maximum_fn, T>(4, 3, 4, 2, 0) && gives<maximum_fn, T>(4, 4, 4, 1, 1) &&
         gives<minimum_fn, T>(3, 4, 3, 2, 0) && gives<minimum_fn, T>(4, 3, 3, 0, 2) &&
         gives<minimum_fn, T>(3, 3, 3, 1, 1) && gives<greater_fn, T>(4, 3, 1, 0, 0) &&
         gives<greater_fn, T>(3, 3, 0, 0, 0) && gives<greater_equal_fn, T>(3, 3, 1, 0, 0) &&
         gives<greater_equal_fn, T>(2, 3, 0, 0, 0) && neg_fn::apply(T(3)) == -3 &&
         neg_fn::adjoint<0>(T(2), T(-3), T(3)) == -2;
}
static_assert(arithmetic<float>() && arithmetic<double>());

template <class T>
constexpr bool choice() {
  return where_fn::apply(T(1), T(3), T(4)) == 3 && where_fn::apply(T(0), T(3), T(4)) == 4 &&
         where_fn::adjoint<0>(T(2), T(3), T(1), T(3), T(4)) == 0 &&
         where_fn::adjoint<1>(T(2), T(3), T(1), T(3), T(4)) == 2 &&
         where_fn::adjoint<2>(T(2), T(3), T(1), T(3), T(4)) == 0 &&
         where_fn::adjoint<1>(T(2), T(4), T(0), T(3), T(4)) == 0 &&
         where_fn::adjoint<2>(T(2), T(4), T(0), T(3), T(4)) == 2;
}
static_assert(choice<float>() && choice<double>());

// What an adjoint reads is what training keeps.
static_assert(add_fn::uses == reads::nothing && neg_fn::uses == reads::nothing && greater_fn::uses == reads::nothing);
static_assert(mul_fn::uses == reads::operands && div_fn::uses == reads::operands && where_fn::uses == reads::operands);

}  // namespace

TEST_CASE("gradients of arithmetic") {
  auto a = uniform<doubles>(1, 0.5, 1.5);
  auto b = uniform<doubles>(2, 0.5, 1.5);
  check_gradient([](auto& x, auto& y) { return x + y - (-x); }, a, b);
  check_gradient([](auto& x, auto& y) { return x * y - y / x; }, a, b);
  check_gradient([](auto& x) { return 2.0 * x - 1.0 / x; }, a);
}

TEST_CASE("gradients of selections") {
  auto a = uniform<doubles>(1);
  auto b = uniform<doubles>(2);
  check_gradient([](auto& x, auto& y) { return maximum(x, y) + 3.0 * minimum(x, y); }, a, b);
  check_gradient([](auto& x, auto& y) { return where(x > y, x * x, 0.1 * y) + where(x <= 0.0, x, 2.0 * y); }, a, b);
}

TEST_CASE("comparisons give 1 and 0, in both spellings") {
  const tensor<float, shape<3>> a{1, 2, 3};
  const tensor<float, shape<3>> b{2, 2, 2};
  tensor<float, shape<3>> y;
  reference plain;
  const auto is = [&](float first, float second, float third) {
    return y(0) == first && y(1) == second && y(2) == third;
  };
  into(plain, y) = a < b;
  CHECK(is(1, 0, 0));
  into(plain, y) = a <= b;
  CHECK(is(1, 1, 0));
  into(plain, y) = a > 2;
  CHECK(is(0, 0, 1));
  into(plain, y) = 2 >= a;
  CHECK(is(1, 1, 0));
}
