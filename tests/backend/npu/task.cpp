// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/task.hpp>

#include <doctest/doctest.h>

using namespace mezzo::npu;

static_assert(vector_work{}.empty());
static_assert(!vector_work{}.add(vector_op::quotient, element::float32).empty());
static_assert(product_task{.m = 2, .n = 3, .k = 5, .batch = 7}.flops() == 2 * 2 * 3 * 5 * 7);

TEST_CASE("instructions of one kind and type add up") {
  vector_work work;
  work.add(vector_op::simple, element::float16).add(vector_op::simple, element::float16, 3);
  work.add(vector_op::simple, element::float32);
  CHECK(work.count[0][static_cast<std::size_t>(element::float16)] == 4);
  CHECK(work.count[0][static_cast<std::size_t>(element::float32)] == 1);
}

TEST_CASE("useful work has no padding, parts or terms in it") {
  const product_task plain{.m = 17, .n = 17, .k = 17};
  product_task split = plain;
  split.parts = 2;
  split.terms = 3;
  CHECK(split.flops() == plain.flops());
  CHECK(plain.rides() == 0);
  CHECK(product_task{.m = 1, .n = 1, .k = 1, .bias = true, .scale = true}.rides() == 2);
}
