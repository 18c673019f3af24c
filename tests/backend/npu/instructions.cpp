// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/instructions.hpp>

#include <doctest/doctest.h>

using namespace mezzo::npu;

// Published cycle counts: an instruction of CANN's tile takes 512 steps and 10 cycles.
static_assert(cube_cycles(ascend910b3, element::bfloat16, 128, 256, 64) == 512 + 10);
static_assert(cube_cycles(ascend910b3, element::float32, 128, 256, 64) == 4 * 512 + 10);
static_assert(cube_cycles(ascend910b3, element::int8, 128, 256, 64) == 256 + 10);
static_assert(cube_cycles(ascend910b3, element::float16, 1, 17, 33) == 1 * 2 * 3 + 10);
static_assert(mte1_cycles(ascend910b3, element::float16, 128, 256, 64) == 64 + 256 + 47);
static_assert(vector_cycles(ascend910b3, vector_op::simple, element::float16, 128) == 23 + 1);
static_assert(vector_cycles(ascend910b3, vector_op::exponential, element::float16, 1280) == 23 + 40);
static_assert(vector_cycles(ascend910b3, vector_op::quotient, element::float32, 640) == 23 + 20);
static_assert(vector_cycles(ascend910b3, vector_op::reduction, element::float32, 640) == 23 + 70);
// An instruction has at most 255 repeats.
static_assert(vector_cycles(ascend910b3, vector_op::simple, element::float32, 256 * 64) == 2 * 23 + 256);

static constexpr cycles in(std::size_t rows, std::size_t row, std::size_t stride) {
  return transfer_cycles(ascend910b3, rows, row, stride, ascend910b3.path_bytes);
}

TEST_CASE("long rows move faster than short ones, aligned ones than others") {
  const std::size_t bytes = 1 << 16;
  CHECK(in(0, 512, 512) == 0);
  CHECK(in(128, 512, 4096) == 128 * (4 + 2));
  CHECK(in(128, 512, 512) == in(1, bytes, bytes));
  cycles before = in(1, bytes, bytes);
  for (std::size_t row = 512; row >= 32; row /= 2) {
    const cycles now = in(bytes / row, row, 1 << 20);
    CHECK(now >= before);
    before = now;
  }
  // pub: transfers from any multiple of 32 bytes reach 70 % of those from multiples of 512 at the worst.
  const auto aligned = static_cast<double>(in(128, 512, 4096)), other = static_cast<double>(in(128, 512, 4096 + 32));
  CHECK(aligned / other < 1);
  CHECK(aligned / other > 0.7);
  // derived: streams of the second generation reach 28 to 85 bytes a cycle.
  CHECK(static_cast<double>(bytes) / static_cast<double>(in(128, 512, 4096)) == doctest::Approx(85).epsilon(0.01));
}

TEST_CASE("work on vectors is the sum of its instructions") {
  vector_work work;
  work.add(vector_op::simple, element::float16, 2).add(vector_op::exponential, element::float32);
  CHECK(vector_cycles(ascend910b1, work, 1000) ==
        2 * vector_cycles(ascend910b1, vector_op::simple, element::float16, 1000) +
            vector_cycles(ascend910b1, vector_op::exponential, element::float32, 1000));
  CHECK(vector_cycles(ascend910b1, vector_work{}, 1000) == 0);
}

TEST_CASE("the shared memories allow L2's bandwidth, and HBM's of what it moves") {
  const chip& on = ascend910b4;
  const auto per_second = static_cast<double>(on.megahertz) * 1e6;
  const auto seconds = [&](double bytes, double read, double written) {
    return static_cast<double>(detail::shared_cycles(on, bytes, read, written)) / per_second;
  };
  CHECK(seconds(5e9, 0, 0) == doctest::Approx(1e-3));
  CHECK(seconds(8e8, 8e8, 0) == doctest::Approx(1e-3));
  CHECK(seconds(8e8, 0, 8e8) == doctest::Approx(1e-3));
  CHECK(seconds(8e8, 4e8, 4e8) == doctest::Approx(1e-3 / on.hbm_mixed));
  // A core whose path works while nothing else does bears the whole stretch; else idle time stays.
  CHECK(detail::stretched(100, 100, 200, 50) == doctest::Approx(4));
  CHECK(detail::stretched(100, 40, 200, 50) == doctest::Approx(2.8));
  CHECK(detail::stretched(200, 40, 200, 50) == 0);
  CHECK(detail::at_least(10, 5, 4) == 20);
  CHECK(detail::at_least(30, 5, 4) == 30);
}

TEST_CASE("FixPipe writes no faster than the path takes") {
  CHECK(fixpipe_cycles(ascend910b3, 128, 512, 8192) == 1024);
  CHECK(fixpipe_cycles(ascend910b3, 128, 32, 8192) == in(128, 32, 8192));
}
