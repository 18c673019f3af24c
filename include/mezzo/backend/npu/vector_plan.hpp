// SPDX-License-Identifier: MIT
//
// How a vector kernel goes over its elements: a share for each core, in chunks that fit the unified buffer.
#pragma once

#include <mezzo/backend/npu/instructions.hpp>
#include <mezzo/base/contract.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

struct vector_plan {
  std::size_t cores;
  std::size_t share;    // elements of one core, the last one's may be less
  std::size_t chunk;    // elements in UB at a time
  std::size_t chunks;   // of a whole share
  std::size_t buffers;  // of each operand and result
};

namespace detail {

/// Bytes of UB that one element of a task takes, its operands and results rounded up.
[[nodiscard]] constexpr std::size_t ub_bytes_per_element(const vector_task& task) {
  const std::size_t held = ceil_div(task.bytes_in, task.elements) + ceil_div(task.bytes_out, task.elements);
  return (held == 0 ? bytes_of(task.type) : held) + task.scratch_bytes;
}

/// Elements of whole repeats in one of `buffers` parts of UB.
[[nodiscard]] constexpr std::size_t ub_chunk(const chip& on, std::size_t bytes_per_element, std::size_t buffers) {
  return on.ub_bytes / (buffers * bytes_per_element) / on.vector_bytes * on.vector_bytes;
}

}  // namespace detail

/// Spreads a vector task over cores and chunks.
[[nodiscard]] constexpr vector_plan plan_vector(const chip& on, const vector_task& task, const options& how = {}) {
  if (on.vector_cores == 0 || on.megahertz <= 0)
    fail(sentence("mezzo::npu::chip: a chip must have vector cores and a clock; given ")
         << on.name << " with " << on.vector_cores << " cores; start from a copy of one of the library's");
  if (task.elements == 0)
    fail("mezzo::npu::plan_vector: there must be at least 1 element; given none; leave out empty kernels");
  const std::size_t buffers = how.double_buffering ? 2 : 1, held = detail::ub_bytes_per_element(task);
  const std::size_t chunk = detail::ub_chunk(on, held, buffers);
  if (chunk == 0)
    fail(sentence("mezzo::npu::plan_vector: ")
         << on.vector_bytes << " elements must fit the unified buffer of " << on.name << ", " << on.ub_bytes
         << " bytes, with " << buffers << " buffers; given " << held << " bytes an element; split the kernel");
  // Whole blocks of 32 bytes for each core, and no core for less than pays for it. A reduction to one takes all cores:
  // those in profiles do for 4096 elements already.
  const std::size_t block = c0_of(task.type), own = bytes_of(task.type);
  const std::size_t widest = own < task.widest_bytes ? task.widest_bytes : own;
  const std::size_t least = task.whole_reduction ? block : detail::ceil_div(on.bytes_per_core, widest);
  std::size_t cores = detail::ceil_div(task.elements, least);
  if (cores > on.vector_cores) cores = on.vector_cores;
  vector_plan plan{};
  plan.share = detail::round_up(detail::ceil_div(task.elements, cores), block);
  plan.cores = detail::ceil_div(task.elements, plan.share);
  plan.chunk = chunk < plan.share ? chunk : plan.share;
  plan.chunks = detail::ceil_div(plan.share, plan.chunk);
  plan.buffers = buffers;
  return plan;
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
