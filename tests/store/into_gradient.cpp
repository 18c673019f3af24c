// SPDX-License-Identifier: MIT
//
// The second half of store/into.cpp: gradients.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

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

constexpr const char* part_of_operand =
    "mezzo::gradient: a tensor of wrt must be a whole operand of the expression; given one that shares memory with "
    "part of an "
    "operand; pass the operand itself";
constexpr const char* gradient_overlaps =
    "mezzo::gradient: a destination must not share memory with an operand, the incoming gradient or another "
    "destination; given an "
    "overlap; store into another tensor";

}  // namespace

TEST_CASE("an incoming gradient in another layout, and operands beside the tensors of wrt") {
  const matrix x{1, 2, 3, 4, 5, 6};
  const floats<3, 2> t{1, 4, 2, 5, 3, 6};
  const view<const float, shape<2, 3>, layout_left> dy(t.data(), shape<2, 3>{});
  matrix dx;
  reference on;
  into(on, dx) = gradient(x * dy, dy, wrt(x));
  CHECK(holds(dx, {1, 4, 9, 16, 25, 36}));
}

TEST_CASE("empty tensors are stored, and their gradients are 0") {
  const floats<any, 3> x(shape<any, 3>(0));
  const floats<any, 4> dy(shape<any, 4>(0));
  const floats<3, 4> w(shape<3, 4>{}, 1);
  const floats<4> b;
  floats<any, 4> y(shape<any, 4>(0));
  floats<3, 4> dw(shape<3, 4>{}, 7);
  floats<4> db(shape<4>{}, 7);
  floats<any, 3> dx(shape<any, 3>(0));
  reference on;
  into(on, y) = relu(linear(x, w, b));
  into(on, dx, dw, db) = gradient(relu(linear(x, w, b)), dy, wrt(x, w, b));
  CHECK(holds(db, {0, 0, 0, 0}));
  CHECK(dw(2, 3) == 0);
}

TEST_CASE("a gradient names whole operands of the expression, once each") {
  const matrix x{1, 2, 3, 4, 5, 6};
  const matrix other;
  const matrix dy(shape<2, 3>{}, 1);
  matrix dx;
  matrix d2;
  reference on;
  CHECK_THROWS_WITH_AS(
      into(on, dx) = gradient(relu(x), dy, wrt(other)),
      "mezzo::gradient: each tensor of wrt must be an operand of the expression; given tensor 0 of wrt, which is not; "
      "pass the tensor that the expression reads",
      error);
  CHECK_THROWS_WITH_AS(into(on, dx, d2) = gradient(relu(x), dy, wrt(x, x)),
                       "mezzo::gradient: wrt names each tensor once; given tensor 1 twice; remove the second", error);
  const auto row = as_view<3>(x.data());
  const auto flat = as_view<6>(x.data());
  floats<3> d_row;
  CHECK_THROWS_WITH_AS(into(on, d_row) = gradient(row + x, dy, wrt(row)), part_of_operand, error);
  CHECK_THROWS_WITH_AS(into(on, dx) = gradient(x + row, dy, wrt(x)), part_of_operand, error);
  CHECK_THROWS_WITH_AS(into(on, dx) = gradient(x + reshape<2, 3>(flat), dy, wrt(x)), part_of_operand, error);
  const std::ptrdiff_t strides[] = {1, 1};
  const view<const float, shape<2, 3>, layout_stride> shifted(x.data() + 1, {shape<2, 3>{}, strides});
  CHECK_THROWS_WITH_AS(into(on, dx) = gradient(x + shifted, dy, wrt(x)), part_of_operand, error);
}

TEST_CASE("a gradient's destinations have the sizes of their tensors and memory of their own") {
  floats<any, 3> x(shape<any, 3>(2), 1);
  const floats<any, 3> dy(shape<any, 3>(2), 1);
  floats<any, 3> dx(shape<any, 3>(3));
  reference on;
  CHECK_THROWS_WITH_AS(
      into(on, dx) = gradient(relu(x), dy, wrt(x)),
      "mezzo::gradient: a destination must have the sizes of its tensor; given 9 elements for 6; check the order of "
      "wrt",
      error);
  CHECK_THROWS_WITH_AS(into(on, x) = gradient(relu(x), dy, wrt(x)), gradient_overlaps, error);
  matrix a;
  const matrix b;
  matrix g;
  matrix d;
  CHECK_THROWS_WITH_AS(into(on, g) = gradient(relu(a), g, wrt(a)), gradient_overlaps, error);
  CHECK_THROWS_WITH_AS(into(on, d, d) = gradient(a * b, g, wrt(a, b)), gradient_overlaps, error);
}

TEST_CASE("gradients are rounded to their destinations' types, once") {
  const tensor<float16, shape<2>> x{float16(1.0f), float16(1.0f)};
  const floats<2> dy{1 + 0x1p-12f, 70000};
  tensor<float, shape<2>> wide;
  tensor<float16, shape<2>> low;
  reference on;
  into(on, wide) = gradient(x * 1.0f, dy, wrt(x));
  CHECK(holds(wide, {1 + 0x1p-12f, 70000}));
  into(on, low) = gradient(x * 1.0f, dy, wrt(x));
  CHECK(low.data()[0].bits() == 0x3c00);
  CHECK(low.data()[1].bits() == 0x7c00);
  // Two contributions of 1 + 2^-11 + 2^-12 are added before they are rounded.
  const floats<2> half{1 + 0x1.8p-11f, 0};
  into(on, low) = gradient(x + x, half, wrt(x));
  CHECK(static_cast<float>(low.data()[0]) == 2 + 0x1p-9f);
}

TEST_CASE("a backward pass runs in the type of its forward pass") {
  const floats<1, 1> x{1};
  const floats<1, 1> w{1};
  const floats<1, 1> dy{1e5f};
  floats<1, 1> dx;
  reference on;
  into(on, dx) = autocast<policies::O2<bfloat16>>(gradient(relu(matmul(x, w)), dy, wrt(x)));
  CHECK(dx(0, 0) == 99840);  // bfloat16; infinite in float16
}
