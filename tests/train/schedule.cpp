// SPDX-License-Identifier: MIT
#include <mezzo/train/schedule.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

static_assert(constant_rate{}.at(0, 0.25f) == 0.25f && constant_rate{}.at(1000000, 0.25f) == 0.25f);

constexpr linear_rate rate{.peak = 8, .warmup = 4, .steps = 12, .last = 0};
static_assert(rate.at(0, 99) == 2 && rate.at(1, 99) == 4 && rate.at(3, 99) == 8);
static_assert(rate.at(4, 99) == 8 && rate.at(8, 99) == 4 && rate.at(11, 99) == 1);
static_assert(rate.at(12, 99) == 0 && rate.at(1000000, 99) == 0);

// Without a warm-up it starts at the peak; it ends where it is told to.
constexpr linear_rate falling{.peak = 4, .steps = 4, .last = 2};
static_assert(falling.at(0, 99) == 4 && falling.at(2, 99) == 3 && falling.at(4, 99) == 2);

// A warm-up as long as the training, or longer, only rises.
constexpr linear_rate rising{.peak = 4, .warmup = 4, .steps = 4};
static_assert(rising.at(3, 99) == 4 && rising.at(4, 99) == 0);
static_assert(linear_rate{.peak = 4, .warmup = 8, .steps = 4}.at(7, 99) == 4);

}  // namespace

TEST_CASE("a schedule never leaves the range between its ends") {
  const linear_rate warm{.peak = 0.1f, .warmup = 7, .steps = 100, .last = 0.01f};
  float before = warm.at(6, 0);
  CHECK(before == 0.1f);
  for (std::size_t step = 7; step < 200; ++step) {
    const float now = warm.at(step, 0);
    CHECK(now <= before);
    CHECK(now >= 0.01f);
    before = now;
  }
  CHECK(before == 0.01f);
}
