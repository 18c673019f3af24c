// SPDX-License-Identifier: MIT
//
// What the model notes of each kernel before it runs: its plan and cost, the layouts of what it reads and writes, and
// what practice warns of.
#pragma once

#include <mezzo/backend/npu/cube.hpp>
#include <mezzo/backend/npu/formats.hpp>
#include <mezzo/backend/npu/operations.hpp>
#include <mezzo/backend/patch_operand.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {
namespace npu {
namespace detail {

/// Notes in `log` and `formats`.
struct recorder {
  const chip& on;
  const options& how;
  const tiles& tile;
  profile& log;
  memory_formats& formats;
  bool warns_of_asking;

  // Helpers come first: clang 14 wants them before constant evaluation uses them.
  constexpr void record_work(const kernel_work& work) const {
    record_work(work, [&](const auto& f) { f(work); });
  }
  template <class Operations>
  constexpr void record_work(const kernel_work& work, const Operations& operations) const {
    const vector_task task = task_of(work);
    if (task.elements == 0) return;
    arrange(work);
    kernel_cost apart{};
    if (!log.knows(work.name, task, how))
      operations([&](const kernel_work& one) {
        if (one.elements != 0) apart += cost_vector(on, task_of(one), how);
      });
    log.vector(on, work.name, task, apart, how);
  }

  /// Converts what a vector kernel does not find in a layout it can read.
  constexpr void arrange(const kernel_work& work) const {
    const memory_format f =
        work.any_order ? common_format(formats, work) : memory_format::row_major;
    for (const tensor_use& use : work.reads)
      if (use.data != nullptr && 4 * use.bytes >= work.bytes_in) require(use, f, use.bytes);
    // What is much smaller than the operands is a sum over them.
    for (const tensor_use& use : work.writes)
      if (use.data != nullptr) formats.write(use.data, 4 * use.bytes < work.bytes_in ? memory_format::row_major : f);
  }
  template <class Left, class Right>
  constexpr void arrange_product(const Left& a, const Right& b, const product_shape& shape, const void* result) const {
    if constexpr (mezzo::detail::is_patches<Right>) {
      require_planes(b.data, b.shape.images * b.shape.groups, b.planes(), b.plane_height() * b.plane_width());
      require({a.data, shape.m * shape.k * sizeof(*a.data)}, memory_format::fractal_z,
              round_up(shape.n == 0 ? 0 : shape.m, fractal_rows) * shape.k * sizeof(*a.data));
      formats.write(result, memory_format::nc1hwc0);
    } else if constexpr (is_transposed<Right>) {
      const convolution_shape& s = b.of.shape;
      require_planes(a.data, s.images * s.groups, s.outputs, s.output_plane());
      require_planes(b.of.data, s.images * s.groups, s.channels, s.input_plane());
      formats.write(result, memory_format::row_major);
    } else {
      // MTE2 reads rows as NZ and FixPipe writes NZ as rows on split cores; combined ones want NZ in memory.
      const memory_format f = on.combined ? memory_format::fractal_nz : memory_format::row_major;
      const std::size_t left = shape.m * shape.k * sizeof(*a.data), right = shape.k * shape.n * sizeof(*b.data);
      require({a.data, left}, f, left);
      require({b.data, right}, f, right);
      formats.write(result, f);
    }
  }
  template <class T>
  constexpr void require_planes(const T* data, std::size_t images, std::size_t planes, std::size_t size) const {
    const std::size_t padded = round_up(planes, fractal_columns<T>);
    require({data, images * planes * size * sizeof(T)}, memory_format::nc1hwc0, images * padded * size * sizeof(T));
  }
  /// A kernel that converts a tensor, unless it is at hand as `f`, where it takes `bytes` with its padding.
  constexpr void require(const tensor_use& use, memory_format f, std::size_t bytes) const {
    if (use.data == nullptr || formats.has(use.data, f)) return;
    formats.convert(use.data, f);
    vector_task task{.elements = bytes / 2, .type = element::float16, .bytes_in = use.bytes, .bytes_out = bytes};
    task.work.add(vector_op::simple, element::float16);
    log.vector(on, short_name{} << "TransData", task, cost_vector(on, task, how), how);
  }

  /// Plans and costs a vector kernel, and looks for what practice warns of.
  template <class Kernel>
  constexpr void kernel(const Kernel& kernel) const {
    if constexpr (requires { kernel.loop; }) {
      find_hazards(kernel.loop, log);
      if (how.fusion)
        record_work(kernel.work(), [&](const auto& f) { visit_operations(kernel.loop, kernel.total, f); });
      else
        visit_operations(kernel.loop, kernel.total, [&](const kernel_work& work) { record_work(work); });
    } else {
      record_work(kernel.work());
    }
    if (warns_of_asking && asks_values(kernel))
      log.warn(hazard::hidden_overflow, kernel.work().name);
  }

  /// Plans and costs a product; its tile.
  template <class Left, class Right, class Sink>
  [[nodiscard]] constexpr tiles product(const Left& a, const Right& b, const product_shape& shape, const Sink& sink,
                                        bool hf32) const {
    using T = product_element<Left, Right>;
    constexpr bool patches = mezzo::detail::is_patches<Right>;
    const bool split = std::same_as<T, float> && !on.cube_takes(element::float32);
    product_task task{.m = patches ? shape.n : shape.m, .n = patches ? shape.m : shape.n, .k = shape.k};
    task.in = split ? element::float16 : std::same_as<T, float> && hf32 ? element::hf32 : element_of<T>;
    if (split) {
      task.parts = 2;
      task.terms = 3;
    }
    if constexpr (patches) {
      // Channels in whole blocks; the taps of a window read one image.
      task.asked_k = shape.k;
      task.k = round_up(b.planes(), c0_of(task.in)) * b.shape.window();
      task.taps = b.shape.window();
    }
    short_name title;
    if constexpr (patches)
      title << (mezzo::detail::is_gradient_patches<Right> ? "conv2d gradient by data" : "conv2d");
    else if constexpr (is_transposed<Right>)
      title << "conv2d gradient by weights";
    else
      title << "matmul";
    if constexpr (!patches) {
      task.left_transposed = !a.rows_run();
      task.right_transposed = !b.rows_run();
    }
    const void* const result = describe_sink(sink, task, title);
    arrange_product(a, b, shape, result);
    find_hazards(sink, log);
    if (warns_of_asking && asks_values(sink)) log.warn(hazard::hidden_overflow, title);
    const product_task bare = bare_product(task);
    const std::size_t results = task.m * task.n;
    const auto alone = [&](const product_plan& plan) { return cost_product(on, bare, plan, how); };
    if (!how.fusion) {
      const tiles planned = log.product(on, title, bare, tile, how, alone);
      visit_after_product(sink, results, [&](const kernel_work& work) { record_work(work); });
      return planned;
    }
    return log.product(on, title, task, tile, how, [&](const product_plan& plan) {
      kernel_cost apart = alone(plan);
      visit_after_product(sink, results,
                          [&](const kernel_work& work) { apart += cost_vector(on, task_of(work), how); });
      return apart;
    });
  }
};

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
