// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/kernel_cost.hpp>

#include <doctest/doctest.h>

using namespace mezzo::npu;

TEST_CASE("a launch costs what profiles say") {
  CHECK(launch_microseconds(ascend910b1, 1) == doctest::Approx(0.5));
  CHECK(launch_microseconds(ascend910b1, 48) == doctest::Approx(3.0));
  CHECK(launch_microseconds(ascend910b1, 48, 2, true) > 8);
  CHECK(launch_microseconds(ascend910b1, 1, 14, true) == doctest::Approx(0.5));
  CHECK(launch_microseconds(ascend910b1, 48, 1) == doctest::Approx(3.0));
  CHECK(launch_microseconds(ascend910b1, 48, 4) == doctest::Approx(3 + 2 * 47 * ascend910b1.launch_operand));
  CHECK(launch_microseconds(ascend910a, 1) == doctest::Approx(2.05));
  CHECK(launch_microseconds(ascend910a, 32) == doctest::Approx(2.05));
}

TEST_CASE("averages are over the cores that have the pipe") {
  kernel_cost c;
  c.cube_cores = 2;
  c.vector_cores = 4;
  for (cycles& busy : c.busy) busy = 1850 * 8;
  CHECK(c.average(ascend910b1, pipe::cube) == doctest::Approx(4));
  CHECK(c.average(ascend910b1, pipe::vector) == doctest::Approx(2));
  CHECK(c.average(ascend910b1, pipe::scalar) == doctest::Approx(4));
  CHECK(c.average(ascend910b1, pipe::aiv_scalar) == doctest::Approx(2));
  CHECK(c.average(ascend910a, pipe::vector) == doctest::Approx(1.85 * 4));
  c.vector_cores = 0;
  CHECK(c.average(ascend910b1, pipe::vector) == 0);
}

TEST_CASE("kernels that follow one another add up") {
  kernel_cost a, b;
  a.total = 10;
  a.microseconds = 2;
  a.flops = 4e6;
  a.cube_cores = 20;
  a.kernels = b.kernels = 1;
  b.total = 5;
  b.microseconds = 2;
  b.vector_cores = 40;
  b.bytes_in = 7;
  a += b;
  CHECK(a.total == 15);
  CHECK(a.teraflops() == doctest::Approx(1));
  CHECK(a.cube_cores == 20);
  CHECK(a.vector_cores == 40);
  CHECK(a.bytes_in == 7);
  CHECK(a.kernels == 2);
}
