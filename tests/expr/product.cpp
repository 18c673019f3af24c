// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/product.hpp>

#include <mezzo/expr/activation.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;
template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

}  // namespace

TEST_CASE("a product has the rows of the left and the columns of the right operand") {
  const floats<3, 4> a;
  const floats<4, 5> b;
  const tensor<float, shape<dynamic_extent, 4>> some(shape<dynamic_extent, 4>(7));
  static_assert(std::is_same_v<decltype(matmul(a, b))::extents_type, shape<3, 5>>);
  static_assert(std::is_same_v<decltype(matmul(some, b))::extents_type, shape<dynamic_extent, 5>>);
  static_assert(std::is_same_v<decltype(matmul(transpose(b), transpose(a)))::extents_type, shape<5, 3>>);
  const floats<5> bias;
  static_assert(std::is_same_v<decltype(linear(a, b, bias))::extents_type, shape<3, 5>>);
  CHECK(matmul(some, b).extents() == shape<7, 5>{});
  const tensor<float, dextents<std::size_t, 2>> odd(dextents<std::size_t, 2>(6, 5));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(matmul(some, odd)),
      "mezzo::matmul: the left operand must have as many columns as the right has rows; given 4 columns and 6 "
      "rows; transpose an operand or check its shape",
      error);
}

TEST_CASE("gradients of products in every transposition") {
  auto a = uniform<doubles<3, 4>>(1);
  auto b = uniform<doubles<4, 5>>(2);
  auto at = uniform<doubles<4, 3>>(3);
  auto bt = uniform<doubles<5, 4>>(4);
  check_gradient([](auto& x, auto& y) { return matmul(x, y); }, a, b);
  check_gradient([](auto& x, auto& y) { return matmul(transpose(x), y); }, at, b);
  check_gradient([](auto& x, auto& y) { return matmul(x, transpose(y)); }, a, bt);
  check_gradient([](auto& x, auto& y) { return matmul(transpose(x), transpose(y)); }, at, bt);
  check_gradient([](auto& x, auto& y) { return transpose(matmul(transpose(transpose(x)), y)); }, a, b);
}

TEST_CASE("matrices stacked along leading axes, and one matrix for all of them") {
  const floats<2, 3, 4, 5> a;
  const floats<2, 3, 5, 6> b;
  const floats<5, 6> w;
  static_assert(std::is_same_v<decltype(matmul(a, b))::extents_type, shape<2, 3, 4, 6>>);
  static_assert(std::is_same_v<decltype(matmul(a, w))::extents_type, shape<2, 3, 4, 6>>);
  static_assert(std::is_same_v<decltype(transpose(a))::extents_type, shape<2, 3, 5, 4>>);
  const tensor<float, shape<dynamic_extent, 3, 5, 6>> more(shape<dynamic_extent, 3, 5, 6>(4));
  CHECK_THROWS_WITH_AS(static_cast<void>(matmul(a, more)),
                       "mezzo::matmul: stacked matrices must have the same leading axes; given 2 and 4 along axis 0; "
                       "reshape an operand",
                       error);
}

TEST_CASE("a stack of products is each product by itself") {
  const auto a = uniform<floats<3, 5, 4>>(1);
  const auto bt = uniform<floats<3, 6, 4>>(2);
  const auto bias = uniform<floats<6>>(3);
  floats<3, 5, 6> y;
  cpu on;
  into(on, y) = relu(matmul(a, transpose(bt)) + bias);
  for (std::size_t i = 0; i < 3; ++i) {
    const view<const float, shape<5, 4>> left(a.data() + i * 20, shape<5, 4>{});
    const view<const float, shape<6, 4>> right(bt.data() + i * 24, shape<6, 4>{});
    floats<5, 6> one;
    into(on, one) = relu(matmul(left, transpose(right)) + bias);
    for (std::size_t e = 0; e < one.size(); ++e) CHECK(y.data()[i * 30 + e] == one.data()[e]);
  }
}

TEST_CASE("gradients of stacked products") {
  auto a = uniform<doubles<2, 3, 4>>(1);
  auto at = uniform<doubles<2, 4, 3>>(2);
  auto bt = uniform<doubles<2, 5, 4>>(3);
  auto w = uniform<doubles<4, 5>>(4);
  auto bias = uniform<doubles<5>>(5);
  check_gradient([](auto& x, auto& y) { return matmul(transpose(x), transpose(y)); }, at, bt);
  check_gradient([](auto& x, auto& y, auto& z) { return linear(x, y, z) * z; }, a, w, bias);
  check_gradient([](auto& x, auto& y) { return matmul(transpose(x), y); }, at, w);
}

TEST_CASE("gradients of linear layers, with and without a bias") {
  auto x = uniform<doubles<3, 4>>(1);
  auto w = uniform<doubles<4, 5>>(2);
  auto b = uniform<doubles<5>>(3);
  check_gradient([](auto& x_, auto& w_, auto& b_) { return linear(x_, w_, b_); }, x, w, b);
  check_gradient([](auto& x_, auto& w_) { return linear(x_, w_); }, x, w);
}

TEST_CASE("a linear layer rounds product and bias once") {
  // 1 + 2^-11 is a tie in float16: rounded on its own it loses the 2^-12 that the bias would lift it by.
  const tensor<float16, shape<1, 2>> x{float16(1.0f), float16(0x1p-11f)};
  const tensor<float16, shape<2, 1>> w{float16(1.0f), float16(1.0f)};
  const tensor<float16, shape<1>> b{float16(0x1p-12f)};
  tensor<float16, shape<1, 1>> y;
  reference plain;
  into(plain, y) = linear(x, w, b);
  CHECK(static_cast<float>(y(0, 0)) == 1 + 0x1p-10f);
  into(plain, y) = matmul(x, w) + b;
  CHECK(static_cast<float>(y(0, 0)) == 1);
  into(plain, y) = linear(x, w);
  CHECK(static_cast<float>(y(0, 0)) == 1);
}
