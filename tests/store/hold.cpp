// SPDX-License-Identifier: MIT
#include <mezzo/store/hold.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

template <class View>
bool holds(const View& v, std::initializer_list<float> rows) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < v.extent(0); ++i)
    for (std::size_t j = 0; j < v.extent(1); ++j)
      if (v(i, j) != rows.begin()[at++]) return false;
  return at == rows.size();
}

}  // namespace

TEST_CASE("tensors, transposed and reshaped ones are held where they are") {
  const floats<2, 3> x{1, 2, 3, 4, 5, 6};
  reference on;
  const auto leaf = hold(on, as_expression(x));
  CHECK(leaf.values.data() == x.data());
  const auto flipped = hold(on, autocast<policies::native>(transpose(x)));
  CHECK(flipped.values.data() == x.data());
  CHECK(holds(flipped.values, {1, 4, 2, 5, 3, 6}));
  const auto back = hold(on, autocast<policies::native>(transpose(transpose(x))));
  static_assert(std::is_same_v<decltype(back.values)::layout_type, layout_right>);
  CHECK(holds(back.values, {1, 2, 3, 4, 5, 6}));
  const auto other = hold(on, autocast<policies::native>(reshape<3, 2>(x)));
  CHECK(other.values.data() == x.data());
  CHECK(holds(other.values, {1, 2, 3, 4, 5, 6}));
  CHECK(on.memory.capacity() == 0);
}

TEST_CASE("what is not memory yet is evaluated into scratch") {
  const floats<2, 3> x{1, 2, 3, 4, 5, 6};
  reference on;
  const auto doubled = hold(on, autocast<policies::native>(x * 2));
  CHECK(holds(doubled.values, {2, 4, 6, 8, 10, 12}));
  const auto reshaped = hold(on, autocast<policies::native>(reshape<2, 3>(transpose(x))));
  CHECK(holds(reshaped.values, {1, 4, 2, 5, 3, 6}));
  const auto flipped = hold(on, autocast<policies::native>(transpose(x * 2)));
  CHECK(holds(flipped.values, {2, 8, 4, 10, 6, 12}));
  CHECK(on.memory.capacity() > 0);
}

TEST_CASE("a strided operand is transposed by its distances") {
  const floats<2, 6> wide{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  const std::ptrdiff_t strides[] = {6, 2};
  const view<const float, shape<2, 3>, layout_stride> every_second(wide.data(), {shape<2, 3>{}, strides});
  reference on;
  const auto flipped = hold(on, autocast<policies::native>(transpose(every_second)));
  CHECK(holds(flipped.values, {1, 4, 2, 5, 3, 6}));
}

TEST_CASE("loops over steps known only now take the quick form where all steps are 1") {
  const tensor<float, dextents<std::size_t, 2>> x(dextents<std::size_t, 2>(2, 3));
  const auto lane = lane_over(x.extents(), x.as_view());
  static_assert(decltype(lane)::step == inner_step::any);
  bool quick = false;
  with_inner_steps<2>([&](auto l) { quick = decltype(l)::step == inner_step::unit; }, lane);
  CHECK(quick);
  const view<const float, dextents<std::size_t, 2>, layout_left> flipped(x.data(), x.extents());
  with_inner_steps<2>([&](auto l, auto) { quick = decltype(l)::step == inner_step::unit; }, lane,
                      lane_over(x.extents(), flipped));
  CHECK(!quick);
}
