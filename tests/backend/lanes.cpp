// SPDX-License-Identifier: MIT
#include <mezzo/backend/lanes.hpp>

#include <mezzo/store/hold.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;
constexpr float memory[256]{};

template <std::size_t... Sizes>
using row_major = view<const float, shape<Sizes...>>;
template <std::size_t... Sizes>
constexpr row_major<Sizes...> over(const float* data) {
  return {data, shape<Sizes...>{}};
}

template <class Result, class View>
constexpr inner_step step_of = detail::inner_step_of<typename View::extents_type, typename View::layout_type, Result>();

// What types tell of the innermost axis.
static_assert(step_of<shape<3, 4>, row_major<3, 4>> == inner_step::unit);
static_assert(step_of<shape<3, 4>, row_major<4>> == inner_step::unit);
static_assert(step_of<shape<3, 4>, row_major<3, 1>> == inner_step::zero);
static_assert(step_of<shape<3, 4>, row_major<>> == inner_step::zero);
static_assert(step_of<shape<3, any>, row_major<1>> == inner_step::zero);
static_assert(step_of<shape<3, 1>, row_major<3, 1>> == inner_step::unit);
static_assert(step_of<shape<3, any>, row_major<any>> == inner_step::any);
static_assert(step_of<shape<3, 4>, view<const float, shape<3, 4>, layout_left>> == inner_step::any);

template <class Result, class... Views>
constexpr loop_shape merged(const Result& sizes, const Views&... views) {
  return [&](auto... lanes) { return merge_axes(sizes, lanes...); }(lane_over(sizes, views)...);
}

constexpr bool is(const loop_shape& loop, std::initializer_list<std::size_t> sizes) {
  if (loop.rank != sizes.size()) return false;
  for (std::size_t r = 0; r < loop.rank; ++r)
    if (loop.size[r] != sizes.begin()[r]) return false;
  return true;
}

constexpr auto cube = over<2, 3, 4>(memory);
static_assert(is(merged(shape<2, 3, 4>{}, cube, cube), {24}));
static_assert(is(merged(shape<2, 3, 4>{}, cube, over<>(memory)), {24}));
static_assert(is(merged(shape<2, 3, 4>{}, cube, over<4>(memory)), {2, 3, 4}));
static_assert(is(merged(shape<2, 3, 4>{}, cube, over<3, 1>(memory)), {2, 3, 4}));
static_assert(is(merged(shape<2, 3, 4>{}, cube, over<2, 1, 1>(memory)), {2, 12}));
static_assert(is(merged(shape<2, 3, 4>{}, cube, over<3, 4>(memory)), {2, 12}));
static_assert(is(merged(shape<>{}, over<>(memory)), {1}));
static_assert(is(merged(shape<1, 1, 4>{}, over<4>(memory)), {4}));

/// Whether the rows of a lane over `seen` give, position by position, what indices with repetition give.
template <class Result, class View>
bool walks(const Result& sizes, const View& seen) {
  auto lane = lane_over(sizes, seen);
  auto full = lane_over(sizes, view<const float, Result>(memory, sizes));  // keeps some axes apart
  const loop_shape loop = merge_axes(sizes, lane, full);
  std::size_t position = 0;
  for (std::size_t outer = 0; outer < loop.total() / loop.inner(); ++outer) {
    const auto row = lane.row(row_offset(loop, lane, outer), lane.strides[loop.rank - 1]);
    for (std::size_t i = 0; i < loop.inner(); ++i, ++position) {
      std::ptrdiff_t offset = 0;
      std::size_t rest = position;
      for (std::size_t r = 0; r < Result::rank(); ++r) {
        const std::size_t axis = Result::rank() - 1 - r;
        const std::size_t index = rest % sizes.extent(axis);
        rest /= sizes.extent(axis);
        if (r < View::rank() && seen.extent(View::rank() - 1 - r) != 1)
          offset += static_cast<std::ptrdiff_t>(index) * seen.stride(View::rank() - 1 - r);
      }
      if (row.load(i) != seen.data()[offset]) return false;
    }
  }
  return position == sizes.size();
}

}  // namespace

TEST_CASE("lanes walk an operand as broadcasting indexes it") {
  std::vector<float> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const float* const data = values.data();
  const shape<2, 3, 4> sizes;
  const shape<any, any, any> same_sizes(2, 3, 4);
  CHECK(walks(sizes, over<2, 3, 4>(data)));
  CHECK(walks(sizes, over<3, 1>(data)));
  CHECK(walks(sizes, over<2, 1, 4>(data)));
  CHECK(walks(sizes, over<1, 1>(data)));
  CHECK(walks(sizes, over<>(data)));
  CHECK(walks(same_sizes, row_major<any, any>(data, shape<any, any>(1, 4))));
  CHECK(walks(same_sizes, row_major<any, any, any>(data, shape<any, any, any>(2, 1, 1))));
  CHECK(walks(sizes, view<const float, shape<3, 4>, layout_left>(data, shape<3, 4>{})));
  const std::ptrdiff_t strides[] = {50, 1, 7};
  CHECK(walks(sizes, view<const float, shape<2, 3, 4>, layout_stride>(data, {shape<2, 3, 4>{}, strides})));
  CHECK(walks(shape<2, 5, 1>{}, over<1, 1>(data)));
  CHECK(walks(shape<2, 5, 1>{}, over<5, 1>(data)));
  CHECK(walks(shape<2, 1, 2, 1, 3, 2>{}, over<2, 1, 1, 1, 3, 1>(data)));
}
