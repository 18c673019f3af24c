// SPDX-License-Identifier: MIT
#include <mezzo/store/slot_gradient.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/expr/convolve.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <class... Leaves>
using biased = decltype(bind<policies::native>(relu(linear(std::declval<const Leaves&>()...))));
using x_leaf = leaf<view<const float, shape<4, 3>>>;
using w_leaf = leaf<view<const float, shape<3, 2>>>;
using b_leaf = leaf<view<const float, shape<2>>>;
using region = region_t<biased<x_leaf, w_leaf, b_leaf>>;

// The bias has the gradient of the product beside it; the product, and an added tensor, have their own.
static_assert(same_gradient_as<region, 1> == 0);
static_assert(same_gradient_as<region, 0> == static_cast<std::size_t>(-1));
static_assert(same_gradient_as<region_node<add_fn, precision<as_given, float, float>, region_slot<0, float>,
                                           region_slot<1, float>>,
                               1> == static_cast<std::size_t>(-1));

}  // namespace

TEST_CASE("a bias is summed from the gradient of its product, exactly on whole numbers") {
  tensor<float, shape<2, 1, 3, 3>> x;
  tensor<float, shape<2, 1, 2, 2>> w, dw;
  tensor<float, shape<2, 1, 1>> b{1.0f, -2.0f}, db, alone;
  tensor<float, shape<2, 2, 2, 2>> dy;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 5) - 2;
  for (std::size_t i = 0; i < w.size(); ++i) w.data()[i] = static_cast<float>(i % 3) - 1;
  for (std::size_t i = 0; i < dy.size(); ++i) dy.data()[i] = static_cast<float>(i % 7) - 3;
  reference plain;
  into(plain, dw, db) = gradient(convolve2d(x, w, b), dy, wrt(w, b));
  into(plain, alone) = gradient(convolve2d(x, w, b), dy, wrt(b));  // without the product's gradient
  for (std::size_t c = 0; c < 2; ++c) {
    float sum = 0;
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t i = 0; i < 4; ++i) sum += dy(n, c, i / 2, i % 2);
    CHECK(db(c, 0, 0) == sum);
    CHECK(alone(c, 0, 0) == sum);
  }
}

TEST_CASE("a bias below a product that repeats at run time has no sum to share") {
  using rows = shape<dynamic_extent, 2>;
  tensor<float, shape<dynamic_extent, 3>> x(shape<dynamic_extent, 3>(1), 1.0f);
  tensor<float, shape<3, 2>> w(shape<3, 2>{}, 1.0f), dw;
  tensor<float, shape<2>> b, db;
  tensor<float, rows> y(rows(4)), other(rows(4)), dy(rows(4), 1.0f);
  reference plain;
  const auto e = linear(x, w, b) + other;
  CHECK_THROWS_WITH_AS((into(plain, dw, db) = gradient(e, dy, wrt(w, b))),
                       doctest::Contains("repeats only along axes that its type fixes at 1"), error);
}
