// SPDX-License-Identifier: MIT
#include <mezzo/expr/rearrange.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

using cube = doubles<2, 3, 4>;
static_assert(std::is_same_v<decltype(transpose(std::declval<doubles<2, any>&>()))::extents_type, shape<any, 2>>);
static_assert(std::is_same_v<decltype(reshape<6, 4>(std::declval<cube&>()))::extents_type, shape<6, 4>>);
static_assert(std::is_same_v<decltype(flatten_rows(std::declval<cube&>()))::extents_type, shape<2, 12>>);
static_assert(
    std::is_same_v<decltype(flatten_rows(std::declval<doubles<any, 3, 4>&>()))::extents_type, shape<any, 12>>);
static_assert(std::is_same_v<decltype(flatten_rows(std::declval<doubles<2, any, 4>&>()))::extents_type, shape<2, any>>);
static_assert(std::is_same_v<decltype(flatten_rows(std::declval<doubles<5>&>()))::extents_type, shape<5, 1>>);

// One size may be what remains.
static_assert(reshape_fn<any, 4>::extents(shape<2, 3, 4>{}) == shape<6, 4>{});
static_assert(reshape_fn<any>::extents(shape<>{}) == shape<1>{});
static_assert(reshape_fn<0, 5>::extents(shape<any, 3>(0)) == shape<0, 5>{});

}  // namespace

TEST_CASE("a reshape keeps the number of elements") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(reshape_fn<5, any>::extents(shape<any>(24))),
      "mezzo::reshape: the number of elements must stay the same; given 24 elements and sizes whose product "
      "divides into 5; change a size",
      error);
  CHECK_THROWS_AS(static_cast<void>(reshape_fn<5, 2>::extents(shape<any>(20))), error);
  CHECK_THROWS_AS(static_cast<void>(reshape_fn<5, 2>::extents(shape<any>(0))), error);
  CHECK_THROWS_AS(static_cast<void>(reshape_fn<0, any>::extents(shape<any>(3))), error);
}

TEST_CASE("gradients of rearranged operands of elementwise functions") {
  auto x = uniform<doubles<3, 4>>(1);
  auto y = uniform<doubles<4, 3>>(2);
  check_gradient([](auto& a, auto& b) { return transpose(a) * b; }, x, y);
  check_gradient([](auto& a, auto& b) { return reshape<12>(a) * reshape<12>(transpose(b)); }, x, y);
  check_gradient([](auto& a) { return flatten_rows(reshape<2, 3, 2>(a * a)); }, x);
}

TEST_CASE("gradients of rearranged operands of products") {
  auto x = uniform<doubles<3, 4>>(1);
  auto w = uniform<doubles<4, 3>>(2);
  check_gradient([](auto& a, auto& b) { return matmul(transpose(reshape<4, 3>(a)), b); }, x, w);
  check_gradient([](auto& a, auto& b) { return matmul(reshape<3, 4>(transpose(a)), transpose(reshape<3, 4>(b))); }, x,
                 w);
  check_gradient([](auto& a, auto& b) { return matmul(transpose(reshape<2, 6>(transpose(a))), reshape<2, 6>(b)); }, x,
                 w);
}
