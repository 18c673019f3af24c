// SPDX-License-Identifier: MIT
#include <mezzo/store/reverse.hpp>

#include "check_gradient.hpp"

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

}  // namespace

TEST_CASE("a network of two products and a loss") {
  auto x = uniform<doubles<3, 4>>(1);
  auto a = uniform<doubles<4, 5>>(2);
  auto b = uniform<doubles<5>>(3);
  auto c = uniform<doubles<5, 2>>(4);
  check_gradient([](auto& x_, auto& a_, auto& b_, auto& c_) { return matmul(relu(matmul(x_, a_) + b_), c_); }, x, a, b,
                 c);
}

TEST_CASE("a tensor that occurs several times gets the sum of its contributions") {
  auto x = uniform<doubles<3, 3>>(1);
  auto w = uniform<doubles<3, 3>>(2);
  check_gradient([](auto& x_) { return x_ * x_ + x_; }, x);
  check_gradient([](auto& x_) { return matmul(x_, x_) + transpose(x_); }, x);
  check_gradient([](auto& x_, auto& w_) { return matmul(x_, w_) * x_ - w_; }, x, w);
}

TEST_CASE("two tensors of one type keep their own gradients, whichever is asked for") {
  auto x = uniform<doubles<3, 3>>(1);
  auto w = uniform<doubles<3, 3>>(2);
  const auto other = uniform<doubles<3, 3>>(3);
  check_gradient([&](auto& w_) { return matmul(other, w_) + other * other; }, w);
  check_gradient([&](auto& x_) { return matmul(x_, other) * 2.0 - x_ / (other + 3.0); }, x);
}
