// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/vector_plan.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace mezzo::npu;

static constexpr vector_task add(std::size_t elements, element type) {
  const std::size_t bytes = bytes_of(type);
  vector_task t{.elements = elements, .type = type, .bytes_in = 2 * elements * bytes, .bytes_out = elements * bytes};
  t.work.add(vector_op::simple, type);
  return t;
}

// Cores as in profiles: one for each 4096 bytes of the widest operand, while there are any.
static_assert(plan_vector(ascend910b1, add(4096, element::float32)).cores == 4);
static_assert(plan_vector(ascend910b1, add(4608, element::float32)).cores == 5);
static_assert(plan_vector(ascend910b1, add(4096, element::float16)).cores == 2);
static_assert(plan_vector(ascend910b1, add(12288, element::float32)).cores == 12);
static_assert(plan_vector(ascend910b1, add(1 << 24, element::float32)).cores == 48);
static_assert(plan_vector(ascend910b3, add(1, element::float16)).cores == 1);

// Casts to 8 bytes take twice the cores; a sum over everything takes all of them, a block each at the least.
static constexpr vector_task unlike(std::size_t elements, std::size_t widest, bool whole) {
  vector_task t = add(elements, element::float32);
  t.widest_bytes = widest;
  t.whole_reduction = whole;
  return t;
}
static_assert(plan_vector(ascend910b1, unlike(4096, 8, false)).cores == 8);
static_assert(plan_vector(ascend910b1, unlike(4096, 2, false)).cores == 4);
static_assert(plan_vector(ascend910b1, unlike(4608, 4, true)).cores == 48);
static_assert(plan_vector(ascend910b1, unlike(24, 4, true)).cores == 3);

TEST_CASE("shares cover all elements, chunks fit the unified buffer") {
  std::mt19937 bits(7);
  for (const chip* on : {&ascend910a, &ascend910b1, &ascend910b4})
    for (int i = 0; i < 300; ++i) {
      const std::size_t elements = 1 + bits() % (i % 2 == 0 ? 5000 : 50'000'000);
      const vector_task task = add(elements, i % 3 == 0 ? element::float32 : element::float16);
      for (const bool twice : {false, true}) {
        const vector_plan p = plan_vector(*on, task, {.double_buffering = twice});
        CHECK(p.cores >= 1);
        CHECK(p.cores <= on->vector_cores);
        CHECK(p.cores * p.share >= elements);
        CHECK((p.cores - 1) * p.share < elements);
        CHECK(p.chunk * p.chunks >= p.share);
        CHECK((p.chunks - 1) * p.chunk < p.share);
        CHECK(p.buffers == (twice ? 2 : 1));
        CHECK(p.buffers * p.chunk * 3 * bytes_of(task.type) <= on->ub_bytes);
      }
    }
}

TEST_CASE("scratch makes chunks smaller") {
  vector_task task = add(1'000'000, element::float32);
  const std::size_t before = plan_vector(ascend910b1, task).chunk;
  task.scratch_bytes = 12;
  CHECK(plan_vector(ascend910b1, task).chunk <= before / 2 + 256);
}

TEST_CASE("plans that cannot be say why") {
  CHECK_THROWS_WITH_AS(static_cast<void>(plan_vector(ascend910b1, add(0, element::float32))),
                       "mezzo::npu::plan_vector: there must be at least 1 element; given none; leave out empty kernels",
                       mezzo::error);
  vector_task task = add(100, element::float32);
  task.scratch_bytes = 1000;
  CHECK_THROWS_WITH_AS(static_cast<void>(plan_vector(ascend910b1, task)),
                       "mezzo::npu::plan_vector: 256 elements must fit the unified buffer of ascend910b1, 196608 "
                       "bytes, with 2 buffers; given 1012 bytes an element; split the kernel",
                       mezzo::error);
}

TEST_CASE("a chip without vector cores is an error") {
  mezzo::npu::chip empty = mezzo::npu::ascend910b1;
  empty.name = "empty";
  empty.vector_cores = 0;
  CHECK_THROWS_WITH_AS(
      static_cast<void>(mezzo::npu::plan_vector(empty, {.elements = 1, .type = mezzo::npu::element::float16})),
      "mezzo::npu::chip: a chip must have vector cores and a clock; given empty with 0 cores; start from a copy of one "
      "of the library's",
      mezzo::error);
}
