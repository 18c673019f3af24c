// SPDX-License-Identifier: MIT
#include <mezzo/store/into.hpp>

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;
using matrix = floats<2, 3>;

template <class Tensor>
bool holds(const Tensor& t, std::initializer_list<float> values) {
  if (t.size() != values.size()) return false;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (static_cast<float>(t.data()[i]) != values.begin()[i]) return false;
  return true;
}

constexpr const char* overlaps =
    "mezzo::into: the destination may share memory with an operand only element for element; given an overlap; store "
    "into another "
    "tensor";

}  // namespace

TEST_CASE("a store without a backend runs on this machine's processor") {
  const matrix x{1, -2, 3, -4, 5, -6};
  matrix y;
  into(y) = relu(x);
  CHECK(holds(y, {1, 0, 3, 0, 5, 0}));
  matrix dx;
  into(dx) = gradient(relu(x), x, wrt(x));
  CHECK(holds(dx, {1, 0, 3, 0, 5, 0}));
}

TEST_CASE("a store rounds to the destination's type") {
  const matrix x{1, 2049, 70000, -0.5f, 0x1p-25f, 3};
  tensor<float16, shape<2, 3>> y;
  reference on;
  into(on, y) = x;
  CHECK(y.data()[1].bits() == 0x6800);
  CHECK(y.data()[2].bits() == 0x7c00);
  CHECK(y.data()[4].bits() == 0);
  matrix wide;
  into(on, wide) = y;
  CHECK(wide(0, 1) == 2048);
}

TEST_CASE("an operand may be overwritten element for element") {
  matrix y{1, -2, 3, -4, 5, -6};
  reference on;
  into(on, y) = relu(y);
  CHECK(holds(y, {1, 0, 3, 0, 5, 0}));
  into(on, y) = y * y + y;
  CHECK(holds(y, {2, 0, 12, 0, 30, 0}));
  const floats<2, 2> a{1, 1, 1, 1};
  const floats<2, 3> b{1, 2, 3, 4, 5, 6};
  into(on, y) = y - matmul(a, b);
  CHECK(holds(y, {-3, -7, 3, -5, 23, -9}));
}

TEST_CASE("an operand that is read in another order, or in part, is not overwritten") {
  floats<3, 3> y;
  floats<4, 3> large;
  reference on;
  CHECK_THROWS_WITH_AS(into(on, y) = transpose(y), overlaps, error);
  CHECK_THROWS_WITH_AS(into(on, y) = y + transpose(y), overlaps, error);
  CHECK_THROWS_WITH_AS(into(on, y) = matmul(y, y), overlaps, error);
  CHECK_THROWS_WITH_AS(into(on, y) = y / sum(y), overlaps, error);
  const auto top = as_view<3, 3>(large.data());
  const auto shifted = as_view<3, 3>(large.data() + 3);
  CHECK_THROWS_WITH_AS(into(on, shifted) = top * 2, overlaps, error);
  const auto row = as_view<3>(y.data());
  CHECK_THROWS_WITH_AS(into(on, y) = y + row, overlaps, error);
  const auto other = as_view<1, 3>(large.data() + 9);
  CHECK_NOTHROW(into(on, other) = reshape<1, 3>(sum<0>(top)));
}

TEST_CASE("a result repeats along the axes of a larger destination") {
  const floats<3> row{1, 2, 3};
  const floats<2, 1> column{10, 20};
  matrix y;
  reference on;
  into(on, y) = row;
  CHECK(holds(y, {1, 2, 3, 1, 2, 3}));
  into(on, y) = column + 0.0f;
  CHECK(holds(y, {10, 10, 10, 20, 20, 20}));
  const floats<1, 1> two{2};
  into(on, y) = matmul(column, two);
  CHECK(holds(y, {20, 20, 20, 40, 40, 40}));
  into(on, y) = sum(row);
  CHECK(holds(y, {6, 6, 6, 6, 6, 6}));
  floats<any, any> z(shape<any, any>(2, 3));
  into(on, z) = sum<0>(y) + column;
  CHECK(holds(z, {22, 22, 22, 32, 32, 32}));
}

TEST_CASE("sizes that the types leave open are checked by the store") {
  const floats<any, 3> x(shape<any, 3>(4));
  floats<any, 3> y(shape<any, 3>(5));
  reference on;
  CHECK_THROWS_WITH_AS(
      into(on, y) = relu(x),
      "mezzo::broadcast: sizes of an axis must be equal or 1; given 5 and 4 on axis -2; reshape an operand", error);
  const floats<any, 3> one(shape<any, 3>(1), 2);
  CHECK_NOTHROW(into(on, y) = relu(one));
  CHECK(y(4, 2) == 2);
  floats<any, 3> few(shape<any, 3>(1));
  CHECK_THROWS_WITH_AS(
      into(on, few) = relu(x),
      "mezzo::into: the destination must have the sizes of the expression; given 3 elements for 12; check its shape",
      error);
  const floats<3, 3> w;
  CHECK_THROWS_WITH_AS(
      into(on, y) = matmul(one, w),
      "mezzo::into: the result of a product or reduction repeats only along axes that its type fixes at 1; given one "
      "whose dynamic size is 1; store it first, then combine",
      error);
}

TEST_CASE("operands in any layout") {
  const floats<3, 2> t{1, 4, 2, 5, 3, 6};
  const view<const float, shape<2, 3>, layout_left> left(t.data(), shape<2, 3>{});
  const floats<2, 6> wide{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  const std::ptrdiff_t strides[] = {6, 2};
  const view<const float, shape<2, 3>, layout_stride> every_second(wide.data(), {shape<2, 3>{}, strides});
  const matrix w{1, 0, 1, 0, 1, 0};
  matrix y;
  floats<2, 2> product;
  floats<2> sums;
  reference on;
  into(on, y) = left * 1.0f;
  CHECK(holds(y, {1, 2, 3, 4, 5, 6}));
  into(on, y) = every_second;
  CHECK(holds(y, {1, 2, 3, 4, 5, 6}));
  into(on, product) = matmul(left, transpose(w));
  CHECK(holds(product, {4, 2, 10, 5}));
  into(on, product) = matmul(every_second, transpose(every_second));
  CHECK(holds(product, {14, 32, 32, 77}));
  into(on, sums) = sum<1>(left);
  CHECK(holds(sums, {6, 15}));
  into(on, sums) = sum<1>(reshape<2, 3>(transpose(left)));
  CHECK(holds(sums, {7, 14}));
}

TEST_CASE("mixed 16-bit operands meet in float32") {
  const tensor<float16, shape<1>> a{float16(1.0009765625f)};
  const tensor<bfloat16, shape<1>> b{bfloat16(256.0f)};
  floats<1> y;
  reference on;
  into(on, y) = a + b;
  CHECK(y(0) == 257.0009765625f);
}

TEST_CASE("a float32 part inside a float16 region takes the float16 result and stays float32") {
  const floats<1, 1> x{12.001f};
  const floats<1, 1> one{1};
  floats<1, 1> y;
  reference on;
  using low = policies::O2<float16>;
  into(on, y) = autocast<low>(exp(matmul(x, one)));
  CHECK(non_finite(y(0, 0)));
  into(on, y) = autocast<policies::O0<>>(exp(autocast<low>(matmul(x, one))));
  CHECK(y(0, 0) == doctest::Approx(162754.79));
}

// One step inside a constant: forward, gradient, update in place.
namespace {
constexpr bool step() {
  const matrix x{1, 2, 3, 4, 5, 6};
  floats<3, 1> w{1, -1, 1};
  const floats<2, 1> dy{1, 2};
  floats<2, 1> y;
  floats<3, 1> dw;
  reference on;
  into(on, y) = matmul(x, w);
  into(on, dw) = gradient(matmul(x, w), dy, wrt(w));
  into(on, w) = w - 0.5f * dw;
  return y(0, 0) == 2 && y(1, 0) == 5 && dw(0, 0) == 9 && dw(1, 0) == 12 && dw(2, 0) == 15 && w(0, 0) == -3.5f;
}
static_assert(step());
}  // namespace
