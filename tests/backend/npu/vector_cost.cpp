// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/vector_cost.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace mezzo::npu;

namespace {

constexpr vector_task pass(std::size_t elements, element type, vector_op op, std::size_t times = 1) {
  const std::size_t bytes = elements * bytes_of(type);
  vector_task t{.elements = elements, .type = type, .bytes_in = bytes, .bytes_out = bytes};
  t.work.add(op, type, times);
  return t;
}

// A kernel inside the compiler: one core, in, work and out one after the other.
constexpr vector_task tiny = pass(64, element::float32, vector_op::simple);
constexpr kernel_cost cost = cost_vector(ascend910b3, tiny);
static_assert(cost.vector_cores == 1 && cost.cube_cores == 0 && cost.kernels == 1);
static_assert(cost.of(pipe::vector) == 23 + 1);
constexpr cycles start = ascend910b3.vector_prologue + 2 * ascend910b3.vector_operand;
static_assert(cost.total == start + ascend910b3.issue + 6 + 80 + 24 + 6);
static_assert(cost.bytes_in == 256 && cost.bytes_out == 256 && cost.hbm_bytes == 0);

}  // namespace

TEST_CASE("vector cycles are those of the repeats and instructions, over all cores") {
  std::mt19937 bits(3);
  for (const chip* on : {&ascend910a, &ascend910b2})
    for (int i = 0; i < 100; ++i) {
      const std::size_t elements = 1 + bits() % (i % 2 == 0 ? 10'000 : 10'000'000);
      const vector_task task = pass(elements, element::float16, vector_op::exponential, 2);
      const vector_plan p = plan_vector(*on, task);
      const kernel_cost c = cost_vector(*on, task, p);
      cycles sum = 0;
      for (std::size_t core = 0; core < p.cores; ++core) {
        const std::size_t share = core + 1 < p.cores ? p.share : elements - core * p.share;
        for (std::size_t from = 0; from < share; from += p.chunk)
          sum += vector_cycles(*on, task.work, share - from < p.chunk ? share - from : p.chunk);
      }
      CHECK(c.of(pipe::vector) == sum);
      CHECK(c.bytes_in == task.bytes_in);
    }
}

TEST_CASE("more work, more elements or fewer buffers are never quicker") {
  for (const chip* on : {&ascend910a, &ascend910b1, &ascend910b4}) {
    cycles before = 0;
    for (std::size_t elements = 1; elements < 60'000'000; elements = elements * 3 / 2 + 1) {
      const vector_task once = pass(elements, element::float32, vector_op::simple);
      const vector_task often = pass(elements, element::float32, vector_op::simple, 9);
      const cycles c = cost_vector(*on, once).total;
      CHECK(c <= cost_vector(*on, often).total);
      CHECK(c <= cost_vector(*on, once, options{.double_buffering = false}).total);
      CHECK(cost_vector(*on, often).total <= cost_vector(*on, often, options{.double_buffering = false}).total);
      CHECK(c + c / 20 >= before);  // chunks and shares are whole blocks
      before = c;
    }
  }
}

TEST_CASE("memory bounds a pass over much") {
  vector_task task = pass(1 << 24, element::float32, vector_op::simple);
  task.cold = true;
  const kernel_cost cold = cost_vector(ascend910b1, task);
  CHECK(cold.hbm_bytes == task.bytes_in + task.bytes_out);
  const double bound = static_cast<double>(cold.hbm_bytes) / (ascend910b1.hbm_gigabytes * ascend910b1.hbm_mixed) * 1e-3;
  CHECK(cold.microseconds > bound);
  CHECK(cold.microseconds < 1.1 * bound);
  // The transfers take the time that memory needs, so that their share of it is what a profile would show.
  const double busy = cold.average(ascend910b1, pipe::aiv_mte2) + cold.average(ascend910b1, pipe::mte3);
  CHECK(busy > 0.95 * bound);
  task.cold = false;
  const kernel_cost warm = cost_vector(ascend910b1, task);
  CHECK(warm.hbm_bytes == 0);
  CHECK(warm.microseconds < cold.microseconds / 2);
  // What L2 cannot hold is read from HBM all the same.
  const vector_task vast = pass(1 << 26, element::float32, vector_op::simple);
  CHECK(cost_vector(ascend910b1, vast).hbm_bytes == vast.bytes_in + vast.bytes_out);
}

TEST_CASE("what gives way in L2 is written back by whoever needs the place") {
  const chip& on = ascend910b1;
  const std::size_t vast = 400'000'000, little = 1'000'000;
  CHECK(left_in_l2(on, vast, vast, 0) == on.l2_bytes);
  CHECK(left_in_l2(on, vast, little, on.l2_bytes) == little);
  CHECK(left_in_l2(on, little, little, 5 * little) == 6 * little);
  CHECK(left_in_l2(on, little, 2 * little, on.l2_bytes - little) == on.l2_bytes);
  // Writing after a reduction owes nothing; the reduction after it pays.
  vector_task write = pass(vast / 4, element::float32, vector_op::simple), sum = write;
  sum.bytes_out = 4;
  sum.whole_reduction = true;
  const double alike = cost_vector(on, write).microseconds, alone = cost_vector(on, sum).microseconds;
  CHECK(cost_vector(on, write).hbm_bytes == 2 * vast);
  write.owed_bytes = 0;
  CHECK(cost_vector(on, write).hbm_bytes == 2 * vast - on.l2_bytes);
  CHECK(cost_vector(on, write).microseconds < alike - 100);
  sum.owed_bytes = left_in_l2(on, write.bytes_in, write.bytes_out, write.owed_bytes);
  CHECK(cost_vector(on, sum).hbm_bytes == vast + on.l2_bytes);
  CHECK(cost_vector(on, sum).microseconds > alone + 100);
  // Steady passes pay for as much as they write, whoever wrote it.
  write.owed_bytes = on.l2_bytes;
  CHECK(cost_vector(on, write).microseconds == doctest::Approx(alike));
  // What fits makes nothing give way.
  vector_task hot = pass(little, element::float32, vector_op::simple);
  const double clean = cost_vector(on, hot).microseconds;
  hot.owed_bytes = on.l2_bytes;
  CHECK(cost_vector(on, hot).microseconds == clean);
}

TEST_CASE("operands and code take a start-up that grows with the cores") {
  for (const std::size_t elements : {100U, 1'000'000U}) {
    vector_task t = pass(elements, element::float32, vector_op::simple);
    CHECK(t.operand_count() == 2);
    const kernel_cost two = cost_vector(ascend910b1, t);
    const auto more = static_cast<double>(two.vector_cores - 1);
    t.operands = 14;
    const kernel_cost many = cost_vector(ascend910b1, t);
    CHECK(many.total == two.total + 12 * ascend910b1.vector_operand);
    CHECK(many.microseconds - ascend910b1.microseconds(many.total) ==
          doctest::Approx(two.microseconds - ascend910b1.microseconds(two.total) +
                          12 * more * ascend910b1.launch_operand));
    t.operands = 0;
    t.cold_code = true;
    CHECK(cost_vector(ascend910b1, t).microseconds ==
          doctest::Approx(two.microseconds + more * ascend910b1.launch_cold));
  }
  CHECK(vector_task{.elements = 10, .type = element::float16, .bytes_in = 41, .bytes_out = 4}.operand_count() == 4);
}

TEST_CASE("a small sum over everything takes the launch of all cores") {
  vector_task t = pass(4608, element::float32, vector_op::simple);
  t.bytes_out = 4;
  const kernel_cost some = cost_vector(ascend910b1, t);
  t.whole_reduction = true;
  const kernel_cost all = cost_vector(ascend910b1, t);
  CHECK(some.vector_cores == 5);
  CHECK(all.vector_cores == 48);
  CHECK(all.total <= some.total);
  CHECK(all.microseconds > some.microseconds + 2);
}

TEST_CASE("a recorder gets every interval of the slowest core") {
  const vector_task task = pass(1'000'000, element::float16, vector_op::simple);
  const vector_plan p = plan_vector(ascend910b1, task);
  std::vector<interval> seen;
  const auto record = [&](const interval& i) { seen.push_back(i); };
  const kernel_cost c = cost_vector(ascend910b1, task, p, record);
  CHECK(c.total == cost_vector(ascend910b1, task, p).total);
  std::size_t vectors = 0;
  cycles last = 0;
  for (const interval& i : seen) {
    vectors += i.on == pipe::vector;
    last = i.end > last ? i.end : last;
  }
  CHECK(vectors == p.chunks);
  CHECK(last + ascend910b1.vector_prologue + 2 * ascend910b1.vector_operand == c.total);
}
