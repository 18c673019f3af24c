// SPDX-License-Identifier: MIT
#include <mezzo/expr/pool.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;
template <std::size_t Window, std::size_t Step, class X>
using sizes_of = typename decltype(max_pool2d<Window, Step>(std::declval<X&>()))::extents_type;

static_assert(std::is_same_v<sizes_of<2, 2, doubles<2, 3, 5, 4>>, shape<2, 3, 2, 2>>);
static_assert(std::is_same_v<sizes_of<3, 1, doubles<2, 3, 5, 4>>, shape<2, 3, 3, 2>>);
static_assert(std::is_same_v<sizes_of<2, 3, doubles<2, 3, 5, 4>>, shape<2, 3, 2, 1>>);

}  // namespace

TEST_CASE("gradients of pooling, with windows apart, overlapping and with gaps") {
  auto x = uniform<doubles<2, 2, 6, 5>>(1);
  check_gradient([](auto& x_) { return max_pool2d<2>(x_); }, x);
  check_gradient([](auto& x_) { return max_pool2d<3, 1>(x_); }, x);
  check_gradient([](auto& x_) { return max_pool2d<2, 3>(x_); }, x);
}

TEST_CASE("the gradient of a tie goes to the first largest element") {
  const tensor<float, shape<1, 1, 2, 2>> x{1, 3, 3, 3};
  const tensor<float, shape<1, 1, 1, 1>> dy{5};
  tensor<float, shape<1, 1, 2, 2>> dx;
  reference plain;
  into(plain, dx) = gradient(max_pool2d<2>(x), dy, wrt(x));
  CHECK(dx(0, 0, 0, 0) == 0);
  CHECK(dx(0, 0, 0, 1) == 5);
  CHECK(dx(0, 0, 1, 0) == 0);
  CHECK(dx(0, 0, 1, 1) == 0);
}

TEST_CASE("a window that does not fit is an error, here found at run time") {
  const tensor<float, dextents<std::size_t, 4>> x(dextents<std::size_t, 4>(1, 1, 1, 4));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(max_pool2d<2>(x)),
      "mezzo::max_pool2d: the window must fit into the image; given an image of 1 by 4; shrink the window", error);
}
