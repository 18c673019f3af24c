// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/shares.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace mezzo;

TEST_CASE("each task runs once, in shares of neighbours, with scratch of its own in whole lines") {
  for (std::size_t lanes : {1u, 2u, 3u, 16u})
    for (std::size_t tasks : {0u, 1u, 7u}) {
      backwards_host host{lanes};
      workspace memory;
      std::vector<int> times(tasks);
      std::vector<std::byte*> starts;
      const tally seen = detail::run_shares(
          host, memory, tasks, 100, true, [&](std::size_t first, std::size_t last, std::byte* scratch, tally* tallies) {
            starts.push_back(scratch);
            CHECK(first < last);
            for (std::size_t t = first; t < last; ++t) {
              ++times[t];
              tallies[t] = {t == 5, 0x1p60 / static_cast<double>(t + 1)};
            }
          });
      CHECK(times == std::vector<int>(tasks, 1));
      CHECK(starts.size() == (lanes < tasks ? lanes : tasks));
      for (std::size_t i = 0; i < starts.size(); ++i) {
        CHECK(reinterpret_cast<std::uintptr_t>(starts[i]) % 64 == 0);
        if (i > 0) CHECK(starts[i - 1] == starts[i] + 128);
      }
      // In the order of tasks, whichever ran first.
      double squares = 0;
      for (std::size_t t = 0; t < tasks; ++t) squares += 0x1p60 / static_cast<double>(t + 1);
      CHECK(seen.squares == squares);
      CHECK(seen.non_finite == (tasks > 5));
    }
}

TEST_CASE("without inspection there are no tallies") {
  workspace memory;
  const auto none = [](std::size_t, std::size_t, std::byte*, tally* tallies) { CHECK(tallies == nullptr); };
  const tally seen = detail::run_shares(executor_ref{}, memory, 3, 0, false, none);
  CHECK(seen.squares == 0);
}
