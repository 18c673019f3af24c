// SPDX-License-Identifier: MIT
#include <mezzo/backend/sinks.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace mezzo;

TEST_CASE("a stored run is rounded once and inspected as what it became") {
  float16 out[6]{};
  const float values[] = {1, 2049, 1e6f};
  tally sum;
  store_sink<float16>{out, inspection::finite}(2, 2, values, sum);
  CHECK(static_cast<float>(out[1]) == 0);
  CHECK(static_cast<float>(out[2]) == 1);
  CHECK(static_cast<float>(out[3]) == 2048);
  CHECK(static_cast<float>(out[4]) == 0);
  CHECK(!sum.non_finite);
  store_sink<float16>{out, inspection::finite}(3, 1, values + 2, sum);
  CHECK(sum.non_finite);  // finite in float32, infinite in float16
}

TEST_CASE("contributions are added in the type of the sums") {
  float sums[] = {1, 1, 1};
  const float values[] = {0x1p-10f, 2};
  tally sum;
  const add_sink<float> sink{sums};
  sink(0, 2, values, sum);
  sink(0, 2, values, sum);
  CHECK(sums[0] == 1 + 0x1p-9f);
  CHECK(sums[1] == 5);
  CHECK(sums[2] == 1);
}

TEST_CASE("a part of a result begins at its place") {
  float out[4] = {};
  const float values[] = {1, 2};
  tally sum;
  part_sink<store_sink<float>>{{out, inspection::finite_and_norm}, 1}(1, 2, values, sum);
  CHECK(out[1] == 0);
  CHECK(out[2] == 1);
  CHECK(out[3] == 2);
  CHECK(sum.squares == 5);
}
