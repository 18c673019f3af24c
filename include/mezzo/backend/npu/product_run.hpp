// SPDX-License-Identifier: MIT
//
// The instructions of a matrix product on one core, in the order in which its scalar unit issues them: the next slice
// is loaded before the present one is multiplied, and a finished tile leaves while the next one begins if L0C has room.
#pragma once

#include <mezzo/backend/npu/plan.hpp>
#include <mezzo/backend/npu/timeline.hpp>
#include <mezzo/backend/npu/vector_plan.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu::detail {

/// A tile of the result and how many of this size there are.
struct tile_extent {
  std::size_t m, n, count;
};

/// Vector cores beside one cube core.
[[nodiscard]] constexpr int helpers(const chip& on) {
  return on.combined ? 1 : static_cast<int>(on.vector_cores / on.cube_cores);
}

/// `floor`: cycles a byte that a transfer takes at the least.
template <class Record>
class product_run {
 public:
  constexpr product_run(const chip& on, const product_task& task, const product_plan& plan, std::size_t ub_buffers,
                        double floor, const Record& record)
      : on_(on),
        task_(task),
        tile_(plan.tile),
        blocks_(ceil_div(task.k, plan.tile.l1_k)),
        last_(task.k - (blocks_ - 1) * plan.tile.l1_k),
        ub_buffers_(ub_buffers),
        floor_(floor),
        time_(on, record) {}

  /// The tiles of a core: `counts[i]` of `sizes[i]`, one size after another.
  constexpr const timeline<Record>& core(const tile_extent* sizes, const std::size_t* counts, std::size_t kinds) {
    sizes_ = sizes;
    counts_ = counts;
    kinds_ = kinds;
    load_slice(0, 0);
    for (std::size_t i = 0; i < kinds; ++i)
      if (counts[i] != 0) {
        time_.repeat(counts[i] - 1, [&] { tile(i, 0); });
        tile(i, counts[i] - 1);
      }
    time_.settle();
    return time_;
  }

 private:
  [[nodiscard]] constexpr std::size_t depth(std::size_t block) const {
    return block + 1 == blocks_ ? last_ : tile_.l1_k;
  }

  /// The j-th tile of a size, of which the first slice is loaded already. The next slice is loaded before the present
  /// one is multiplied, if it has a buffer of its own.
  constexpr void tile(std::size_t kind, std::size_t j) {
    const auto one = [&](std::size_t block) {
      if (tile_.l1_buffers == 2) load_slice(kind, j * blocks_ + block + 1);
      multiply(sizes_[kind], depth(block));
      if (tile_.l1_buffers == 1) load_slice(kind, j * blocks_ + block + 1);
    };
    first_ = true;
    const std::size_t alike = blocks_ < 2 ? 0 : blocks_ - 2;
    time_.repeat(alike, [&] { one(0); });
    for (std::size_t block = alike; block < blocks_; ++block) one(block);
    const std::size_t buffer = time_.turn(3, tile_.c_buffers);
    const cycles result = done_ + on_.cube_drained - on_.cube_instruction;
    if (on_.combined)
      time_(flag::c_free, buffer) = on_vectors(sizes_[kind].m, sizes_[kind].n, result, pipe::mte2, 0);
    else
      by_fixpipe(sizes_[kind], result, buffer);
  }

  /// Loads a slice of both operands, counted from the first one of a size on; nothing past the last.
  constexpr void load_slice(std::size_t kind, std::size_t slice) {
    while (kind < kinds_ && slice >= counts_[kind] * blocks_) slice -= counts_[kind++] * blocks_;
    if (kind < kinds_) load(sizes_[kind], depth(slice % blocks_), slice % blocks_ == 0);
  }

  constexpr void load(const tile_extent& e, std::size_t k, bool with_bias) {
    const std::size_t buffer = time_.turn(0, tile_.l1_buffers), bytes = bytes_of(task_.in) * task_.parts * k;
    const cycles free = time_(flag::l1_free, buffer);
    time_.wait(pipe::mte2, free);
    const std::size_t left = ceil_div(e.m * bytes, task_.taps);
    time_.load(pipe::mte2, free, at_least(operand_cycles(on_, task_, e.m, e.n, k, false), left, floor_));
    cycles end =
        time_.load(pipe::mte2, free, at_least(operand_cycles(on_, task_, e.m, e.n, k, true), e.n * bytes, floor_));
    if (with_bias && task_.bias)
      end = time_.load(pipe::mte2, free, transfer_cycles(on_, 1, e.n * 4, e.n * 4, on_.path_bytes));
    time_(flag::l1_filled, buffer) = end + on_.transfer_latency;
  }

  constexpr void multiply(const tile_extent& e, std::size_t k) {
    const std::size_t buffer = time_.turn(1, tile_.l1_buffers);
    cycles loaded = time_(flag::l1_filled, buffer);
    for (std::size_t from = 0; from < k; from += tile_.k) {
      const std::size_t part = k - from < tile_.k ? k - from : tile_.k;
      for (std::size_t term = 0; term < task_.terms; ++term) {
        const std::size_t l0 = time_.turn(2, tile_.l0_buffers);
        const cycles ready = larger(time_(flag::l1_filled, buffer), time_(flag::l0_free, l0));
        loaded = time_.run(pipe::mte1, ready, mte1_cycles(on_, task_.in, e.m, e.n, part));
        cycles begin = loaded;
        if (first_) begin = larger(begin, time_(flag::c_free, time_.peek(3, tile_.c_buffers)));
        first_ = false;
        done_ = time_.run(pipe::cube, begin, cube_cycles(on_, task_.in, e.m, e.n, part));
        // Alone, the next load also waits until the pipeline has drained.
        time_(flag::l0_free, l0) =
            tile_.l0_buffers == 2 ? done_ : done_ + on_.cube_drained - on_.cube_instruction;
      }
    }
    time_(flag::l1_free, buffer) = loaded;
  }

  /// A tail makes FixPipe write float32 to one of two places in L2, from where the vector cores take it.
  constexpr void by_fixpipe(const tile_extent& e, cycles result, std::size_t buffer) {
    const bool tail = !task_.tail.empty();
    const std::size_t bytes = tail ? 4 : bytes_of(task_.out), place = time_.turn(4, 2);
    const std::size_t stride = tail ? e.n : task_.n;
    time_.store(pipe::fixpipe, tail ? larger(result, time_(flag::workspace_free, place)) : result,
                at_least(fixpipe_cycles(on_, e.m, e.n * bytes, stride * bytes), e.m * e.n * bytes, floor_),
                flag::c_free, buffer);
    if (tail)
      time_(flag::workspace_free, place) =
          on_vectors(ceil_div(e.m, static_cast<std::size_t>(helpers(on_))), e.n,
                     time_(flag::c_free, buffer) + on_.transfer_latency, pipe::aiv_mte2, 4);
  }

  /// Vector work on (m, n) elements in chunks of whole rows, which are in L0C or take `fetched` bytes each from memory.
  /// Returns when all were taken.
  constexpr cycles on_vectors(std::size_t m, std::size_t n, cycles ready, pipe mte2, std::size_t fetched) {
    const std::size_t out = bytes_of(task_.out), in = task_.tail_bytes_in + fetched;
    const std::size_t fit = ub_chunk(on_, 4 + out + task_.tail_bytes_in, ub_buffers_) / n;
    const std::size_t rows = fit == 0 ? 1 : fit < m ? fit : m;
    cycles taken = ready;
    for (std::size_t from = 0; from < m; from += rows) {
      const std::size_t height = m - from < rows ? m - from : rows, elements = height * n;
      const std::size_t buffer = time_.turn(5, ub_buffers_);
      const cycles free = time_(flag::ub_free, buffer);
      cycles begin = larger(ready, free);
      if (in != 0) {
        const std::size_t bytes = elements * in;
        begin = time_.load(mte2, begin,
                           at_least(transfer_cycles(on_, 1, bytes, bytes, on_.vector_path_bytes), bytes,
                                    floor_ * helpers(on_))) +
                on_.transfer_latency;
      }
      const cycles done = time_.run(pipe::vector, begin, vector_cycles(on_, on_vector_, elements));
      taken = fetched == 0 ? done : begin;
      time_.store(pipe::mte3, done,
                  at_least(transfer_cycles(on_, height, n * out, task_.n * out, on_.vector_path_bytes), elements * out,
                           floor_ * helpers(on_)),
                  flag::ub_free, buffer);
    }
    return taken;
  }

  /// What a vector unit does with an element of the result: on combined cores it takes it out of L0C, and what FixPipe
  /// would have done is its work too.
  [[nodiscard]] static constexpr vector_work vector_part(const chip& on, const product_task& task) {
    vector_work work = task.tail;
    const std::size_t cast = task.out == element::float32 || task.out == element::int32 ? 0 : 1;
    if (on.combined) return work.add(vector_op::simple, element::float32, 1 + cast + task.rides());
    return work.empty() ? work : work.add(vector_op::simple, element::float32, cast);
  }

  const chip& on_;
  const product_task& task_;
  const tiles& tile_;
  const tile_extent* sizes_ = nullptr;
  const std::size_t* counts_ = nullptr;
  std::size_t kinds_ = 0;
  std::size_t blocks_, last_, ub_buffers_;
  double floor_;
  vector_work on_vector_ = vector_part(on_, task_);
  timeline<Record> time_;
  bool first_ = true;
  cycles done_ = 0;
};

}  // namespace npu::detail
}  // namespace mezzo::inline MEZZO_ABI
