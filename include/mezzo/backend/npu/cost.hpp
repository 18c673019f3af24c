// SPDX-License-Identifier: MIT
//
// What a matrix product costs on a chip. The slowest core is simulated; what all cores do is the sum over the sizes of
// tiles that there are.
#pragma once

#include <mezzo/backend/npu/product_run.hpp>
#include <mezzo/backend/npu/vector_cost.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

namespace detail {

/// Bytes of the operands that HBM has to read. If L2 does not hold both, each round of tiles on all cores reads what
/// they need together, arranged so that this is least.
[[nodiscard]] constexpr double operand_hbm_bytes(const chip& on, const product_task& t, const product_plan& p) {
  const double each = static_cast<double>(bytes_of(t.in) * t.parts) * static_cast<double>(t.k);
  const double once = each * static_cast<double>(t.batch * (ceil_div(t.m, t.taps) + t.n));
  if (each * static_cast<double>(t.m + t.n) <= static_cast<double>(on.l2_bytes)) return once;
  std::size_t least = 0;
  for (std::size_t high = 1; high <= p.cores; ++high) {
    const std::size_t rows = high < p.m_tiles ? high : p.m_tiles, wide = ceil_div(p.cores, high);
    const std::size_t lines = rows * p.tile.m + (wide < p.n_tiles ? wide : p.n_tiles) * p.tile.n;
    if (rows * wide >= p.cores && (least == 0 || lines < least)) least = lines;
  }
  const double rounds = each * static_cast<double>(least) * static_cast<double>(p.tiles_per_core);
  const double most = static_cast<double>(p.operand_bytes(t));
  return rounds < once ? once : rounds < most ? rounds : most;
}

/// Sizes of tiles, whole ones first.
struct tile_kinds {
  tile_extent kind[4];

  constexpr tile_kinds(const product_task& t, const product_plan& p) : kind{} {
    const std::size_t m = t.m - (p.m_tiles - 1) * p.tile.m, n = t.n - (p.n_tiles - 1) * p.tile.n;
    const std::size_t high = p.m_tiles - 1, wide = p.n_tiles - 1;
    kind[0] = {p.tile.m, p.tile.n, t.batch * high * wide};
    kind[1] = {p.tile.m, n, t.batch * high};
    kind[2] = {m, p.tile.n, t.batch * wide};
    kind[3] = {m, n, t.batch};
  }
  /// How many of each the slowest core gets: all are dealt out evenly, the larger ones first.
  constexpr void dealt(const product_plan& p, std::size_t (&counts)[4]) const {
    std::size_t left = p.tiles_per_core;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t each = ceil_div(kind[i].count, p.cores);
      counts[i] = each < left ? each : left;
      left -= counts[i];
    }
  }
};

template <class Record>
[[nodiscard]] constexpr kernel_cost fused_product(const chip& on, const product_task& task, const product_plan& plan,
                                                  const options& how, const Record& record) {
  const bool apart = !on.combined && !task.tail.empty();  // vector cores take the tiles from memory
  const int helping = helpers(on);
  const auto results = static_cast<unsigned long long>(task.batch * task.m) * task.n;
  kernel_cost cost{};
  cost.bytes_in = plan.operand_bytes(task) + results * (task.tail_bytes_in + (apart ? 4U : 0U)) +
                  (task.bias ? 4ULL * task.batch * plan.m_tiles * task.n : 0);
  cost.bytes_out = results * (bytes_of(task.out) + (apart ? 4U : 0U));
  cost.flops = task.flops();
  cost.cube_cores = plan.cores;
  cost.vector_cores = on.combined || apart ? plan.cores * static_cast<std::size_t>(helping) : 0;
  cost.kernels = 1;

  const double read = operand_hbm_bytes(on, task, plan) + static_cast<double>(results * task.tail_bytes_in);
  const auto written = static_cast<double>(results * bytes_of(task.out));
  const auto moved = static_cast<double>(cost.bytes_in + cost.bytes_out);
  cost.hbm_bytes = static_cast<unsigned long long>(read + written);

  const tile_kinds kinds(task, plan);
  const std::size_t ub_buffers = how.double_buffering ? 2 : 1;
  std::size_t counts[4]{};
  kinds.dealt(plan, counts);
  const cycles shared = shared_cycles(on, moved, read / on.hbm_rows, written);
  constexpr no_record nothing{};
  const auto core = [&](const tile_extent* of, const std::size_t* many, std::size_t number, double floor) {
    return product_run<no_record>(on, task, plan, ub_buffers, floor, nothing).core(of, many, number);
  };
  const timeline<no_record> free = core(kinds.kind, counts, 4, 0);
  const double floor = stretched(
      free.end(), free.busy(pipe::mte2) + free.busy(pipe::fixpipe) + (on.combined ? free.busy(pipe::mte3) : 0), shared,
      moved / static_cast<double>(plan.all_tiles) * static_cast<double>(plan.tiles_per_core));
  for (const tile_extent& kind : kinds.kind) {
    if (kind.count == 0) continue;
    const std::size_t one = 1;
    const timeline<no_record> alone = core(&kind, &one, 1, floor);
    for (std::size_t i = 0; i < pipe_count; ++i) {
      const auto p = static_cast<pipe>(i);
      const bool helped = apart && on_vector_core(p);
      cost.busy[i] += alone.busy(p) * static_cast<cycles>(kind.count) * (helped ? helping : 1);
    }
  }
  const cycles end = product_run<Record>(on, task, plan, ub_buffers, floor, record).core(kinds.kind, counts, 4).end();
  cost.total = on.prologue + larger(end, shared);
  cost.microseconds = launch_microseconds(on, plan.cores) + on.microseconds(cost.total);
  return cost;
}

/// A product of which nothing is done on the way out of L0C.
[[nodiscard]] constexpr product_task bare_product(product_task task) {
  task.bias = task.relu = task.scale = false;
  task.tail = {};
  task.tail_bytes_in = 0;
  task.out = task.in == element::int8 ? element::int32 : element::float32;
  return task;
}

/// One vector instruction on every element of a result, as a kernel.
[[nodiscard]] constexpr kernel_cost alone(const chip& on, std::size_t elements, vector_op op, element type,
                                          std::size_t bytes_in, std::size_t bytes_out, const options& how) {
  vector_task task{.elements = elements,
                   .type = element::float32,
                   .bytes_in = elements * bytes_in,
                   .bytes_out = elements * bytes_out};
  task.work.add(op, type);
  return cost_vector(on, task, how);
}

}  // namespace detail

/// Costs of a product by `plan`. Without fusion the product is stored in float32, and whatever was to ride on its way
/// out, each vector instruction of the tail and the last cast are kernels that read and write memory. `record` gets the
/// intervals of the product's slowest core, from the end of the prologue on, and has them all simulated.
template <class Record = no_record>
[[nodiscard]] constexpr kernel_cost cost_product(const chip& on, const product_task& task, const product_plan& plan,
                                                 const options& how = {}, const Record& record = {}) {
  if (how.fusion) return detail::fused_product(on, task, plan, how, record);
  const product_task bare = detail::bare_product(task);
  kernel_cost cost = detail::fused_product(on, bare, plan, how, record);
  const std::size_t elements = task.batch * task.m * task.n;
  for (std::size_t i = 0; i < task.rides(); ++i)
    cost += detail::alone(on, elements, vector_op::simple, element::float32, 4, 4, how);
  std::size_t more = task.tail_bytes_in;  // read by the first instruction
  for (std::size_t op = 0; op < vector_op_count; ++op)
    for (std::size_t type = 0; type < element_count; ++type)
      for (std::size_t i = 0; i < task.tail.count[op][type]; ++i, more = 0) {
        const std::size_t bytes = bytes_of(static_cast<element>(type));
        cost += detail::alone(on, elements, static_cast<vector_op>(op), static_cast<element>(type), bytes + more, bytes,
                              how);
      }
  if (task.out != bare.out)
    cost += detail::alone(on, elements, vector_op::simple, element::float32, 4, bytes_of(task.out), how);
  return cost;
}

/// The same by the plan that `how` asks for.
template <class Record = no_record>
[[nodiscard]] constexpr kernel_cost cost_product(const chip& on, const product_task& task, const options& how = {},
                                                 const Record& record = {}) {
  return cost_product(on, task, plan_product(on, task, how), how, record);
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
