// SPDX-License-Identifier: MIT
//
// Training on the processor: the same bits for any number of threads, and trainers that do not meet.
#include "stripes.hpp"

#include <mezzo/backend/cpu/cpu.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <thread>
#include <vector>

using namespace mezzo;

namespace {

/// A host that starts a thread for each call.
struct threads {
  std::size_t lanes;
  std::size_t most = 0;

  std::size_t concurrency() const { return lanes; }
  template <class F>
  void parallel(std::size_t count, const F& f) {
    most = count > most ? count : most;
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back([&f, i] { f(i); });
    for (std::thread& one : all) one.join();
  }
};

// Wide enough that products, loops and the optimizer's pass are cut into several tasks.
using wide = sequential<input<1, 4, 4>, conv2d<8, 3, same>, relu_layer, flatten, dense<160>, relu_layer, dense<2>>;
using tested = trainer<wide, cross_entropy_loss, adam, policies::O2<float16>, cpu>;

tested trained(const stripes<70>& task, executor_ref executor) {
  tested t({}, cpu{.executor = executor}, {.seed = 5});
  static_cast<void>(t.fit(task.data(), {.epochs = 2, .batch = 32, .clip_norm = 1.0f}));
  return t;
}

}  // namespace

TEST_CASE("any number of threads gives the same bits, as does a second run") {
  const stripes<70> task(3);
  const tested alone = trained(task, {});
  CHECK(same_state(alone, trained(task, {})));
  for (const std::size_t lanes : {1u, 2u, 3u}) {
    threads host{lanes};
    CHECK(same_state(alone, trained(task, host)));
    CHECK(host.most == (lanes == 1 ? 0 : lanes));
  }
}

TEST_CASE("two trainers on two threads do not meet") {
  const stripes<70> task(3);
  const tested alone = trained(task, {});
  bool same[2]{};
  {
    std::thread first([&] { same[0] = same_state(alone, trained(task, {})); });
    std::thread second([&] { same[1] = same_state(alone, trained(task, {})); });
    first.join();
    second.join();
  }
  CHECK(same[0]);
  CHECK(same[1]);
}
