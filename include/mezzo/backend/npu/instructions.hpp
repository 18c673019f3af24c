// SPDX-License-Identifier: MIT
//
// What one instruction of each pipe costs on a chip.
#pragma once

#include <mezzo/backend/npu/task.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// One cube instruction on operands in L0.
[[nodiscard]] constexpr cycles cube_cycles(const chip& on, element type, std::size_t m, std::size_t n, std::size_t k) {
  const cube_step& s = on.step(type);
  return static_cast<cycles>(detail::ceil_div(m, s.m) * detail::ceil_div(n, s.n) * detail::ceil_div(k, s.k)) +
         on.cube_instruction;
}

/// Both operands of a cube instruction from L1 to L0, padded to whole fractals.
[[nodiscard]] constexpr cycles mte1_cycles(const chip& on, element type, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t depth = detail::round_up(k, c0_of(type)) * bytes_of(type);
  return detail::ceil_div(static_cast<cycles>(detail::round_up(m, 16) * depth), on.l0a_rate) +
         detail::ceil_div(static_cast<cycles>(detail::round_up(n, 16) * depth), on.l0b_rate) + on.mte1_pair;
}

/// `rows` of `row_bytes` each, `stride_bytes` apart, over a path of `width` bytes. Rows that do not begin at multiples
/// of a burst straddle one more (pub).
[[nodiscard]] constexpr cycles transfer_cycles(const chip& on, std::size_t rows, std::size_t row_bytes,
                                               std::size_t stride_bytes, std::size_t width) {
  if (rows == 0 || row_bytes == 0) return 0;
  if (row_bytes == stride_bytes) {  // one piece
    row_bytes *= rows;
    rows = 1;
    stride_bytes = 0;
  }
  const std::size_t bursts =
      detail::ceil_div(row_bytes, on.burst_bytes) + static_cast<std::size_t>(stride_bytes % on.burst_bytes != 0);
  return static_cast<cycles>(rows * detail::ceil_div(row_bytes, std::size_t{32}) * 32 / width) +
         static_cast<cycles>(rows * bursts) * on.burst_cycles;
}

/// A tile of the result from L0C to memory, as it is written.
[[nodiscard]] constexpr cycles fixpipe_cycles(const chip& on, std::size_t rows, std::size_t row_bytes,
                                              std::size_t stride_bytes) {
  return detail::larger(detail::ceil_div(static_cast<cycles>(rows * row_bytes), on.fixpipe_rate),
                        transfer_cycles(on, rows, row_bytes, stride_bytes, on.path_bytes));
}

/// Cycles of a repeat. Quotients, square roots, exponentials and logarithms take 4 in float16 and 2 in float32: 32
/// lanes of either (derived).
[[nodiscard]] constexpr cycles repeat_cycles(const chip& on, vector_op op, element type) {
  if (op == vector_op::simple) return 1;
  if (op == vector_op::reduction) return on.reduction_repeat;
  return bytes_of(type) == 2 ? 4 : 2;
}

/// One operation on `elements` elements in UB, as many instructions as its repeats need.
[[nodiscard]] constexpr cycles vector_cycles(const chip& on, vector_op op, element type, std::size_t elements) {
  const std::size_t repeats = detail::ceil_div(elements * bytes_of(type), on.vector_bytes);
  return static_cast<cycles>(repeats) * repeat_cycles(on, op, type) +
         static_cast<cycles>(detail::ceil_div(repeats, on.vector_repeats)) * on.vector_instruction;
}

/// All of `work` on `elements` elements.
[[nodiscard]] constexpr cycles vector_cycles(const chip& on, const vector_work& work, std::size_t elements) {
  cycles sum = 0;
  for (std::size_t op = 0; op < vector_op_count; ++op)
    for (std::size_t type = 0; type < element_count; ++type)
      if (work.count[op][type] != 0)
        sum += static_cast<cycles>(work.count[op][type]) *
               vector_cycles(on, static_cast<vector_op>(op), static_cast<element>(type), elements);
  return sum;
}

namespace detail {

/// Cycles in which L2 can move `bytes`, of which HBM has to move `read` and `written`.
[[nodiscard]] constexpr cycles shared_cycles(const chip& on, double bytes, double read, double written) {
  const double both = read + written, less = read < written ? read : written;
  const double mixed = both <= 0 ? 0 : (1 - on.hbm_mixed) * 2 * less / both;
  const double hbm = both / (on.hbm_gigabytes * (1 - mixed)), l2 = bytes / on.l2_gigabytes;
  return static_cast<cycles>((hbm < l2 ? l2 : hbm) * 1e-3 * static_cast<double>(on.megahertz));
}

/// How many cycles a byte transfers take at the least, so that a core does not end before the shared memories do: its
/// end without such limits, the cycles its path was busy, those that the shared memories need, and the core's bytes.
/// What of its time the path was idle stays idle, and other cores use the memories meanwhile.
[[nodiscard]] constexpr double stretched(cycles end, cycles path, cycles shared, double bytes) {
  return end >= shared || bytes <= 0 ? 0 : static_cast<double>(shared - (end - path)) / bytes;
}

/// A transfer's cycles with that limit.
[[nodiscard]] constexpr cycles at_least(cycles alone, std::size_t bytes, double cycles_per_byte) {
  return larger(alone, static_cast<cycles>(static_cast<double>(bytes) * cycles_per_byte));
}

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
