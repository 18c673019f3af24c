// SPDX-License-Identifier: MIT
//
// Independent tasks dealt out to the host's threads in equal shares of neighbours, each share with scratch of its own.
// What is learned is kept for each task and added in the order of tasks, so that it is the same for any number of
// threads.
#pragma once

#include <mezzo/backend/cpu/executor.hpp>
#include <mezzo/backend/tally.hpp>
#include <mezzo/backend/workspace.hpp>

#include <cstddef>  // size_t, byte

namespace mezzo::inline MEZZO_ABI {

namespace detail {

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Calls `run(first, last, scratch, tallies)` for shares [first, last) of `tasks`, with `bytes` of scratch in whole
/// cache lines; `tallies` has one for each task, or is null where none `inspects`.
template <class F>
tally run_shares(const executor_ref& executor, workspace& memory, std::size_t tasks, std::size_t bytes, bool inspects,
                 const F& run) {
  if (tasks == 0) return {};
  const std::size_t most = executor.concurrency();
  const std::size_t lanes = most < tasks ? most : tasks;
  bytes = whole_lines(bytes);
  const buffer<std::byte> scratch(memory, bytes * lanes);
  const buffer<tally> tallies(memory, inspects ? tasks : 0);
  executor.parallel(lanes, [&](std::size_t lane) {
    run(tasks * lane / lanes, tasks * (lane + 1) / lanes, scratch.data() + bytes * lane, tallies.data());
  });
  tally total;
  for (std::size_t task = 0; task < tallies.size(); ++task) total += tallies.data()[task];
  return total;
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
