// SPDX-License-Identifier: MIT
//
// The processor at hand: vector loops for the best instruction set found at run time, the host's threads if it lends
// them, and the same bits for any number of these.
#pragma once

#include <mezzo/backend/cpu/executor.hpp>
#include <mezzo/backend/cpu/product.hpp>

namespace mezzo::inline MEZZO_ABI {

/// `cpu{.executor = pool, .isa = isa::avx2}`: threads to borrow (none by default) and a cap on the instruction set.
struct cpu {
  static constexpr const char* name = "cpu";

  executor_ref executor{};
  mezzo::isa isa = detect_isa();
  workspace memory{};

  template <class Tag, class T>
  static constexpr bool supports = true;

  /// No instruction set in use multiplies 16-bit numbers: they are widened while packing.
  template <real T>
  [[nodiscard]] bool native() const {
    return !low_precision<T>;
  }

  template <class Kernel>
  tally run(const Kernel& kernel) {
    const std::size_t tasks = kernel.tasks();
    if (tasks == 0) return {};
    std::size_t lanes = executor.concurrency();
    if (lanes > tasks) lanes = tasks;
    const mezzo::isa best = detect_isa();
    const mezzo::isa level = isa < best ? isa : best;
    const std::size_t size = kernel.scratch_size();
    const buffer<typename Kernel::scratch> scratch(memory, size * lanes);
    // Tallies are added in the order of tasks, whoever ran them.
    const buffer<tally> tallies(memory, Kernel::inspects ? tasks : 0);

    const auto share = [&](std::size_t lane) {
      const std::size_t first = tasks * lane / lanes;
      const std::size_t last = tasks * (lane + 1) / lanes;
      typename Kernel::scratch* const own = scratch.data() + size * lane;
      if constexpr (requires { kernel.run_with(level, first, own, *tallies.data()); }) {
        for (std::size_t task = first; task < last; ++task) {
          tally part;
          kernel.run_with(level, task, own, part);
          if constexpr (Kernel::inspects) tallies.data()[task] = part;
        }
      } else {
        detail::call_with(level, task_range<Kernel>{kernel, own, tallies.data(), first, last});
      }
    };
    executor.parallel(lanes, share);

    tally total;
    for (std::size_t task = 0; task < tallies.size(); ++task) total += tallies.data()[task];
    return total;
  }

  template <class Left, class Right, class Sink>
  tally multiply(const Left& a, const Right& b, const product_shape& shape, const Sink& sink) {
    return run(product_kernel<Left, Right, Sink>{a, b, shape, sink});
  }

 private:
  template <class Kernel>
  struct task_range {
    const Kernel& kernel;
    typename Kernel::scratch* scratch;
    tally* tallies;
    std::size_t first;
    std::size_t last;

    template <mezzo::isa Isa>
    MEZZO_INLINE void operator()(detail::isa_constant<Isa>) const {
      for (std::size_t task = first; task < last; ++task) {
        tally part;
        kernel(task, scratch, part);
        if constexpr (Kernel::inspects) tallies[task] = part;
      }
    }
  };
};

static_assert(backend<cpu>);

}  // namespace mezzo::inline MEZZO_ABI
