// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/normalize.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

constexpr bool same(const normalized_rows& a, const normalized_rows& b) {
  return a.rows == b.rows && a.length == b.length && a.cycle == b.cycle && a.repeat == b.repeat;
}
constexpr shape<4, 6, 5, 3> image;
static_assert(same(trailing_axes<-1>::rows_of(image), {120, 3, 1, 1}));
static_assert(same(trailing_axes<1>::rows_of(image), {4, 90, 1, 1}));
static_assert(same(channel_groups<2>::rows_of(image), {8, 45, 2, 15}));
static_assert(channel_groups<2>::rows_of(image).parameters() == 6);
static_assert(trailing_axes<1>::rows_of(image).parameters() == 90);

}  // namespace

TEST_CASE("a normalised tensor keeps its sizes") {
  const doubles<4, 6, 5> x;
  const doubles<5> gain, shift;
  const doubles<6> channels;
  static_assert(std::is_same_v<decltype(layer_norm(x, gain, shift))::extents_type, shape<4, 6, 5>>);
  static_assert(std::is_same_v<decltype(rms_norm(x, gain))::extents_type, shape<4, 6, 5>>);
  static_assert(std::is_same_v<decltype(group_norm<3>(x, channels, channels))::extents_type, shape<4, 6, 5>>);
}

TEST_CASE("gradients of layer normalisation over one axis and several") {
  auto x = uniform<doubles<3, 2, 4>>(1, -2, 2);
  auto gain = uniform<doubles<4>>(2, 0.5, 2), shift = uniform<doubles<4>>(3);
  auto gains = uniform<doubles<2, 4>>(4, 0.5, 2), shifts = uniform<doubles<2, 4>>(5);
  check_gradient([](auto& x_, auto& g, auto& s) { return layer_norm(x_, g, s); }, x, gain, shift);
  check_gradient([](auto& x_, auto& g, auto& s) { return layer_norm<1>(x_, g, s, 0.1); }, x, gains, shifts);
}

TEST_CASE("gradients of root mean square and group normalisation") {
  auto x = uniform<doubles<3, 6, 2, 2>>(1, -2, 2);
  auto gain = uniform<doubles<2>>(2, 0.5, 2);
  auto gains = uniform<doubles<6>>(3, 0.5, 2), shifts = uniform<doubles<6>>(4);
  check_gradient([](auto& x_, auto& g) { return rms_norm(x_, g); }, x, gain);
  check_gradient([](auto& x_, auto& g, auto& s) { return group_norm<2>(x_, g, s); }, x, gains, shifts);
}

TEST_CASE("gradients through what stands around a normalisation, and of a tensor that occurs twice") {
  auto x = uniform<doubles<3, 4>>(1, -2, 2);
  auto gain = uniform<doubles<4>>(2, 0.5, 2);
  check_gradient([](auto& x_, auto& g) { return layer_norm(x_ * x_, g, exp(g)) * x_; }, x, gain);
  check_gradient([](auto& x_) { return layer_norm(transpose(x_), 2, sum<1>(x_)); }, x);
}

TEST_CASE("gain and shift have the sizes of the normalised axes") {
  using some = tensor<double, shape<dynamic_extent>>;
  const tensor<double, shape<3, dynamic_extent>> x(shape<3, dynamic_extent>(4));
  const some gain(shape<dynamic_extent>(4)), few(shape<dynamic_extent>(2));
  CHECK_NOTHROW(static_cast<void>(layer_norm(x, gain, gain)));
  CHECK_THROWS_WITH_AS(static_cast<void>(layer_norm(x, gain, few)),
                       "mezzo::layer_norm, rms_norm: gain and shift must have the sizes of the normalised axes, 4 "
                       "elements; given 2; check their shapes",
                       error);
  CHECK_THROWS_WITH_AS(static_cast<void>(group_norm<2>(x, gain, few)),
                       "mezzo::group_norm: gain and shift must have one element for each channel, 4; given 2; check "
                       "their shapes",
                       error);
  CHECK_THROWS_WITH_AS(static_cast<void>(group_norm<3>(x, gain, gain)),
                       "mezzo::group_norm: the number of channels must be a multiple of the number of groups; given 4 "
                       "channels and 3 groups; choose another number of groups",
                       error);
}
