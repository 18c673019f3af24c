// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
#include <mezzo/backend/row_sums.hpp>

#include <mezzo/backend/runs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using namespace mezzo;
using namespace mezzo::detail;

namespace {

/// Numbers whose sum depends on its order.
std::vector<float> uneven(std::size_t count) {
  std::vector<float> x(count);
  std::uint32_t state = 1;
  for (float& v : x) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(static_cast<std::int32_t>(state)) * (state % 7 == 0 ? 0x1p-20f : 0x1p-31f);
  }
  return x;
}

constexpr std::size_t lengths[] = {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 200, 4095, 4096, 4097, 9000};

}  // namespace

TEST_CASE("whole numbers are summed exactly at every length") {
  for (const std::size_t count : lengths) {
    std::vector<float> x(count), y(count);
    double sum = 0, dot = 0, deviation = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(i % 13) - 4;
      y[i] = static_cast<float>(i % 5) - 1;
      sum += x[i];
      dot += double(x[i]) * y[i];
      deviation += double(x[i] - 2) * (x[i] - 2);
    }
    const number_run<float> a{x.data()}, b{y.data()};
    CHECK(row_sum(a, count) == sum);
    CHECK(row_dot(a, b, count) == dot);
    CHECK(row_deviation(a, count, 2.0f) == deviation);
  }
}

TEST_CASE("vectors add in the order of single numbers") {
  for (const std::size_t count : lengths) {
    const auto x = uneven(count);
    CHECK(row_sum(number_run<float>{x.data()}, count) ==
          ordered_sum<float>(count, [&](std::size_t i) { return x[i]; }));
    std::vector<double> wide(x.begin(), x.end());
    CHECK(row_sum(number_run<double>{wide.data()}, count) ==
          ordered_sum<double>(count, [&](std::size_t i) { return wide[i]; }));
    std::vector<bfloat16> low(count);
    for (std::size_t i = 0; i < count; ++i) low[i] = bfloat16(x[i]);
    CHECK(row_sum(widened_run{low.data()}, count) ==
          ordered_sum<float>(count, [&](std::size_t i) { return float(low[i]); }));
  }
}

TEST_CASE("the largest element, wherever it stands; NaNs are passed over") {
  constexpr float least = -std::numeric_limits<float>::infinity();
  for (const std::size_t count : lengths)
    for (std::size_t at = 0; at < count; at += count / 5 + 1) {
      auto x = uneven(count);
      x[at] = 5000;
      if (count > 3) x[(at + 1) % count] = std::numeric_limits<float>::quiet_NaN();
      CHECK(row_largest(number_run<float>{x.data()}, count, least) == 5000);
    }
  CHECK(row_largest(number_run<float>{nullptr}, 0, least) == least);
}

// In constant evaluation too.
static_assert([] {
  float x[100] = {};
  for (std::size_t i = 0; i < 100; ++i) x[i] = static_cast<float>(i);
  return row_sum(number_run<float>{x}, 100) == 4950 && row_largest(number_run<float>{x}, 100, 0.0f) == 99;
}());
