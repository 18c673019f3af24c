// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/convolve.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

template <class Padding, std::size_t Step, class X, class W>
using sizes_of =
    typename decltype(convolve2d<Padding, stride<Step>>(std::declval<X&>(), std::declval<W&>()))::extents_type;

// The result is as wide as the window has places.
using image = doubles<2, 3, 7, 6>;
static_assert(std::is_same_v<sizes_of<valid, 1, image, doubles<4, 3, 3, 2>>, shape<2, 4, 5, 5>>);
static_assert(std::is_same_v<sizes_of<valid, 2, image, doubles<4, 3, 3, 2>>, shape<2, 4, 3, 3>>);
static_assert(std::is_same_v<sizes_of<padding<1>, 1, image, doubles<4, 3, 3, 3>>, shape<2, 4, 7, 6>>);
static_assert(std::is_same_v<sizes_of<padding<2>, 3, image, doubles<4, 3, 2, 2>>, shape<2, 4, 4, 3>>);
static_assert(std::is_same_v<sizes_of<same, 1, image, doubles<4, 3, 4, 5>>, shape<2, 4, 7, 6>>);
static_assert(std::is_same_v<sizes_of<same, 2, image, doubles<4, 3, 3, 3>>, shape<2, 4, 4, 3>>);
static_assert(
    std::is_same_v<sizes_of<same, 1, tensor<double, shape<dynamic_extent, 3, 7, dynamic_extent>>, doubles<4, 3, 3, 3>>,
                   shape<dynamic_extent, 4, 7, dynamic_extent>>);

// Groups have their own channels; a filter of a single channel may have several outputs.
template <class Groups, class X, class W>
using sizes_in_groups =
    typename decltype(convolve2d<same, stride<1>, Groups>(std::declval<X&>(), std::declval<W&>()))::extents_type;
using many = doubles<2, 6, 7, 6>;
static_assert(std::is_same_v<sizes_in_groups<groups<2>, many, doubles<4, 3, 3, 3>>, shape<2, 4, 7, 6>>);
static_assert(std::is_same_v<sizes_in_groups<groups<6>, many, doubles<12, 1, 3, 3>>, shape<2, 12, 7, 6>>);
static_assert(std::is_same_v<sizes_in_groups<depthwise, many, doubles<12, 1, 3, 3>>, shape<2, 12, 7, 6>>);
static_assert(std::is_same_v<convolve_fn<same, stride<1>, false, groups<2>>::tag, op::conv2d>);
static_assert(std::is_same_v<convolve_fn<same, stride<1>, false, depthwise>::tag, op::depthwise_conv2d>);

// Of an odd amount of padding the larger half comes after, as in TensorFlow.
static_assert(same::before(7, 3, 1, 7) == 1 && same::before(7, 4, 1, 7) == 1 && same::before(6, 3, 2, 3) == 0);
static_assert(same::before(5, 1, 2, 3) == 0);

}  // namespace

TEST_CASE("sizes that are known at run time only are checked there") {
  using any = tensor<double, dextents<std::size_t, 4>>;
  const any x(dextents<std::size_t, 4>(1, 2, 4, 4));
  const any channels(dextents<std::size_t, 4>(1, 3, 3, 3));
  const any large(dextents<std::size_t, 4>(1, 2, 5, 3));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(convolve2d(x, channels)),
      "mezzo::convolve2d: input and weights must have the same number of channels; given 2 and 3; check axis 1 of "
      "both",
      error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(convolve2d(x, large)),
      "mezzo::convolve2d: the window must fit into the padded input; given a window of 5 by 3; pad the input or "
      "shrink the window",
      error);
  const any channel(dextents<std::size_t, 4>(3, 1, 3, 3));
  CHECK_THROWS_WITH_AS(
      (static_cast<void>(convolve2d<valid, stride<1>, groups<2>>(x, large))),
      "mezzo::convolve2d: the groups' weights must have as many channels together as the input has; given 2 groups of "
      "2 and an input of 2; make axis 1 of the weights the input's channels divided by the number of groups",
      error);
  CHECK_THROWS_WITH_AS((static_cast<void>(convolve2d<valid, stride<1>, depthwise>(x, channel))),
                       "mezzo::convolve2d: the outputs must divide evenly into the groups; given 3 outputs and 2 "
                       "groups; make axis 0 of the weights a multiple of the number of groups",
                       error);
  CHECK(convolve2d<padding<1>>(x, large).extents() == shape<1, 1, 2, 4>{});
}

TEST_CASE("gradients of convolutions without padding") {
  auto x = uniform<doubles<2, 2, 5, 4>>(1);
  auto w = uniform<doubles<3, 2, 3, 2>>(2);
  check_gradient([](auto& x_, auto& w_) { return convolve2d(x_, w_); }, x, w);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<valid, stride<2>>(x_, w_); }, x, w);
}

TEST_CASE("gradients of convolutions with padding, even windows and odd sizes") {
  auto x = uniform<doubles<2, 2, 5, 4>>(1);
  auto w = uniform<doubles<3, 2, 4, 3>>(2);
  auto b = uniform<doubles<3, 1, 1>>(3);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<padding<1>>(x_, w_); }, x, w);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<padding<1>, stride<2>>(x_, w_); }, x, w);
  check_gradient([](auto& x_, auto& w_, auto& b_) { return convolve2d<same>(x_, w_, b_); }, x, w, b);
  check_gradient([](auto& x_, auto& w_, auto& b_) { return convolve2d<same, stride<2>>(x_, w_, b_); }, x, w, b);
}

TEST_CASE("a window may be larger than the image it is padded into") {
  auto x = uniform<doubles<1, 1, 2, 2>>(1);
  auto w = uniform<doubles<1, 1, 5, 5>>(2);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<same>(x_, w_); }, x, w);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<padding<4>, stride<3>>(x_, w_); }, x, w);
}

TEST_CASE("gradients of convolutions in groups and of single channels") {
  auto x = uniform<doubles<2, 4, 5, 4>>(1);
  auto halves = uniform<doubles<6, 2, 3, 2>>(2);
  auto single = uniform<doubles<8, 1, 3, 3>>(3);
  auto b = uniform<doubles<8, 1, 1>>(4);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<same, stride<1>, groups<2>>(x_, w_); }, x, halves);
  check_gradient([](auto& x_, auto& w_) { return convolve2d<padding<1>, stride<2>, groups<2>>(x_, w_); }, x, halves);
  check_gradient([](auto& x_, auto& w_, auto& b_) { return convolve2d<same, stride<1>, depthwise>(x_, w_, b_); }, x,
                 single, b);
  check_gradient([](auto& x_, auto& w_) { return silu(convolve2d<same, stride<2>, groups<4>>(x_, w_)); }, x, single);
}
