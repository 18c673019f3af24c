// SPDX-License-Identifier: MIT
#include <mezzo/backend/tally.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace mezzo;

namespace {

template <class T>
constexpr tally looked_at(inspection what, const T* first, std::size_t size) {
  tally sum;
  inspect(what, first, size, sum);
  return sum;
}

constexpr float three_four[] = {3, 4};
static_assert(looked_at(inspection::finite_and_norm, three_four, 2).squares == 25);
static_assert(!looked_at(inspection::finite_and_norm, three_four, 2).non_finite);
static_assert(looked_at(inspection::finite, three_four, 2).squares == 0);
static_assert(looked_at(inspection::nothing, three_four, 2).squares == 0);

}  // namespace

TEST_CASE_TEMPLATE("one infinity or NaN anywhere is seen by its bits", T, float, double, float16, bfloat16) {
  using codes = layout<format_of<T>>;
  using word = typename format_of<T>::storage;
  const word infinity = static_cast<word>(codes::overflow);
  const word negative_nan = static_cast<word>(~word{0});
  for (std::size_t size : {1u, 7u, 8u, 9u, 64u, 100u}) {
    std::vector<T> values(size, from_bits<T>(static_cast<word>(infinity - 1)));  // the largest finite number
    CHECK(!looked_at(inspection::finite, values.data(), size).non_finite);
    for (std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      const T kept = values[at];
      for (word code : {infinity, negative_nan}) {
        values[at] = from_bits<T>(code);
        CHECK(looked_at(inspection::finite, values.data(), size).non_finite);
        CHECK(!looked_at(inspection::nothing, values.data(), size).non_finite);
      }
      values[at] = kept;
    }
  }
}

TEST_CASE("the norm of float16 gradients does not overflow") {
  const float16 values[] = {float16(300.0f), float16(400.0f)};
  CHECK(looked_at(inspection::finite_and_norm, values, 2).squares == 250000);
  std::vector<float16> many(1001, float16(2.0f));
  CHECK(looked_at(inspection::finite_and_norm, many.data(), many.size()).squares == 4004);
}

TEST_CASE("tallies add up, and none forgets what another has seen") {
  tally sum{true, 2};
  sum += tally{false, 3};
  CHECK(sum.non_finite);
  CHECK(sum.squares == 5);
  tally clean;
  clean += tally{};
  CHECK(!clean.non_finite);
  clean += tally{true, 0};
  CHECK(clean.non_finite);
}
