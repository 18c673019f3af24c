// SPDX-License-Identifier: MIT
#include <mezzo/train/dataset.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace mezzo;

namespace {

constexpr unsigned char pixels[] = {0, 51, 102, 153, 204, 255};
constexpr unsigned char classes[] = {7, 8, 9};
using pixel_set = array_dataset<unsigned char, unsigned char>;

static_assert(dataset<pixel_set, float> && dataset<pixel_set, float16> && dataset<pixel_set, bfloat16>);
static_assert(!dataset<int, float>);

/// A program's own data: sample i is the number i, its label whether it is odd.
struct counting {
  constexpr std::size_t size() const { return 10; }
  template <class T>
  constexpr void fetch(const std::uint32_t* rows, std::size_t count, T* x, std::int32_t* labels) const {
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = convert<T>(static_cast<float>(rows[i]));
      labels[i] = static_cast<std::int32_t>(rows[i] % 2);
    }
  }
};
static_assert(dataset<counting, float16>);

constexpr bool fetches() {
  const pixel_set data{pixels, classes, 3, 2, 1 / 255.0f};
  const std::uint32_t rows[] = {2, 0};
  float x[4]{};
  std::int32_t y[2]{};
  data.fetch(rows, 2, x, y);
  float16 low[4]{};
  data.fetch(rows, 2, low, y);
  return x[0] == 204 * (1 / 255.0f) && x[1] == 1 && x[2] == 0 && y[0] == 9 && y[1] == 7 && low[0] == float16(x[0]) &&
         data.size() == 3;
}
static_assert(fetches());

constexpr bool order_is_a_permutation(std::size_t size, std::uint64_t seed) {
  heap_array<std::uint32_t> order(size);
  fill_order(order, true, seed);
  for (std::uint32_t wanted = 0; wanted < size; ++wanted) {
    int times = 0;
    for (const std::uint32_t one : order) times += one == wanted;
    if (times != 1) return false;
  }
  return true;
}
static_assert(order_is_a_permutation(0, 1) && order_is_a_permutation(1, 1) && order_is_a_permutation(30, 1));

bool same_order(const heap_array<std::uint32_t>& a, const heap_array<std::uint32_t>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(std::uint32_t)) == 0;
}

}  // namespace

TEST_CASE("an order is a function of its seed") {
  heap_array<std::uint32_t> first(100);
  heap_array<std::uint32_t> again(100);
  heap_array<std::uint32_t> other(100);
  fill_order(first, true, 1);
  fill_order(again, true, 1);
  fill_order(other, true, 2);
  CHECK(same_order(first, again));
  CHECK(!same_order(first, other));
  fill_order(other, false, 2);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(other[i] == i);
  CHECK(!same_order(first, other));
}

TEST_CASE("every place is as likely") {
  // 4000 orders of 4: each number is in each place about 1000 times, with a standard deviation of 27.
  int times[4][4]{};
  heap_array<std::uint32_t> order(4);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    fill_order(order, true, seed);
    for (std::size_t place = 0; place < 4; ++place) ++times[order[place]][place];
  }
  for (const auto& number : times)
    for (const int count : number) {
      CHECK(count > 1000 - 6 * 27);
      CHECK(count < 1000 + 6 * 27);
    }
}

TEST_CASE("a row that is not there is refused") {
  const pixel_set data{pixels, classes, 3, 2};
  const std::uint32_t rows[] = {0, 3};
  float x[4];
  std::int32_t y[2];
  CHECK_THROWS_WITH_AS(
      data.fetch(rows, 2, x, y),
      "mezzo::array_dataset: a sample number must be below the number of samples, 3; given 3; check the rows", error);
}
