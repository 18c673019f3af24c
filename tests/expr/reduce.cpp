// SPDX-License-Identifier: MIT
#include <mezzo/expr/reduce.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using cube = tensor<double, shape<3, 4, 5>>;
template <int Axis, class X>
using sizes_of = typename decltype(sum<Axis>(std::declval<X&>()))::extents_type;

static_assert(std::is_same_v<sizes_of<all_axes, cube>, shape<>>);
static_assert(std::is_same_v<sizes_of<0, cube>, shape<4, 5>>);
static_assert(std::is_same_v<sizes_of<1, cube>, shape<3, 5>>);
static_assert(std::is_same_v<sizes_of<-1, cube>, shape<3, 4>>);
static_assert(std::is_same_v<sizes_of<-3, cube>, shape<4, 5>>);
static_assert(std::is_same_v<sizes_of<0, tensor<float, shape<5>>>, shape<>>);
static_assert(std::is_same_v<sizes_of<1, tensor<float, shape<dynamic_extent, 3>>>, shape<dynamic_extent>>);

}  // namespace

TEST_CASE("gradients of sums and means over every kind of axis") {
  auto x = uniform<cube>(1);
  check_gradient([](auto& x_) { return sum(x_); }, x);
  check_gradient([](auto& x_) { return sum<0>(x_); }, x);
  check_gradient([](auto& x_) { return sum<1>(x_); }, x);
  check_gradient([](auto& x_) { return sum<2>(x_); }, x);
  check_gradient([](auto& x_) { return mean(x_); }, x);
  check_gradient([](auto& x_) { return mean<0>(x_); }, x);
  check_gradient([](auto& x_) { return mean<-2>(x_); }, x);
  check_gradient([](auto& x_) { return mean<-1>(x_); }, x);
}

TEST_CASE("the axes split into what lies before, at and after") {
  constexpr auto middle = detail::split_at<1>(shape<3, 4, 5>{});
  static_assert(middle.outer == 3 && middle.length == 4 && middle.inner == 5);
  constexpr auto last = detail::split_at<-1>(shape<3, 4, 5>{});
  static_assert(last.outer == 12 && last.length == 5 && last.inner == 1);
  constexpr auto all = detail::split_at<all_axes>(shape<3, 4, 5>{});
  static_assert(all.outer == 1 && all.length == 60 && all.inner == 1);
}

TEST_CASE("a mean divides by the number of all elements, not by that of a part") {
  const tensor<float, shape<4>> losses{2, 1, 1, 1};
  tensor<float, shape<>> y;
  reference plain;
  into(plain, y) = mean(losses);
  CHECK(y() == 1.25f);
}
