// SPDX-License-Identifier: MIT
#include <mezzo/tensor/layout.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using mezzo::layout_left;
using mezzo::layout_right;
using mezzo::layout_stride;
using mezzo::shape;
using mezzo::detail::offset_of;

constexpr std::size_t any = mezzo::dynamic_extent;

using rows = layout_right::mapping<shape<2, 3, 4>>;
using columns = layout_left::mapping<shape<2, 3, 4>>;
static_assert(rows().stride(0) == 12 && rows().stride(1) == 4 && rows().stride(2) == 1);
static_assert(columns().stride(0) == 1 && columns().stride(1) == 2 && columns().stride(2) == 6);
static_assert(rows().required_span_size() == 24 && columns().required_span_size() == 24);
static_assert(offset_of(rows(), 1, 2, 3) == 23 && offset_of(columns(), 1, 2, 3) == 23);
static_assert(offset_of(rows(), 0, 1, 2) == 6 && offset_of(columns(), 0, 1, 2) == 14);
static_assert(std::is_same_v<rows::extents_type, shape<2, 3, 4>>);

// Every offset once, the last index fastest (or the first).
template <class Mapping>
constexpr bool counts_up(const Mapping& mapping, bool last_fastest) {
  const std::size_t n = last_fastest ? mapping.extents().extent(1) : mapping.extents().extent(0);
  const std::size_t m = last_fastest ? mapping.extents().extent(0) : mapping.extents().extent(1);
  std::ptrdiff_t next = 0;
  for (std::size_t slow = 0; slow < m; ++slow)
    for (std::size_t fast = 0; fast < n; ++fast)
      if (next++ != (last_fastest ? offset_of(mapping, slow, fast) : offset_of(mapping, fast, slow))) return false;
  return next == static_cast<std::ptrdiff_t>(mapping.required_span_size());
}
static_assert(counts_up(layout_right::mapping<shape<any, 5>>(shape<any, 5>(3)), true));
static_assert(counts_up(layout_left::mapping<shape<any, any>>(shape<any, any>(3, 5)), false));

// A single number, and nothing at all.
static_assert(layout_right::mapping<shape<>>().required_span_size() == 1);
static_assert(layout_left::mapping<shape<>>().required_span_size() == 1);
static_assert(layout_stride::mapping<shape<>>().required_span_size() == 1 &&
              offset_of(layout_stride::mapping<shape<>>()) == 0);
static_assert(layout_right::mapping<shape<3, 0>>().required_span_size() == 0);

// A transposed matrix, every second column, a row repeated.
using strided = layout_stride::mapping<shape<2, 3>>;
constexpr strided transposed({}, {1, 2});
static_assert(offset_of(transposed, 1, 2) == 5 && transposed.required_span_size() == 6);
constexpr strided every_second({}, {6, 2});
static_assert(offset_of(every_second, 1, 1) == 8 && every_second.required_span_size() == 11);
constexpr strided repeated({}, {0, 1});
static_assert(offset_of(repeated, 1, 2) == 2 && repeated.required_span_size() == 3 && repeated.stride(0) == 0);
static_assert(layout_stride::mapping<shape<any, 3>>(shape<any, 3>(0), {3, 1}).required_span_size() == 0);

}  // namespace

TEST_CASE("distances do not go backwards") {
  CHECK_THROWS_WITH_AS((strided({}, {3, -1})),
                       "mezzo::layout_stride: a distance must not be negative; given -1 for index 1; begin the view at "
                       "its lowest address",
                       mezzo::error);
  CHECK_NOTHROW((strided({}, {3, 0})));
}
