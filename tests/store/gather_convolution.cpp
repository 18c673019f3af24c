// SPDX-License-Identifier: MIT
#include <mezzo/store/gather_convolution.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

// Zeros before the image: half of what the last window lacks, the smaller half of an odd amount.
template <class Padding, std::size_t Step>
constexpr convolution_shape shape_of(const floats<1, 1, 5, 4>& x, const floats<1, 1, 3, 4>& w) {
  return gather<convolve_fn<Padding, stride<Step>, false>>::shape_of(x.as_view(), w.as_view());
}
constexpr bool shapes() {
  const floats<1, 1, 5, 4> x;
  const floats<1, 1, 3, 4> w;
  const auto a = shape_of<same, 1>(x, w);
  const auto b = shape_of<padding<2>, 2>(x, w);
  return a.before_rows == 1 && a.before_columns == 1 && a.rows == 5 && a.columns == 4 && b.before_rows == 2 &&
         b.rows == 4 && b.columns == 3 && b.step == 2;
}
static_assert(shapes());

// Channels and outputs are those of one group.
constexpr bool grouped() {
  const floats<1, 6, 5, 4> x;
  const floats<4, 3, 3, 3> two;
  const floats<12, 1, 3, 3> six;
  const auto a = gather<convolve_fn<same, stride<1>, false, groups<2>>>::shape_of(x.as_view(), two.as_view());
  const auto b = gather<convolve_fn<same, stride<1>, false, depthwise>>::shape_of(x.as_view(), six.as_view());
  return a.groups == 2 && a.channels == 3 && a.outputs == 2 && b.groups == 6 && b.channels == 1 && b.outputs == 2;
}
static_assert(grouped());

// The loop for single channels is chosen by types where they tell.
template <std::size_t Channels>
using weights = view<const float, shape<4, Channels, 3, 3>>;
static_assert(detail::grouping_of<groups<1>, weights<1>>() == detail::grouping::none);
static_assert(detail::grouping_of<groups<4>, weights<1>>() == detail::grouping::each_channel);
static_assert(detail::grouping_of<depthwise, weights<dynamic_extent>>() == detail::grouping::each_channel);
static_assert(detail::grouping_of<groups<4>, weights<2>>() == detail::grouping::several);
static_assert(detail::grouping_of<groups<4>, weights<detail::plural_extent>>() == detail::grouping::several);
static_assert(detail::grouping_of<groups<4>, weights<dynamic_extent>>() == detail::grouping::open);

}  // namespace
