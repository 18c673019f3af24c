// SPDX-License-Identifier: MIT
#include <mezzo/store/targets.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

template <std::size_t... Sizes>
using leaf_of = leaf<view<const float, shape<Sizes...>>>;
template <std::size_t I, std::size_t... Sizes>
using named = leaf<view<const float, shape<Sizes...>>, leaf_name<I>>;

// Whether types leave it open that two leaves are one.
static_assert(detail::may_be_same<leaf_of<2, 3>, leaf_of<2, 3>>() &&
              detail::may_be_same<leaf_of<2, 3>, leaf_of<any, 3>>());
static_assert(!detail::may_be_same<leaf_of<2, 3>, leaf_of<3, 2>>() &&
              !detail::may_be_same<leaf_of<6>, leaf_of<2, 3>>());
static_assert(!detail::may_be_same<leaf_of<2>, leaf<view<const double, shape<2>>>>());
static_assert(!detail::may_be_same<leaf_of<2>, leaf<view<const float, shape<2>, layout_stride>>>());
static_assert(detail::may_be_same<named<0, 2>, named<0, 2>>() && !detail::may_be_same<named<0, 2>, named<1, 2>>());
static_assert(!detail::may_be_same<named<0, 2>, leaf_of<2>>());

template <class E>
using native = decltype(autocast<policies::native>(std::declval<E>()));
template <class Leaf>
using to = target<Leaf, float>;
template <class T>
T& a();

// One candidate and one target: written in place. Otherwise the contributions are summed.
using x = leaf_of<2, 3>;
using w = leaf_of<3, 2>;
using product = native<decltype(matmul(a<x>(), a<w>()))>;
static_assert(target_list<product, to<x>, to<w>>::unique<to<x>> && target_list<product, to<x>, to<w>>::unique<to<w>>);
using twice = native<decltype(a<x>() * a<x>())>;
static_assert(!target_list<twice, to<x>>::unique<to<x>>);
using networked = native<decltype(a<named<0, 2>>() * a<named<1, 2>>())>;
static_assert(target_list<networked, to<named<0, 2>>>::unique<to<named<0, 2>>>);
using open = native<decltype(a<leaf_of<any, 3>>() + a<leaf_of<2, 3>>())>;
static_assert(!target_list<open, to<leaf_of<2, 3>>>::unique<to<leaf_of<2, 3>>>);
static_assert(target_list<open, to<leaf_of<5, 3>>>::unique<to<leaf_of<5, 3>>>);

// Which parts of an expression a sweep has to enter.
using list = target_list<product, to<w>>;
static_assert(list::wanted<product> && list::wanted<w> && !list::wanted<x> && !list::wanted<scalar>);

}  // namespace

TEST_CASE("named leaves are found by their names, whatever they view") {
  const tensor<float, shape<2>> first{1, 2};
  const tensor<float, shape<2>> second{3, 4};
  const named<0, 2> p{first.as_view()};
  const named<1, 2> q{second.as_view()};
  const tensor<float, shape<2>> dy{1, 1};
  tensor<float, shape<2>> dp;
  tensor<float, shape<2>> dq;
  reference on;
  into(on, dq, dp) = gradient(p * q * q, dy, wrt(q, p));
  CHECK(dp(0) == 9);
  CHECK(dp(1) == 16);
  CHECK(dq(0) == 6);
  CHECK(dq(1) == 16);
}

TEST_CASE("a leaf that could be several targets is found by its address") {
  const tensor<float, shape<any>> p(shape<any>(2), 2);
  const tensor<float, shape<any>> q(shape<any>(2), 3);
  const tensor<float, shape<any>> dy(shape<any>(2), 1);
  tensor<float, shape<any>> dp(shape<any>(2));
  tensor<float, shape<any>> dq(shape<any>(2));
  reference on;
  into(on, dq, dp) = gradient(p * q + q, dy, wrt(q, p));
  CHECK(dp(0) == 3);
  CHECK(dq(1) == 3);
}

TEST_CASE("what is written to the targets is tallied") {
  const tensor<float, shape<2>> p{3, 4};
  const tensor<float, shape<2>> dy{1, 1};
  tensor<float16, shape<2>> dp;
  reference on;
  const auto e = autocast<policies::native>(p * 2.0f);
  using leaf_type = leaf_of<2>;
  const auto sum_of = [&](const auto& incoming) {
    const target_list<std::remove_const_t<decltype(e)>, target<leaf_type, float16>> targets{
        make_pack(target<leaf_type, float16>{as_expression(p), dp.data(), inspection::finite_and_norm, nullptr})};
    return reverse(on, e, incoming.data(), known_result<no_sink>{}, nothing_saved{}, targets);
  };
  const tally fine = sum_of(dy);
  CHECK(!fine.non_finite);
  CHECK(fine.squares == 8);
  const tensor<float, shape<2>> large{1, 40000};
  CHECK(sum_of(large).non_finite);  // 80000 is infinite in float16
}
