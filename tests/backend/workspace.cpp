// SPDX-License-Identifier: MIT
#include <mezzo/backend/workspace.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using mezzo::buffer;
using mezzo::workspace;

namespace {

/// Work of one step: buffers within buffers, and what they hold does not overlap.
bool step(workspace& memory, std::size_t size) {
  const buffer<float> a(memory, size);
  const buffer<double> b(memory, size / 2);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = 1;
  for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = 2;
  {
    const buffer<std::byte> inner(memory, 3 * size);
    for (std::size_t i = 0; i < inner.size(); ++i) inner.data()[i] = std::byte{3};
  }
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] != 1) return false;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b.data()[i] != 2) return false;
  return true;
}

constexpr int constant_sum() {
  workspace memory;
  const buffer<int> values(memory, 5);
  int sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values.data()[i] + 2;
  return sum;
}
static_assert(constant_sum() == 10);  // zero in constant evaluation

}  // namespace

TEST_CASE("memory grows while a program warms up, becomes one piece, and then serves every step") {
  workspace memory;
  CHECK(memory.capacity() == 0);
  CHECK(step(memory, 1000));
  const std::size_t first = memory.capacity();
  CHECK(first > 0);
  CHECK(step(memory, 100000));  // more pieces
  const std::size_t grown = memory.capacity();
  CHECK(grown > first);
  CHECK(step(memory, 100000));  // one piece now
  const std::size_t warm = memory.capacity();
  for (int i = 0; i < 10; ++i) {
    CHECK(step(memory, 100000));
    CHECK(step(memory, 10));
    CHECK(memory.capacity() == warm);
  }
  const buffer<float> whole(memory, warm / sizeof(float) - 16);
  CHECK(memory.capacity() == warm);
}

TEST_CASE("buffers are aligned to a cache line") {
  workspace memory;
  const buffer<char> odd(memory, 3);
  const buffer<float> next(memory, 1);
  CHECK(reinterpret_cast<std::uintptr_t>(odd.data()) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(next.data()) % 64 == 0);
}

TEST_CASE("a buffer of no elements takes nothing") {
  workspace memory;
  const buffer<float> none(memory, 0);
  const buffer<float> never;
  CHECK(none.data() == nullptr);
  CHECK(never.size() == 0);
  CHECK(memory.capacity() == 0);
}

TEST_CASE("buffers may end in any order, and move") {
  workspace memory;
  {
    buffer<int> a(memory, 100);
    buffer<int> b(memory, 100);
    const buffer<int> moved(std::move(a));
    const buffer<int> also(std::move(b));
    CHECK(moved.size() == 100);
    moved.data()[99] = 7;
    also.data()[0] = 8;
    CHECK(moved.data()[99] == 7);
  }
  const std::size_t before = memory.capacity();
  CHECK(step(memory, 100));
  CHECK(memory.capacity() == before);
}

TEST_CASE("a copy starts empty, and an assigned workspace keeps its own memory") {
  workspace memory;
  CHECK(step(memory, 100));
  const workspace copy(memory);
  CHECK(copy.capacity() == 0);
  const std::size_t before = memory.capacity();
  memory = copy;
  CHECK(memory.capacity() == before);
}
