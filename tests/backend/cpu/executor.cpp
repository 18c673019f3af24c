// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/executor.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

static_assert(host_executor<backwards_host> && !host_executor<int>);

bool runs_each_once(const executor_ref& executor, std::size_t count) {
  std::vector<int> times(count);
  executor.parallel(count, [&](std::size_t i) { ++times[i]; });
  return times == std::vector<int>(count, 1);
}

}  // namespace

TEST_CASE("without a host everything runs in place") {
  const executor_ref none;
  CHECK(none.concurrency() == 1);
  CHECK(runs_each_once(none, 0));
  CHECK(runs_each_once(none, 5));
}

TEST_CASE("a host runs each call once, and is not asked for a single one") {
  backwards_host host{3};
  const executor_ref executor(host);
  CHECK(executor.concurrency() == 3);
  CHECK(runs_each_once(executor, 3));
  CHECK(host.calls == 1);
  CHECK(runs_each_once(executor, 1));
  CHECK(host.calls == 1);
}

TEST_CASE("a host that does not know its processors has one") {
  backwards_host host{0};
  CHECK(executor_ref(host).concurrency() == 1);
}

TEST_CASE("a copy refers to the host, not to what it was copied from") {
  backwards_host host{2};
  executor_ref copy;
  {
    executor_ref first(host);
    executor_ref second(first);
    copy = second;
    first = executor_ref();
    second = executor_ref();
  }
  CHECK(copy.concurrency() == 2);
  CHECK(runs_each_once(copy, 2));
  CHECK(host.calls == 1);
}
