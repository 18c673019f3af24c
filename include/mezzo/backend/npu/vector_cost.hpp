// SPDX-License-Identifier: MIT
//
// What a vector kernel costs: chunks come in, are worked on and go out, over one way to memory.
#pragma once

#include <mezzo/backend/npu/kernel_cost.hpp>
#include <mezzo/backend/npu/vector_plan.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Bytes that a kernel which moves `in` and `out` leaves in L2 to be written back, of its results and of the `owed`
/// ones that it found there. L2 writes back only what has to give way, so that the kernel after pays for it: in
/// profiles the first pass that writes after reductions is quicker by L2's capacity of writing, and the first reduction
/// after passes that write is slower by as much.
[[nodiscard]] constexpr std::size_t left_in_l2(const chip& on, std::size_t in, std::size_t out, std::size_t owed) {
  const std::size_t all = in + out > on.l2_bytes ? out : owed + out;
  return all < on.l2_bytes ? all : on.l2_bytes;
}

namespace detail {

/// Bytes of `footprint` that HBM moves although L2 is there: what does not fit pushes out twice as much again before it
/// is used (calibrated: a pass over one and a half times L2 finds nothing there).
[[nodiscard]] constexpr double missing_from_l2(const chip& on, double footprint) {
  const double over = 3 * (footprint - static_cast<double>(on.l2_bytes));
  return over <= 0 ? 0 : over < footprint ? over : footprint;
}

/// Bytes that give way to a task in L2, if nothing of it stays there: at the least none, at the most all that was owed
/// and all results.
[[nodiscard]] constexpr double written_back(const chip& on, const vector_task& task) {
  const auto out = static_cast<double>(task.bytes_out);
  if (task.owed_bytes == vector_task::as_many) return out;
  const std::size_t left = left_in_l2(on, task.bytes_in, task.bytes_out, task.owed_bytes);
  return out + static_cast<double>(task.owed_bytes) - static_cast<double>(left);
}

/// Bytes of `all` that belong to `part` of `whole` elements, rounded up.
[[nodiscard]] constexpr std::size_t share_of(std::size_t all, std::size_t part, std::size_t whole) {
  return static_cast<std::size_t>(static_cast<double>(all) / static_cast<double>(whole) * static_cast<double>(part) +
                                  0.999);
}

template <class Record>
class vector_run {
 public:
  constexpr vector_run(const chip& on, const vector_task& task, const vector_plan& plan, double floor,
                       const Record& record)
      : on_(on), task_(task), plan_(plan), floor_(floor), time_(on, record) {}

  /// All chunks of a core that has `elements`.
  constexpr const timeline<Record>& core(std::size_t elements) {
    const std::size_t whole = elements / plan_.chunk, rest = elements % plan_.chunk;
    const std::size_t chunks = whole + static_cast<std::size_t>(rest != 0);
    const std::size_t last = rest == 0 ? plan_.chunk : rest;
    load(chunks == 1 ? last : plan_.chunk);
    if (chunks > 2) time_.repeat(chunks - 2, [&] { step(plan_.chunk, plan_.chunk); });
    if (chunks > 1) step(plan_.chunk, last);
    finish(last);
    time_.settle();
    return time_;
  }

 private:
  constexpr void step(std::size_t elements, std::size_t next) {
    if (plan_.buffers == 2) load(next);
    finish(elements);
    if (plan_.buffers == 1) load(next);
  }
  constexpr void load(std::size_t elements) {
    const std::size_t buffer = time_.turn(0, plan_.buffers);
    const std::size_t bytes = share_of(task_.bytes_in, elements, task_.elements);
    const pipe mte2 = on_.combined ? pipe::mte2 : pipe::aiv_mte2;
    const cycles free = time_(flag::ub_free, buffer);
    time_.wait(mte2, free);
    time_(flag::l1_filled, buffer) =
        bytes == 0 ? free : time_.load(mte2, free, moved(bytes)) + on_.transfer_latency;
  }
  constexpr void finish(std::size_t elements) {
    const std::size_t buffer = time_.turn(1, plan_.buffers);
    const std::size_t bytes = share_of(task_.bytes_out, elements, task_.elements);
    cycles done = time_(flag::l1_filled, buffer);
    if (const cycles work = vector_cycles(on_, task_.work, elements); work != 0)
      done = time_.run(pipe::vector, done, work);
    if (bytes != 0)
      time_.store(pipe::mte3, done, moved(bytes), flag::ub_free, buffer);
    else
      time_(flag::ub_free, buffer) = done;
  }
  [[nodiscard]] constexpr cycles moved(std::size_t bytes) const {
    return at_least(transfer_cycles(on_, 1, bytes, bytes, on_.vector_path_bytes), bytes, floor_);
  }

  const chip& on_;
  const vector_task& task_;
  const vector_plan& plan_;
  double floor_;
  timeline<Record> time_;
};

}  // namespace detail

/// Costs of a vector kernel by `plan`. `record` gets the intervals of the slowest core, from the end of the
/// prologue on.
template <class Record = no_record>
[[nodiscard]] constexpr kernel_cost cost_vector(const chip& on, const vector_task& task, const vector_plan& plan,
                                                const Record& record = {}) {
  const auto in = static_cast<double>(task.bytes_in), out = static_cast<double>(task.bytes_out);
  const double missing = task.cold ? 1 : in + out <= 0 ? 0 : detail::missing_from_l2(on, in + out) / (in + out);
  kernel_cost cost{};
  cost.bytes_in = task.bytes_in;
  cost.bytes_out = task.bytes_out;
  cost.vector_cores = plan.cores;
  cost.kernels = 1;

  const std::size_t last = task.elements - (plan.cores - 1) * plan.share, most = plan.cores == 1 ? last : plan.share;
  const double read = in * missing, written = detail::written_back(on, task) * missing;
  cost.hbm_bytes = static_cast<unsigned long long>(read + written);
  const cycles shared = detail::shared_cycles(on, in + out, read, written);
  constexpr no_record nothing{};
  const auto core = [&](std::size_t elements, double floor) {
    return detail::vector_run<no_record>(on, task, plan, floor, nothing).core(elements);
  };
  const timeline<no_record> free = core(most, 0);
  const double floor = detail::stretched(
      free.end(), free.busy(pipe::mte2) + free.busy(pipe::aiv_mte2) + free.busy(pipe::mte3), shared,
      (in + out) / static_cast<double>(task.elements) * static_cast<double>(most));
  const timeline<no_record> of_last = core(last, floor);
  const timeline<Record> of_each = detail::vector_run<Record>(on, task, plan, floor, record).core(most);
  for (std::size_t i = 0; i < pipe_count; ++i) {
    const auto p = static_cast<pipe>(i);
    cost.busy[i] = of_each.busy(p) * static_cast<cycles>(plan.cores - 1) + of_last.busy(p);
  }
  const std::size_t operands = task.operand_count();
  cost.total = on.vector_prologue + static_cast<cycles>(operands) * on.vector_operand +
               detail::larger(of_each.end(), shared);
  cost.microseconds = launch_microseconds(on, plan.cores, operands, task.cold_code) + on.microseconds(cost.total);
  return cost;
}

/// The same by the plan that `how` asks for.
template <class Record = no_record>
[[nodiscard]] constexpr kernel_cost cost_vector(const chip& on, const vector_task& task, const options& how = {},
                                                const Record& record = {}) {
  return cost_vector(on, task, plan_vector(on, task, how), record);
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
