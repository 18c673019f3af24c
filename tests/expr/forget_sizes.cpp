// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/forget_sizes.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/expr/convolve.hpp>
#include <mezzo/expr/pointwise.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using native = policies::native;

template <std::size_t Batch, std::size_t In, std::size_t Out>
auto affine(const tensor<float, shape<Batch, In>>& x, const tensor<float, shape<In, Out>>& w,
            const tensor<float, shape<Out>>& b) {
  return autocast<native>(linear(x, w, b));
}

/// (1, channels, side, side) with a window of `side`: a result of one element a plane.
template <std::size_t Side>
auto squeeze(const tensor<float, shape<1, 2, Side, Side>>& x, const tensor<float, shape<3, 2, Side, Side>>& w) {
  return autocast<native>(convolve2d<valid>(x, w));
}

}  // namespace

TEST_CASE("sizes above 1 leave the types, 1s stay") {
  tensor<float, shape<4, 3>> x;
  tensor<float, shape<3, 5>> w;
  tensor<float, shape<5>> b;
  tensor<float, shape<2, 7>> x2;
  tensor<float, shape<7, 9>> w2;
  tensor<float, shape<9>> b2;
  const auto one = forget_sizes(affine(x, w, b));
  const auto other = forget_sizes(affine(x2, w2, b2));
  static_assert(std::is_same_v<decltype(one), decltype(other)>);
  CHECK(one.extents() == shape<4, 5>{});
  CHECK(other.extents() == shape<2, 9>{});

  tensor<float, shape<1, 3>> single;
  const auto repeats = forget_sizes(affine(single, w, b));
  static_assert(!std::is_same_v<decltype(one), decltype(repeats)>);
  static_assert(decltype(repeats)::extents_type::static_extent(0) == 1);
  static_assert(decltype(one)::extents_type::static_extent(1) == detail::plural_extent);
}

TEST_CASE("an operation whose result has a 1 that only sizes tell keeps its types") {
  tensor<float, shape<1, 2, 3, 3>> x;
  tensor<float, shape<3, 2, 3, 3>> w;
  const auto exact = squeeze(x, w);
  const auto kept = forget_sizes(exact);
  static_assert(std::is_same_v<decltype(exact), decltype(kept)>);
}

TEST_CASE("results are the same bits with and without sizes") {
  tensor<float, shape<5, 6>> x;
  tensor<float, shape<6, 4>> w;
  tensor<float, shape<4>> b;
  tensor<float, shape<5, 4>> expected, y;
  for (std::size_t i = 0; i < 30; ++i) x.data()[i] = static_cast<float>(i % 7) - 2.5f;
  for (std::size_t i = 0; i < 24; ++i) w.data()[i] = static_cast<float>(i % 5) * 0.37f - 0.8f;
  for (std::size_t i = 0; i < 4; ++i) b.data()[i] = static_cast<float>(i);
  cpu on;
  into(on, expected) = affine(x, w, b);
  into(on, y) = forget_sizes(affine(x, w, b));
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y.data()[i] == expected.data()[i]);
}

TEST_CASE("a plural size is none of 1, and broadcasts as the smaller of what types know") {
  using detail::plural_extent;
  static_assert(detail::may_be_equal(plural_extent, 3) && detail::may_be_equal(plural_extent, dynamic_extent));
  static_assert(!detail::may_be_equal(plural_extent, 1) && !detail::may_be_equal(1, plural_extent));
  static_assert(detail::broadcast_size(plural_extent, dynamic_extent) == plural_extent);
  static_assert(detail::broadcast_size(plural_extent, 4) == 4 &&
                detail::broadcast_size(1, plural_extent) == plural_extent);
  static_assert(shape<plural_extent, 2>::rank_dynamic() == 1);
}
