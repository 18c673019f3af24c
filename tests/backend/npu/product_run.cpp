// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/product_run.hpp>

#include "random_tasks.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo::npu;
using detail::product_run;
using detail::tile_extent;

namespace {

constexpr no_record nothing{};

/// `count` whole tiles on a core that has all memory for itself.
timeline<> run(const chip& on, const product_task& task, const product_plan& plan, std::size_t count) {
  const tile_extent whole{plan.tile.m, plan.tile.n, count};
  return product_run<no_record>(on, task, plan, 2, 0, nothing).core(&whole, &count, 1);
}

/// The same with two sizes of tiles, recorded or not.
template <class Record>
timeline<Record> run_two(const chip& on, const product_task& task, const product_plan& plan, const Record& record) {
  const tile_extent sizes[] = {{plan.tile.m, plan.tile.n, 5}, {16, plan.tile.n, 3}};
  const std::size_t counts[] = {5, 3};
  return product_run<Record>(on, task, plan, 2, 0.01, record).core(sizes, counts, 2);
}

}  // namespace

TEST_CASE("skipped steady states end when simulated ones do") {
  random_tasks random;
  for (const chip* on : {&ascend910a, &ascend910b1})
    for (int i = 0; i < 40; ++i) {
      const product_task task = random.next(*on);
      const product_plan plan = plan_product(*on, task, options{.double_buffering = i % 3 != 0});
      std::size_t seen = 0;
      const auto record = [&](const interval&) { ++seen; };
      const auto whole = run_two(*on, task, plan, record);
      const auto quick = run_two(*on, task, plan, nothing);
      CHECK(whole.end() == quick.end());
      for (std::size_t p = 0; p < pipe_count; ++p)
        CHECK(whole.busy(static_cast<pipe>(p)) == quick.busy(static_cast<pipe>(p)));
      CHECK(seen > 0);
    }
}

TEST_CASE("intervals of a pipe do not overlap, nor do transfers on one path") {
  product_task task{.m = 200, .n = 300, .k = 500, .bias = true};
  task.tail.add(vector_op::quotient, element::float32);
  for (const chip* on : {&ascend910a, &ascend910b1}) {
    const product_plan plan = plan_product(*on, task);
    std::vector<interval> seen;
    const auto record = [&](const interval& i) { seen.push_back(i); };
    run_two(*on, task, plan, record);
    const auto path = [&](pipe p) {
      if (p == pipe::mte2 || p == pipe::fixpipe) return 1;
      if (p == pipe::mte3 || p == pipe::aiv_mte2) return on->combined ? 1 : 2;
      return 0;
    };
    std::size_t overlaps = 0;
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const bool shared = seen[i].on == seen[j].on || (path(seen[i].on) != 0 && path(seen[i].on) == path(seen[j].on));
        overlaps += shared && seen[i].begin < seen[j].end && seen[j].begin < seen[i].end;
      }
    CHECK(overlaps == 0);
  }
}

TEST_CASE("more buffers are never slower, each level by itself") {
  // Where tiles have three slices or more: a path that serves whole transfers, one after another, can lose by a load
  // that comes earlier, in tiles of which a store is the longest transfer. And but for the scalar unit, which issues a
  // load earlier.
  random_tasks random;
  std::size_t compared = 0;
  for (const chip* on : {&ascend910a, &ascend910b4})
    for (int i = 0; i < 400; ++i) {
      const product_task task = random.next(*on);
      const product_plan chosen = plan_product(*on, task, options{.double_buffering = false});
      if (task.k <= 2 * chosen.tile.l1_k) continue;
      for (int level = 0; level < 4; ++level) {
        product_plan more = chosen;
        if (level == 0 || level == 3) more.tile.l0_buffers = 2;
        if (level == 1 || level == 3) more.tile.l1_buffers = 2;
        if (level == 2 || level == 3) more.tile.c_buffers = 2;
        if (detail::shortage_of(*on, task, more.tile).where != nullptr) continue;
        CAPTURE(level);
        chip at_once = *on;
        at_once.issue = 0;
        CHECK(run(at_once, task, more, 4).end() <= run(at_once, task, chosen, 4).end());
        CHECK(run(*on, task, more, 4).end() <= run(*on, task, chosen, 4).end() + 4 * on->issue);
        ++compared;
      }
    }
  CHECK(compared > 300);
}

TEST_CASE("a floor under transfers makes a core slower in proportion") {
  const product_task task{.m = 1024, .n = 1024, .k = 1024};
  const product_plan plan = plan_product(ascend910b1, task);
  const tile_extent whole{plan.tile.m, plan.tile.n, 4};
  const std::size_t four = 4;
  const auto end = [&](double floor) {
    return product_run<no_record>(ascend910b1, task, plan, 2, floor, nothing).core(&whole, &four, 1).end();
  };
  CHECK(end(0.001) == end(0));
  const auto slow = static_cast<double>(end(1)), slower = static_cast<double>(end(2));
  CHECK(slower / slow == doctest::Approx(2).epsilon(0.02));
}
