// SPDX-License-Identifier: MIT
#include <mezzo/tensor/extents.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

namespace {

using mezzo::dextents;
using mezzo::dynamic_extent;
using mezzo::extents;
using mezzo::shape;

constexpr std::size_t any = dynamic_extent;

// What the type knows.
static_assert(shape<>::rank() == 0 && shape<>{}.size() == 1, "a single number has no axis and one element");
static_assert(shape<2, 3>::rank() == 2 && shape<2, 3>::rank_dynamic() == 0 && shape<2, 3>{}.size() == 6);
static_assert(shape<any, 3, any>::rank_dynamic() == 2 && shape<any, 3, any>::static_extent(1) == 3 &&
              shape<any, 3, any>::static_extent(2) == any);
static_assert(std::is_same_v<shape<2, 3>::index_type, std::size_t> &&
              std::is_same_v<extents<int, 2>::index_type, int>);
static_assert(std::is_same_v<dextents<int, 3>, extents<int, any, any, any>> &&
              std::is_same_v<dextents<std::size_t, 0>, shape<>>);

// Dynamic sizes take memory, one index each; static sizes at most one between them.
static_assert(sizeof(extents<std::int32_t, any, 3, any>) == 2 * sizeof(std::int32_t));
static_assert(sizeof(extents<std::int16_t, 2, 3, 4, 5>) <= sizeof(std::int16_t));
static_assert(std::is_trivially_copyable_v<shape<any, 3>>);

// Given all dynamic sizes, or all sizes.
constexpr shape<any, 3, any> by_dynamic(2, 4);
constexpr shape<any, 3, any> by_all(2, 3, 4);
static_assert(by_dynamic == by_all && by_all.extent(0) == 2 && by_all.extent(1) == 3 && by_all.extent(2) == 4);
static_assert(by_all.size() == 24 && shape<any, 3>{}.extent(0) == 0 && shape<any, 3>{}.size() == 0);
static_assert(shape<2, 3>(2, 3) == shape<2, 3>{});
static_assert(extents<int, any, any>(short{2}, 3u).extent(1) == 3);

template <class T, class... Given>
concept made_of = requires(Given... given) { T(given...); };
static_assert(made_of<shape<any, 3>, int> && made_of<shape<any, 3>, int, int>);
static_assert(!made_of<shape<any, any, 3>, int> && !made_of<shape<3>, int, int> && !made_of<shape<3>, const char*>);
static_assert(!std::is_convertible_v<int, shape<any>>, "a number alone is no size");

// Comparison, whatever is static, dynamic, or counted in another type.
static_assert(shape<2, 3>{} == extents<int, any, any>(2, 3) && extents<int, any, 3>(2) == shape<2, any>(3));
static_assert(shape<2, 3>{} != shape<3, 2>{} && shape<2>{} != shape<2, 1>{} && shape<>{} == shape<>{});

// Conversion between mixes of static and dynamic; sizes that can never agree do not convert.
constexpr shape<any, any> wide = shape<2, 3>{};
constexpr shape<2, any> narrow = wide;
static_assert(wide.extent(0) == 2 && narrow.extent(1) == 3);
static_assert(extents<std::int32_t, any, 3>(shape<any, any>(5, 3)).extent(0) == 5);
static_assert(!std::is_constructible_v<shape<2, 3>, shape<2, 4>> && !std::is_constructible_v<shape<2>, shape<2, 1>>);

}  // namespace

TEST_CASE("a size that the type fixes is checked where it is given again") {
  CHECK_NOTHROW((shape<any, 3>(2, 3)));
  CHECK_THROWS_WITH_AS((shape<any, 3>(2, 4)),
                       "mezzo::extents: dimension 1 is fixed by the type at 3; given 4; pass that size or make the "
                       "extent dynamic",
                       mezzo::error);
  const shape<any, any> sizes(5, 3);
  CHECK_NOTHROW((shape<any, 3>{sizes}));
  CHECK_THROWS_WITH_AS((shape<2, 3>{sizes}),
                       "mezzo::extents: dimension 0 is fixed by the type at 2; given 5; pass that size or make the "
                       "extent dynamic",
                       mezzo::error);
}
