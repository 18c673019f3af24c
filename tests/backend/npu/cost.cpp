// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/cost.hpp>

#include "random_tasks.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo::npu;

namespace {

// A product planned and costed by the compiler.
constexpr product_plan plan = static_plan<ascend910b3, 64, 48, 100>;
static_assert(plan.cores >= 1 && plan.all_tiles == plan.m_tiles * plan.n_tiles);
constexpr kernel_cost cost = cost_product(ascend910b3, product_task{.m = 64, .n = 48, .k = 100}, plan);
static_assert(cost.bytes_in == plan.operand_bytes(product_task{.m = 64, .n = 48, .k = 100}));
static_assert(cost.bytes_out == 2 * 64 * 48 && cost.flops == 2.0 * 64 * 48 * 100 && cost.kernels == 1);
static_assert(cost.total > ascend910b3.prologue && cost.microseconds > 0.5);

/// Cube cycles of all tiles, by the formula of one instruction.
cycles cube_of(const chip& on, const product_task& t, const product_plan& p) {
  const auto left = [](std::size_t all, std::size_t from, std::size_t tile) {
    return all - from < tile ? all - from : tile;
  };
  cycles sum = 0;
  for (std::size_t i = 0; i < t.m; i += p.tile.m)
    for (std::size_t j = 0; j < t.n; j += p.tile.n)
      for (std::size_t k = 0; k < t.k; k += p.tile.k) {
        const cube_step& s = on.step(t.in);
        const auto steps = [&](std::size_t n, std::size_t step) { return static_cast<cycles>((n + step - 1) / step); };
        sum += steps(left(t.m, i, p.tile.m), s.m) * steps(left(t.n, j, p.tile.n), s.n) *
                   steps(left(t.k, k, p.tile.k), s.k) +
               on.cube_instruction;
      }
  return sum * static_cast<cycles>(t.batch * t.terms);
}

}  // namespace

TEST_CASE("cube cycles are the closed formula's, bytes those of the plan") {
  random_tasks random;
  for (const chip* on : {&ascend910a, &ascend910b1, &ascend910b4})
    for (int i = 0; i < 60; ++i) {
      product_task t = random.next(*on);
      const product_plan p = plan_product(*on, t);
      const kernel_cost c = cost_product(*on, t, p);
      CHECK(c.of(pipe::cube) == cube_of(*on, t, p));
      const unsigned long long results = t.batch * t.m * t.n;
      const bool apart = !on->combined && !t.tail.empty();
      CHECK(c.bytes_in == p.operand_bytes(t) + (t.bias ? 4 * t.batch * t.n * p.m_tiles : 0) +
                              results * (t.tail_bytes_in + (apart ? 4 : 0)));
      CHECK(c.bytes_out == results * (bytes_of(t.out) + (apart ? 4 : 0)));
      CHECK(c.cube_cores == p.cores);
      CHECK(c.total >= on->prologue + c.of(pipe::cube) / static_cast<cycles>(p.cores));
      CHECK(c.microseconds >= on->microseconds(c.total));
      CHECK(c.of(pipe::fixpipe) == (on->combined ? 0 : c.of(pipe::fixpipe)));
      CHECK((c.of(pipe::vector) != 0) == (on->combined || apart));
    }
}

TEST_CASE("measured: mac time of CANN's kernels, to the cycle") {
  // bfloat16 1536 by 4096 with K 8192 on 20 cores: 356.36 us, that is 192 tiles of 128 steps of 522 cycles.
  const product_task task{.m = 1536, .n = 4096, .k = 8192, .in = element::bfloat16, .out = element::bfloat16,
                          .left_transposed = true};
  const kernel_cost c = cost_product(ascend910b3, task);
  CHECK(c.of(pipe::cube) == 192 * 128 * 522);
  CHECK(c.average(ascend910b3, pipe::cube) == doctest::Approx(356.36).epsilon(0.0001));
}

TEST_CASE("more of anything is never quicker by the same tiles") {
  for (const chip* on : {&ascend910a, &ascend910b3}) {
    const tiles given{.m = 64, .n = 128, .k = 64, .l1_k = 128};
    const product_task base{.m = 640, .n = 1280, .k = 640};
    const auto total = [&](product_task t) { return cost_product(*on, t, plan_product(*on, t, given)).total; };
    for (std::size_t more = 16; more <= 2048; more *= 2) {
      product_task m = base, n = base, k = base, b = base;
      m.m += more;
      n.n += more;
      k.k += more;
      b.batch += more;
      CHECK(total(base) <= total(m));
      CHECK(total(base) <= total(n));
      CHECK(total(base) <= total(k));
      CHECK(total(base) <= total(b));
    }
  }
}

TEST_CASE("options: tiling, double buffers and fusion pay") {
  for (const chip* on : {&ascend910a, &ascend910b1}) {
    product_task task{.m = 512, .n = 3072, .k = 768, .bias = true, .relu = true};
    task.tail.add(vector_op::exponential, element::float32);
    const double best = cost_product(*on, task).microseconds;
    CHECK(best < cost_product(*on, task, options{.double_buffering = false}).microseconds);
    CHECK(10 * best < cost_product(*on, task, options{.tiling = false}).microseconds);
    const kernel_cost apart = cost_product(*on, task, options{.fusion = false});
    CHECK(best < apart.microseconds);
    CHECK(apart.kernels == 5);  // product, bias, relu, exponential, cast
    CHECK(apart.flops == task.flops());
  }
}

TEST_CASE("what rides on the way out is free on split cores and vector work on combined ones") {
  const product_task plain{.m = 1024, .n = 1024, .k = 1024};
  product_task rides = plain;
  rides.relu = rides.scale = true;
  CHECK(cost_product(ascend910b1, rides).total == cost_product(ascend910b1, plain).total);
  CHECK(cost_product(ascend910a, rides).of(pipe::vector) > cost_product(ascend910a, plain).of(pipe::vector));
  CHECK(cost_product(ascend910b1, plain).vector_cores == 0);
  product_task tail = plain;
  tail.tail.add(vector_op::quotient, element::float32);
  const kernel_cost c = cost_product(ascend910b1, tail);
  CHECK(c.vector_cores == 2 * c.cube_cores);
  CHECK(c.of(pipe::aiv_mte2) > 0);
  CHECK(c.of(pipe::mte3) > 0);
  CHECK(c.total >= cost_product(ascend910b1, plain).total);
}

TEST_CASE("HBM reads each operand once if L2 holds both, and more if not") {
  const product_task fits{.m = 4096, .n = 4096, .k = 4096}, large{.m = 8192, .n = 8192, .k = 8192};
  CHECK(cost_product(ascend910b1, fits).hbm_bytes == 3ULL * 2 * 4096 * 4096);
  const kernel_cost c = cost_product(ascend910b1, large);
  CHECK(c.hbm_bytes > 3ULL * 2 * 8192 * 8192);
  CHECK(c.hbm_bytes < c.bytes_in + c.bytes_out);
}

TEST_CASE("published: float32 from three float16 products, on the first generation") {
  // SGEMM: 41.7 with one buffer and 65.3 with two, of a bound of 85.3 TFLOP/s.
  const auto rate = [](std::size_t m, std::size_t k, std::size_t l1_k, std::size_t buffers, std::size_t extent) {
    const product_task task{.m = extent, .n = extent, .k = extent, .out = element::float32, .parts = 2, .terms = 3};
    const tiles given{.m = m, .n = m, .k = k, .l1_k = l1_k, .l0_buffers = 2, .l1_buffers = buffers,
                      .c_buffers = buffers};
    return cost_product(ascend910a, task, plan_product(ascend910a, task, given),
                        options{.double_buffering = buffers == 2})
        .teraflops();
  };
  const double single = rate(192, 80, 8 * 80, 1, 6144), twice = rate(176, 64, 5 * 64, 2, 5632);
  CHECK(single == doctest::Approx(41.7).epsilon(0.25));
  CHECK(twice == doctest::Approx(65.3).epsilon(0.25));
  CHECK(twice / single == doctest::Approx(65.3 / 41.7).epsilon(0.15));
  CHECK(twice < ascend910a.peak_teraflops(element::float16) / 3);
}

TEST_CASE("a recorder gets the slowest core, and changes nothing") {
  const product_task task{.m = 300, .n = 500, .k = 700};
  std::vector<interval> seen;
  const auto record = [&](const interval& i) { seen.push_back(i); };
  const kernel_cost c = cost_product(ascend910b4, task, options{}, record);
  CHECK(c.total == cost_product(ascend910b4, task).total);
  cycles last = 0;
  for (const interval& i : seen) last = i.end > last ? i.end : last;
  CHECK(last + ascend910b4.prologue == c.total);
}

TEST_CASE("vast products are costed at once") {
  const kernel_cost c = cost_product(ascend910b1, product_task{.m = 1 << 18, .n = 1 << 18, .k = 1 << 18});
  CHECK(c.teraflops() > 0.8 * ascend910b1.peak_teraflops(element::float16));
  CHECK(c.teraflops() < ascend910b1.peak_teraflops(element::float16));
}
