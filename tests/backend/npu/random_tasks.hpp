// SPDX-License-Identifier: MIT
//
// Products of any size, small and large, aligned and not, of the types that a chip's cube takes.
#pragma once

#include <mezzo/backend/npu/task.hpp>

#include <random>

struct random_tasks {
  std::mt19937 bits{20260101};

  std::size_t up_to(std::size_t most) { return 1 + bits() % most; }
  std::size_t extent() {
    static constexpr std::size_t scales[] = {16, 100, 700, 5000};
    const std::size_t n = up_to(scales[bits() % 4]);
    return bits() % 2 == 0 ? n : (n + 15) / 16 * 16;
  }
  mezzo::npu::product_task next(const mezzo::npu::chip& on) {
    using namespace mezzo::npu;
    product_task t{.m = extent(), .n = extent(), .k = extent()};
    do t.in = static_cast<element>(bits() % element_count);
    while (!on.cube_takes(t.in));
    t.out = t.in == element::int8 ? element::int32 : bits() % 2 == 0 ? element::float32 : t.in;
    t.batch = bits() % 4 == 0 ? up_to(40) : 1;
    t.left_transposed = bits() % 2 == 0;
    t.right_transposed = bits() % 2 == 0;
    t.bias = bits() % 2 == 0;
    t.relu = bits() % 2 == 0;
    if (bits() % 4 == 0) t.parts = 2, t.terms = 3;
    if (bits() % 4 == 0) {
      t.tail.add(vector_op::exponential, element::float32).add(vector_op::simple, element::float32, up_to(4));
      t.tail_bytes_in = bits() % 2 == 0 ? 0 : 2;
    }
    return t;
  }
};
