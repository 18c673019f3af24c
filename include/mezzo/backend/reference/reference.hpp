// SPDX-License-Identifier: MIT
//
// The backend that defines the results: tasks one after another, products term by term, all of it in constant
// evaluation too, so that a training step inside static_assert is a test.
#pragma once

#include <mezzo/backend/backend.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Plain loops, one thread.
struct reference {
  static constexpr const char* name = "reference";

  workspace memory{};

  template <class Tag, class T>
  static constexpr bool supports = true;

  template <real T>
  [[nodiscard]] constexpr bool native() const {
    return !low_precision<T>;
  }

  template <class Kernel>
  MEZZO_LOOPS constexpr tally run(const Kernel& kernel) {
    const buffer<typename Kernel::scratch> scratch(memory, kernel.scratch_size());
    tally total;
    const std::size_t tasks = kernel.tasks();
    for (std::size_t task = 0; task < tasks; ++task) {
      tally part;
      kernel(task, scratch.data(), part);
      total += part;
    }
    return total;
  }

  template <class Left, class Right, class Sink>
  MEZZO_LOOPS constexpr tally multiply(const Left& a, const Right& b, const product_shape& shape, const Sink& sink) {
    using A = typename Left::A;
    const buffer<A> row(memory, shape.n);
    tally total;
    for (std::size_t i = 0; i < shape.m; ++i) {
      tally part;
      for (std::size_t j = 0; j < shape.n; ++j) {
        A sum = 0;
        for (std::size_t k = 0; k < shape.k; ++k) sum += a.element(i, k) * b.element(k, j);
        row.data()[j] = sum;
      }
      sink.tile_row(i, 0, shape.n, row.data(), part);
      total += part;
    }
    return total;
  }
};

static_assert(backend<reference>);

}  // namespace mezzo::inline MEZZO_ABI
