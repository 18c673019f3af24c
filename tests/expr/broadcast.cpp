// SPDX-License-Identifier: MIT
#include <mezzo/expr/broadcast.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

template <class A, class B>
using meet = decltype(broadcast(A{}, B{}));

static_assert(std::is_same_v<meet<shape<3, 4>, shape<4>>, shape<3, 4>>);
static_assert(std::is_same_v<meet<shape<4>, shape<3, 1>>, shape<3, 4>>);
static_assert(std::is_same_v<meet<shape<>, shape<2, 3>>, shape<2, 3>>);
static_assert(std::is_same_v<meet<shape<5, 1, 4>, shape<3, 1>>, shape<5, 3, 4>>);
static_assert(std::is_same_v<meet<shape<any>, shape<1>>, shape<any>>);
static_assert(std::is_same_v<meet<shape<any, 1>, shape<1, any>>, shape<any, any>>);
static_assert(
    std::is_same_v<decltype(broadcast(shape<2, 1>{}, shape<1, 3>{}, shape<4, 1, 1>{}, shape<>{})), shape<4, 2, 3>>);
static_assert(std::is_same_v<decltype(broadcast(shape<2, 1>{})), shape<2, 1>>);

// A dynamic size that meets a fixed one above 1 must be that or 1: the result is fixed.
static_assert(std::is_same_v<decltype(broadcast(shape<any>(4), shape<4>{})), shape<4>>);
static_assert(broadcast(shape<any>(1), shape<4>{}) == shape<4>{});
static_assert(broadcast(shape<any, 3>(2), shape<any, any>(2, 1)) == shape<2, 3>{});

}  // namespace

TEST_CASE("sizes that meet nowhere are named") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(broadcast(shape<any, 3>(2), shape<any, any>(5, 3))),
      "mezzo::broadcast: sizes of an axis must be equal or 1; given 2 and 5 on axis -2; reshape an operand", error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(broadcast(shape<any>(0), shape<4>{})),
      "mezzo::broadcast: sizes of an axis must be equal or 1; given 0 and 4 on axis -1; reshape an operand", error);
}

TEST_CASE("an empty axis meets a size of 1 and stays empty") {
  static_assert(broadcast(shape<any, 3>(0), shape<1, 1>{}) == shape<any, 3>(0));
}

TEST_CASE("gradients of repeated operands are summed over the axes that repeat") {
  auto x = uniform<tensor<double, shape<2, 3, 4>>>(1, 0.5, 1.5);
  auto row = uniform<tensor<double, shape<4>>>(2, 0.5, 1.5);
  auto channel = uniform<tensor<double, shape<3, 1>>>(3, 0.5, 1.5);
  auto number = uniform<tensor<double, shape<>>>(4, 0.5, 1.5);
  check_gradient([](auto& x_, auto& r, auto& c) { return x_ * r + c / x_; }, x, row, channel);
  check_gradient([](auto& x_, auto& n) { return x_ * n; }, x, number);
  check_gradient([](auto& r, auto& c) { return r * c; }, row, channel);
}

TEST_CASE("gradients of operands that repeat only at run time") {
  auto x = uniform_of<tensor<double, shape<any, any>>>(shape<any, any>(3, 4), 1);
  auto row = uniform_of<tensor<double, shape<any, any>>>(shape<any, any>(1, 4), 2);
  auto column = uniform_of<tensor<double, shape<any, any>>>(shape<any, any>(3, 1), 3);
  check_gradient([](auto& x_, auto& r, auto& c) { return x_ * r + c * x_; }, x, row, column);
}
