// SPDX-License-Identifier: MIT
//
// Gradients of longer expressions.
#include "check_gradient.hpp"

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

}  // namespace

TEST_CASE("gradients flow through sums and products that meet again") {
  auto x = uniform<doubles<3, 4>>(1, 0.5, 1.5);
  auto w = uniform<doubles<4, 4>>(2);
  check_gradient([](auto& x_) { return x_ / sum(x_) - mean<0>(x_); }, x);
  check_gradient([](auto& x_, auto& w_) { return softmax(matmul(x_, w_)) * matmul(exp(x_), transpose(w_)); }, x, w);
}

TEST_CASE("sizes known at run time only") {
  auto x = uniform_of<tensor<double, shape<any, 4>>>(shape<any, 4>(3), 1);
  auto w = uniform_of<tensor<double, shape<4, any>>>(shape<4, any>(2), 2);
  auto b = uniform_of<tensor<double, shape<any>>>(shape<any>(2), 3);
  check_gradient([](auto& x_, auto& w_, auto& b_) { return tanh(linear(x_, w_, b_)); }, x, w, b);
}
