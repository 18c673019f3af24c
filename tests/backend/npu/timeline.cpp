// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/timeline.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mezzo::npu;

namespace {

constexpr chip quick(const chip& like) {
  chip c = like;
  c.issue = 0;
  return c;
}
constexpr chip split = quick(ascend910b3), combined = quick(ascend910a);
constexpr no_record nothing{};

/// Transfers of 30 cycles in either of `buffers`, each worked on for 50.
template <class Timeline>
constexpr void load_and_use(Timeline& t, std::size_t times, std::size_t buffers) {
  t.repeat(times, [&] {
    const std::size_t b = t.turn(0, buffers);
    t.wait(pipe::mte2, t(flag::l1_free, b));
    const cycles loaded = t.load(pipe::mte2, t(flag::l1_free, b), 30);
    t(flag::l1_free, b) = t.run(pipe::cube, loaded, 50);
  });
}

constexpr cycles end_of(const chip& on, std::size_t times, std::size_t buffers) {
  timeline<> t(on, nothing);
  load_and_use(t, times, buffers);
  return t.end();
}
static_assert(end_of(split, 10, 1) == 800);
static_assert(end_of(split, 10, 2) == 530);

}  // namespace

TEST_CASE("a pipe runs in order, pipes run at once") {
  timeline<> t(split, nothing);
  CHECK(t.run(pipe::cube, 0, 10) == 10);
  CHECK(t.run(pipe::cube, 5, 10) == 20);
  CHECK(t.run(pipe::cube, 100, 10) == 110);
  CHECK(t.run(pipe::mte1, 0, 7) == 7);
  CHECK(t.end() == 110);
  CHECK(t.busy(pipe::cube) == 30);
}

TEST_CASE("the way to memory goes one way at a time, first for who is ready first") {
  timeline<> t(split, nothing);
  CHECK(t.load(pipe::mte2, 0, 50) == 50);
  t.store(pipe::fixpipe, 0, 50, flag::c_free, 0);
  CHECK(t.load(pipe::mte2, 10, 50) == 150);
  CHECK(t(flag::c_free, 0) == 100);
  t.store(pipe::fixpipe, 400, 50, flag::c_free, 1);
  CHECK(t.load(pipe::mte2, 390, 100) == 490);
  CHECK(t(flag::c_free, 1) == 540);
  // The vector core has a way of its own, which its two directions share.
  CHECK(t.load(pipe::aiv_mte2, 0, 50) == 50);
  t.store(pipe::mte3, 0, 50, flag::ub_free, 0);
  t.store(pipe::mte3, 0, 50, flag::ub_free, 1);
  t.settle();
  CHECK(t(flag::ub_free, 0) == 100);
  CHECK(t(flag::ub_free, 1) == 150);
  CHECK(t.end() == 540);
  CHECK(t.busy(pipe::fixpipe) == 100);
}

TEST_CASE("combined cores have one scalar unit and one path") {
  chip c = combined;
  c.issue = 5;
  timeline<> t(c, nothing);
  CHECK(t.load(pipe::mte2, 0, 10) == 15);
  t.store(pipe::mte3, 0, 10, flag::ub_free, 0);
  CHECK(t(flag::ub_free, 0) == 25);
  CHECK(t.run(pipe::vector, 0, 10) == 25);
  CHECK(t.busy(pipe::scalar) == 15);
  CHECK(t.busy(pipe::aiv_scalar) == 0);
  timeline<> s(ascend910b3, nothing);
  s.run(pipe::vector, 0, 1);
  CHECK(s.busy(pipe::aiv_scalar) == ascend910b3.issue);
}

TEST_CASE("skipping a steady state changes nothing") {
  for (const std::size_t buffers : {1u, 2u})
    for (const std::size_t times : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 1000u, 1001u}) {
      std::vector<interval> seen;
      const auto record = [&](const interval& i) { seen.push_back(i); };
      timeline<decltype(record)> whole(ascend910b3, record);
      timeline<> quick(ascend910b3, nothing);
      load_and_use(whole, times, buffers);
      load_and_use(quick, times, buffers);
      CHECK(whole.end() == quick.end());
      for (std::size_t p = 0; p < pipe_count; ++p)
        CHECK(whole.busy(static_cast<pipe>(p)) == quick.busy(static_cast<pipe>(p)));
      CHECK(seen.size() == 4 * times);  // two instructions, each issued
    }
}

TEST_CASE("pipes have the names of msprof") {
  std::string all;
  for (std::size_t p = 0; p < pipe_count; ++p) all += std::string(name_of(static_cast<pipe>(p))) + " ";
  CHECK(all == "scalar mte1 mte2 mac fixpipe vec mte3 aiv_scalar aiv_mte2 ");
}
