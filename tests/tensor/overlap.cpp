// SPDX-License-Identifier: MIT
#include <mezzo/tensor/overlap.hpp>

#include <doctest/doctest.h>
#include <mezzo/number/minifloat.hpp>
#include <mezzo/tensor/fractal.hpp>

#include <cstdint>

namespace {

using mezzo::as_view;
using mezzo::layout_fractal_nz;
using mezzo::layout_fractal_zz;
using mezzo::layout_left;
using mezzo::layout_stride;
using mezzo::overlap;
using mezzo::overlap_kind;
using mezzo::shape;
using mezzo::view;

constexpr std::size_t any = mezzo::dynamic_extent;

// In constant evaluation equal first elements are seen.
constexpr overlap_kind constant(bool turned, bool other) {
  float memory[4]{};
  float elsewhere[4]{};
  const auto a = as_view<2, 2>(memory);
  if (other) return overlap(a, as_view<2, 2>(elsewhere));
  if (turned) return overlap(a, view<const float, shape<2, 2>, layout_left>(memory, shape<2, 2>{}));
  return overlap(a, as_view<2, 2>(static_cast<const float*>(memory)));
}
static_assert(constant(false, false) == overlap_kind::same);
static_assert(constant(true, false) == overlap_kind::partial);
static_assert(constant(false, true) == overlap_kind::none);

}  // namespace

TEST_CASE("views of other memory do not meet") {
  float memory[12]{};
  CHECK(overlap(as_view<2, 3>(memory), as_view<2, 3>(memory + 6)) == overlap_kind::none);
  CHECK(overlap(as_view<2, 3>(memory + 6), as_view<2, 3>(memory)) == overlap_kind::none);
}

TEST_CASE("a view meets itself element for element, whatever its types fix") {
  float memory[6]{};
  const auto a = as_view<2, 3>(memory);
  CHECK(overlap(a, a) == overlap_kind::same);
  CHECK(overlap(a, view<const float, shape<any, any>>(memory, shape<any, any>(2, 3))) == overlap_kind::same);
  CHECK(overlap(a, view<float, shape<2, 3>, layout_stride>(memory, {shape<2, 3>{}, {3, 1}})) == overlap_kind::same);
  // The stride of an axis with one element says nothing.
  CHECK(overlap(as_view<1, 6>(memory), view<float, shape<1, 6>, layout_left>(memory, shape<1, 6>{})) ==
        overlap_kind::same);
}

TEST_CASE("other indices of the same memory are a partial overlap") {
  float memory[12]{};
  const auto a = as_view<2, 3>(memory);
  CHECK(overlap(a, as_view<2, 3>(memory + 1)) == overlap_kind::partial);
  CHECK(overlap(a, as_view<2, 3>(memory + 5)) == overlap_kind::partial);
  CHECK(overlap(as_view<2, 3>(memory + 5), a) == overlap_kind::partial);
  CHECK(overlap(a, as_view<3, 2>(memory)) == overlap_kind::partial);
  CHECK(overlap(a, as_view<6>(memory)) == overlap_kind::partial);
  CHECK(overlap(as_view<2, 2>(memory), view<float, shape<2, 2>, layout_left>(memory, shape<2, 2>{})) ==
        overlap_kind::partial);
  CHECK(overlap(a, view<float, shape<2, 3>, layout_stride>(memory, {shape<2, 3>{}, {0, 1}})) == overlap_kind::partial);
}

TEST_CASE("a blocked view meets itself, and fills its memory up to the last padding") {
  float memory[160]{};
  const view<float, shape<any, 3>, layout_fractal_nz<8>> blocks(memory, shape<any, 3>(2));
  CHECK(overlap(blocks, view<const float, shape<2, 3>, layout_fractal_nz<8>>(memory, shape<2, 3>{})) ==
        overlap_kind::same);
  CHECK(overlap(blocks, view<float, shape<2, 4>, layout_fractal_nz<8>>(memory, shape<2, 4>{})) ==
        overlap_kind::partial);
  CHECK(overlap(blocks, view<float, shape<2, 3>, layout_fractal_zz<8>>(memory, shape<2, 3>{})) ==
        overlap_kind::partial);
  CHECK(overlap(blocks, as_view<2, 3>(memory)) == overlap_kind::partial);
  CHECK(overlap(as_view<2, 3>(memory + 122), blocks) == overlap_kind::partial);
  CHECK(overlap(as_view<2, 3>(memory + 128), blocks) == overlap_kind::none);
}

TEST_CASE("views that interleave count as overlapping") {
  float memory[8]{};
  const view<float, shape<4>, layout_stride> even(memory, {shape<4>{}, {2}});
  const view<float, shape<4>, layout_stride> odd(memory + 1, {shape<4>{}, {2}});
  CHECK(overlap(even, odd) == overlap_kind::partial);
}

TEST_CASE("bytes decide, not element types") {
  alignas(4) mezzo::float16 memory[4]{};
  const auto words = as_view<2>(reinterpret_cast<const std::int32_t*>(memory));
  CHECK(overlap(as_view<4>(memory), words) == overlap_kind::partial);
  CHECK(overlap(as_view<1>(memory + 3), words) == overlap_kind::partial);
  CHECK(overlap(as_view<2>(memory), as_view<1>(words.data() + 1)) == overlap_kind::none);
}

TEST_CASE("nothing overlaps nothing") {
  float memory[3]{};
  const view<float, shape<any, 3>> none(memory, shape<any, 3>(0));
  CHECK(overlap(none, as_view<3>(memory)) == overlap_kind::none);
  CHECK(overlap(none, none) == overlap_kind::none);
  CHECK(overlap(view<float, shape<any>>{}, as_view<3>(memory)) == overlap_kind::none);
}
