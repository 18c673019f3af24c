// SPDX-License-Identifier: MIT
//
// What a kernel costs, in the terms of msprof.
#pragma once

#include <mezzo/backend/npu/timeline.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Costs of one kernel, or of several that run one after another.
struct kernel_cost {
  cycles total = 0;             // of the slowest core, from its first instruction to its last
  cycles busy[pipe_count]{};    // of all cores together, as msprof's total cycles
  unsigned long long bytes_in = 0, bytes_out = 0;  // by MTE2, by MTE3 or FixPipe, from and to L2
  unsigned long long hbm_bytes = 0;                // of those, what HBM has to move
  double microseconds = 0;      // task duration: launch and slowest core
  double flops = 0;             // useful: without padding and repeated terms
  std::size_t cube_cores = 0, vector_cores = 0;    // most at a time
  std::size_t kernels = 0;

  [[nodiscard]] constexpr cycles of(pipe p) const { return busy[static_cast<std::size_t>(p)]; }
  /// Microseconds of a pipe on an average core, as msprof's columns; 0 where no core has it.
  [[nodiscard]] constexpr double average(const chip& on, pipe p) const {
    const bool vector = cube_cores == 0 || (!on.combined && on_vector_core(p));
    const std::size_t cores = vector ? vector_cores : cube_cores;
    return cores == 0 ? 0 : on.microseconds(of(p)) / static_cast<double>(cores);
  }
  /// Useful operations a second, in units of 1e12.
  [[nodiscard]] constexpr double teraflops() const { return microseconds > 0 ? flops / microseconds * 1e-6 : 0; }

  constexpr kernel_cost& operator+=(const kernel_cost& next) {
    total += next.total;
    for (std::size_t p = 0; p < pipe_count; ++p) busy[p] += next.busy[p];
    bytes_in += next.bytes_in;
    bytes_out += next.bytes_out;
    hbm_bytes += next.hbm_bytes;
    microseconds += next.microseconds;
    flops += next.flops;
    cube_cores = cube_cores < next.cube_cores ? next.cube_cores : cube_cores;
    vector_cores = vector_cores < next.vector_cores ? next.vector_cores : vector_cores;
    kernels += next.kernels;
    return *this;
  }
};

/// Microseconds before the first instruction of a kernel of `blocks` blocks and so many operands.
[[nodiscard]] constexpr double launch_microseconds(const chip& on, std::size_t blocks, std::size_t operands = 2,
                                                   bool cold_code = false) {
  const double arguments = operands <= 2 ? 0 : on.launch_operand * static_cast<double>(operands - 2);
  return on.launch_first +
         (on.launch_more + arguments + (cold_code ? on.launch_cold : 0)) * static_cast<double>(blocks - 1);
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
