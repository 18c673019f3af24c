// SPDX-License-Identifier: MIT
#include <mezzo/tensor/view.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using mezzo::as_view;
using mezzo::layout_left;
using mezzo::layout_stride;
using mezzo::shape;
using mezzo::view;

constexpr std::size_t any = mezzo::dynamic_extent;

using matrix = view<float, shape<2, 3>>;
using read_only = view<const float, shape<2, 3>>;
static_assert(std::is_same_v<read_only::element_type, const float> && std::is_same_v<read_only::value_type, float>);
static_assert(matrix::rank() == 2 && std::is_trivially_copyable_v<matrix>);
static_assert(sizeof(view<float, shape<any>>) == sizeof(float*) + sizeof(std::size_t));

constexpr float six[] = {0, 1, 2, 3, 4, 5};
constexpr auto grid = as_view<2, 3>(six);
static_assert(std::is_same_v<decltype(grid), const read_only>);
static_assert(grid(0, 0) == 0 && grid(0, 2) == 2 && grid(1, 0) == 3 && grid(1, 2) == 5);
static_assert(grid.size() == 6 && grid.extent(1) == 3 && grid.stride(0) == 3 && grid.data() == six && !grid.empty());
static_assert(grid.extents() == shape<2, 3>{} && grid.mapping().required_span_size() == 6);

constexpr view<const float, shape<3, 2>, layout_left> turned(six, shape<3, 2>{});
static_assert(turned(2, 1) == grid(1, 2) && turned(1, 0) == grid(0, 1) && turned(0, 1) == grid(1, 0));
constexpr view<const float, shape<2, 2>, layout_stride> corners(six, {shape<2, 2>{}, {3, 2}});
static_assert(corners(0, 1) == 2 && corners(1, 0) == 3 && corners(1, 1) == 5 && corners.size() == 4);

constexpr view deduced(six, shape<any>(4));
static_assert(std::is_same_v<decltype(deduced), const view<const float, shape<any>>> && deduced(3) == 3);
static_assert(as_view<>(six + 4)() == 4, "a single number is indexed by nothing");
static_assert(matrix{}.data() == nullptr && view<float, shape<any, 3>>{}.empty());

// Writing may become reading, never the reverse, and sizes do not change on the way.
static_assert(std::is_convertible_v<matrix, read_only> && !std::is_convertible_v<read_only, matrix>);
static_assert(!std::is_convertible_v<matrix, view<float, shape<3, 2>>>);

// As many indices as axes, each a whole number.
static_assert(std::is_invocable_v<matrix, int, std::size_t> && std::is_invocable_r_v<float&, const matrix, int, int>);
static_assert(!std::is_invocable_v<matrix, int> && !std::is_invocable_v<matrix, int, int, int>);
static_assert(!std::is_invocable_v<matrix, int, const char*>);
static_assert(std::is_same_v<std::invoke_result_t<read_only, int, int>, const float&>);

constexpr float written() {
  float memory[4]{};
  const auto v = as_view<2, 2>(memory);
  v(1, 0) = 7;
  const view<const float, shape<2, 2>> reading = v;
  return reading(1, 0) * 10 + memory[2];
}
static_assert(written() == 77);

}  // namespace

TEST_CASE("a view writes through to what it names") {
  float memory[6]{};
  const view<float, shape<any, 3>> v(memory, shape<any, 3>(2));
  const auto copy = v;
  copy(1, 1) = 4;
  CHECK(memory[4] == 4);
  CHECK(v(1, 1) == 4);
  CHECK(&v(0, 0) == memory);
}
