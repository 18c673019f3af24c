// SPDX-License-Identifier: MIT
//
// Profiles of every kind of kernel, made without running any.
#pragma once

#include <mezzo/backend/npu/profile.hpp>

#include <string>
#include <vector>

namespace profiles {

using namespace mezzo;
using npu::element;
using npu::vector_op;

inline short_name named(const char* text) { return short_name() << text; }

/// Work of a vector kernel on `elements` numbers of 16 bits, read twice and written once.
inline npu::vector_task vector_work(std::size_t elements, std::size_t instructions = 3) {
  npu::vector_task task{.elements = elements, .type = element::float16, .bytes_in = 4 * elements,
                        .bytes_out = 2 * elements};
  task.work.add(vector_op::simple, element::float16, instructions);
  return task;
}

inline void add(npu::profile& to, const npu::chip& on, const char* name, const npu::vector_task& task,
                std::size_t calls = 1, const npu::options& how = {}) {
  npu::kernel_cost apart = npu::cost_vector(on, task, how);
  apart += npu::cost_vector(on, task, how);
  for (std::size_t i = 0; i < calls; ++i) to.vector(on, named(name), task, apart, how);
}
inline void add(npu::profile& to, const npu::chip& on, const char* name, const npu::product_task& task,
                std::size_t calls = 1, const npu::options& how = {}) {
  for (std::size_t i = 0; i < calls; ++i) to.product(on, named(name), task, {}, how);
}

/// Products with and without a tail, padded ones, batches, kernels that only move, names that need escapes.
inline npu::profile mixed(const npu::chip& on, const npu::options& how = {}) {
  npu::profile p;
  add(p, on, "matmul+bias+relu", npu::product_task{.m = 512, .n = 768, .k = 320, .bias = true, .relu = true}, 3, how);
  npu::product_task tailed{.m = 200, .n = 100, .k = 77, .out = element::float32};
  tailed.tail.add(vector_op::simple, element::float32, 6).add(vector_op::quotient, element::float32, 2);
  tailed.tail_bytes_in = 2;
  add(p, on, "matmul+gelu", tailed, 2, how);
  add(p, on, "matmul", npu::product_task{.m = 64, .n = 32, .k = 128, .batch = 12, .left_transposed = true}, 1, how);
  if (on.cube_takes(element::float32))
    add(p, on, "conv2d", npu::product_task{.m = 1000, .n = 32, .k = 9, .in = element::float32}, 1, how);
  else
    add(p, on, "conv2d", npu::product_task{.m = 1000, .n = 32, .k = 9, .parts = 2, .terms = 3}, 1, how);
  add(p, on, "a \"quoted\", <odd> & long\\name that goes on and on and on", vector_work(100000), 4, how);
  add(p, on, "move", vector_work(5000, 0), 1, how);
  return p;
}

}  // namespace profiles
