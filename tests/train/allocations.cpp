// SPDX-License-Identifier: MIT
//
// After the first steps a training step leaves the heap alone. A program of its own: it counts every allocation.
#include "stripes.hpp"

#include <mezzo/backend/cpu/cpu.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  size = (size + alignment - 1) / alignment * alignment;
  if (void* const memory = std::aligned_alloc(alignment, size == 0 ? alignment : size)) return memory;
  std::abort();
}

}  // namespace

// The forms of the standard library that are not replaced call these.
void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace mezzo;

namespace {

/// A host whose calls run one after another.
struct in_turn {
  std::size_t concurrency() const { return 3; }
  template <class F>
  void parallel(std::size_t count, const F& f) {
    for (std::size_t i = 0; i < count; ++i) f(i);
  }
};

int failures = 0;

void expect_none(std::size_t before, const char* what) {
  if (allocations == before) return;
  std::printf("%s: %zu allocations after warm-up\n", what, allocations - before);
  ++failures;
}

}  // namespace

int main() {
  const stripes<10> task(3);
  in_turn host;
  using net =
      sequential<input<1, 4, 4>, conv2d<4, 3, same>, gelu_layer, max_pool<2>, flatten, dense<8>, relu_layer, dense<2>>;
  trainer<net, cross_entropy_loss, adam, policies::O2<float16>, cpu> t({}, cpu{.executor = host}, {});

  // Within a fit, from the second epoch on.
  std::size_t second_epoch = 0;
  const fit_report report =
      t.fit(task.data(), {.epochs = 4, .batch = 4, .clip_norm = 1.0f}, [&](const step_progress& p) {
        if (p.epoch == 1 && second_epoch == 0) second_epoch = allocations;
        if (p.epoch == 3) expect_none(second_epoch, "fit");
      });
  if (second_epoch == 0 || report.steps != 12) ++failures;

  // Step by step, with a sum over micro-batches.
  std::size_t before = 0;
  for (int step = 0; step < 4; ++step) {
    if (step == 2) before = allocations;
    const auto first = t.accumulate(t.backward(task.images(0, 4), task.labels(0, 4), track_norm));
    const auto sum = t.accumulate(first, t.backward(task.images(4, 3), task.labels(4, 3), track_norm));
    t.update(t.step(clip_norm(unscale(sum), 1.0f)));
  }
  expect_none(before, "explicit loop");

  // Inference of batches that the model has room for.
  before = allocations;
  const auto y = t.network().infer(task.images(0, 4));
  expect_none(before, "infer");
  return failures == 0 && y.size() == 8 ? 0 : 1;
}
