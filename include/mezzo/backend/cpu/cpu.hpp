// SPDX-License-Identifier: MIT
//
// The processor at hand: vector loops for the best instruction set found at run time, the host's threads if it lends
// them, and the same bits for any number of these.
#pragma once

#include <mezzo/backend/cpu/block_sums.hpp>
#include <mezzo/backend/cpu/product.hpp>
#include <mezzo/backend/cpu/scattered_gradient.hpp>
#include <mezzo/backend/cpu/shifted_gradient.hpp>

namespace mezzo::inline MEZZO_ABI {

/// `cpu{.executor = pool, .isa = isa::avx2}`: threads to borrow (none by default) and a cap on the instruction set.
struct cpu {
  static constexpr const char* name = "cpu";

  executor_ref executor{};
  mezzo::isa isa = detect_isa();
  workspace memory{};

  template <class Tag, class T>
  static constexpr bool supports = true;

  /// Whether products of `T` take their operands as they are; others are widened while they are packed.
  template <real T>
  [[nodiscard]] bool native() const {
    return !low_precision<T> || (std::same_as<T, bfloat16> && level() == mezzo::isa::avx512_bf16);
  }

  template <class Kernel>
  tally run(const Kernel& kernel) {
    using scratch = typename Kernel::scratch;
    const task_call call = [](const void* of, mezzo::isa level, std::size_t first, std::size_t last, void* own,
                              tally* sums) {
      const task_range<Kernel> range{*static_cast<const Kernel*>(of), static_cast<scratch*>(own), sums, first, last,
                                     level};
      detail::call_with(level, range);
    };
    return run_tasks(call, &kernel, kernel.tasks(), kernel.scratch_size() * sizeof(scratch), Kernel::inspects);
  }

  template <class Left, class Right, class Sink>
  tally multiply(const Left& a, const Right& b, const product_shape& shape, const Sink& sink) {
    const mezzo::isa level = this->level();
    // Convolutions have ways of their own.
    if constexpr (detail::is_patches<Right>) {
#if MEZZO_X86_DISPATCH
      if constexpr (in_pairs<Left, Right>)
        if (level == mezzo::isa::avx512_bf16)
          return multiply_patches<detail::bfloat16_pair>(a, b, shape, sink, level);
#endif
      return multiply_patches<typename Left::A>(a, b, shape, sink, level);
    } else if constexpr (detail::is_turned_patches<Left, Right>) {
#if MEZZO_X86_DISPATCH
      if constexpr (in_pairs<Left, Right>)
        if (level == mezzo::isa::avx512_bf16)
          return detail::multiply_shifted_turned<detail::bfloat16_pair>(a, b.of, shape, sink, level, executor, memory);
#endif
      return detail::multiply_shifted_turned<typename Left::A>(a, b.of, shape, sink, level, executor, memory);
    } else {
      return multiply_packed(a, b, shape, sink, level);
    }
  }

 private:
  /// Whether a product may use the dot product of bfloat16 pairs.
  template <class Left, class Right>
  static constexpr bool in_pairs =
      std::same_as<typename Left::A, float> && std::same_as<typename Left::value_type, bfloat16> &&
      std::same_as<typename Right::value_type, bfloat16>;

  template <class U, class Left, class Right, class Sink>
  tally multiply_patches(const Left& a, const Right& b, const product_shape& shape, const Sink& sink,
                         mezzo::isa level) {
    if constexpr (detail::is_gradient_patches<Right>)
      if (detail::worth_scattering(b.shape))
        return detail::multiply_scattered<U>(a, b, sink, level, executor, memory);
    return detail::multiply_shifted<U>(a, b, shape, sink, level, executor, memory);
  }

  template <class Left, class Right, class Sink>
  tally multiply_packed(const Left& a, const Right& b, const product_shape& shape, const Sink& sink,
                        mezzo::isa level) {
    using A = typename Left::A;
#if MEZZO_X86_DISPATCH
    if constexpr (in_pairs<Left, Right>)
      if (level == mezzo::isa::avx512_bf16)
        return detail::multiply_units<detail::bfloat16_pair>(a, b, shape, sink, level, executor, memory);
#endif
    return detail::multiply_units<A>(a, b, shape, sink, level, executor, memory);
  }

  /// The instruction set in use: what was asked for, as far as the machine has it.
  [[nodiscard]] mezzo::isa level() const {
    const mezzo::isa most = supported_isa();
    return isa < most ? isa : most;
  }

  /// Runs tasks [first, last) of a kernel with scratch `memory`; `sums`, unless null, has a tally for each task.
  using task_call = void (*)(const void* kernel, mezzo::isa level, std::size_t first, std::size_t last, void* memory,
                             tally* sums);

  template <class Kernel>
  struct task_range {
    static constexpr bool worth_wide = detail::worth_wide<Kernel>;

    const Kernel& kernel;
    typename Kernel::scratch* memory;
    tally* sums;
    std::size_t first;
    std::size_t last;
    mezzo::isa level;

    template <mezzo::isa Isa>
    MEZZO_INLINE void operator()(detail::isa_constant<Isa>) const {
      for (std::size_t task = first; task < last; ++task) {
        tally part;
        if constexpr (requires { kernel.run(detail::vector_sums{level}, task, memory, part); })
          kernel.run(detail::vector_sums{level}, task, memory, part);
        else if constexpr (requires { kernel.template operator()<64>(task, memory, part); })
          kernel.template operator()<(Isa >= isa::avx512 ? 64 : detail::row_bytes)>(task, memory, part);
        else
          kernel(task, memory, part);
        if constexpr (Kernel::inspects) sums[task] = part;
      }
    }
  };

  // What is the same for every kernel is compiled once.
  tally run_tasks(task_call call, const void* kernel, std::size_t tasks, std::size_t scratch_bytes, bool inspects) {
    return detail::run_shares(executor, memory, tasks, scratch_bytes, inspects,
                              [&](std::size_t first, std::size_t last, std::byte* scratch, tally* sums) {
                                call(kernel, level(), first, last, scratch, sums);
                              });
  }
};

static_assert(backend<cpu>);

}  // namespace mezzo::inline MEZZO_ABI
