// SPDX-License-Identifier: MIT
#include <mezzo/backend/pointwise_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

using flat = tensor<float, shape<any>>;

}  // namespace

TEST_CASE("a range of positions is cut where rows end") {
  const loop_shape loop{2, {3, 5}};
  std::vector<std::size_t> seen;
  detail::for_each_segment(loop, 3, 9, [&](std::size_t outer, std::size_t inner, std::size_t at, std::size_t count) {
    seen.insert(seen.end(), {outer, inner, at, count});
  });
  CHECK(seen == std::vector<std::size_t>{0, 3, 3, 2, 1, 0, 5, 5, 2, 0, 10, 2});
}

TEST_CASE("tasks cover every position once, whatever the size") {
  reference plain;
  for (std::size_t size :
       {std::size_t{1}, pointwise_grain - 1, pointwise_grain, pointwise_grain + 1, 3 * pointwise_grain}) {
    const flat x(shape<any>{size}, 2);
    flat y(shape<any>{size});
    into(plain, y) = x + 1;
    std::size_t right = 0;
    for (float value : y) right += value == 3;
    CHECK(right == size);
  }
}

TEST_CASE("rows longer and shorter than a task are repeated rightly") {
  reference plain;
  const std::size_t wide = pointwise_grain + 3;
  tensor<float, shape<any, any>> y(shape<any, any>(3, wide));
  flat row(shape<any>{wide});
  for (std::size_t i = 0; i < wide; ++i) row.data()[i] = static_cast<float>(i);
  tensor<float, shape<any, 1>> column(shape<any, 1>(3));
  for (std::size_t i = 0; i < 3; ++i) column(i, 0) = static_cast<float>(i) * 0.5f;
  into(plain, y) = row + column;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < wide; ++j) wrong += y(i, j) != row(j) + column(i, 0);
  CHECK(wrong == 0);
}

TEST_CASE("written gradients are inspected as they are stored") {
  float16 to[3]{};
  const gradient_lane<float16> lane{to, inspection::finite_and_norm};
  const auto write = [&](float first, float second) {
    auto row = lane.row(1);
    row.begin(0, 2);
    row.put(0, first);
    row.put(1, second);
    row.end(2);
    tally sum;
    lane.finish(1, 2, sum);
    return sum;
  };
  CHECK(write(3, 4).squares == 25);
  CHECK(!write(3, 4).non_finite);
  CHECK(write(3, 1e6f).non_finite);
  CHECK(to[0].bits() == 0);

  float sums[] = {1, 1};
  auto adding = gradient_sum_lane<float>{sums}.row(0);
  adding.begin(0, 2);
  adding.put(1, 2.0f);
  adding.put(1, 2.0f);
  adding.end(2);
  CHECK(sums[0] == 1);
  CHECK(sums[1] == 5);
}

TEST_CASE("a number is stored from its double, rounded once") {
  // Through float32 this would be a tie in float16, and 1 below it.
  CHECK(detail::store_as<float16>(weak_value{1025.5f, 1025.49995}).bits() == 0x6401);
}
