// SPDX-License-Identifier: MIT
//
// What msprof would report of a profile's kernels, in its terms, and what it cannot know: useful work, padding and what
// fusion saved. Whatever adds up is of all calls together, so that the figures of a program are a sum.
#pragma once

#include <mezzo/backend/npu/profile.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Reports take what a model ran; nothing here needs to see how.
template <const chip& Chip>
struct model;

/// A figure that not every kernel has.
struct figure {
  double value = 0;
  bool known = false;
};

/// Of all calls of one kind of kernel, or of several kinds; times in microseconds.
struct kernel_figures {
  std::size_t calls = 0;
  double task = 0;          // task durations: launches and slowest cores
  double core = 0;          // the same without launches: msprof's aicore_time, every core taken for the slowest
  double total_cycles = 0;  // the same in cycles, of all blocks together
  double time[pipe_count]{};  // each pipe on an average core
  double mte2 = 0, scalar = 0;  // on the cube cores or on the vector cores, whichever have more to do
  double cube_time = 0;         // what all cube cores of the chip have while one kernel on the cube runs ...
  double cube_core_time = 0;    // ... and what its cores have of that
  double cube_cycles = 0;     // of all cores together, with an instruction in the cube
  double fp16_time = 0;       // of the cube on an average core, operands float16 or bfloat16
  double fp16_flops = 0;      // useful ones of those
  double flops = 0;           // useful ones of products: 2·m·n·k, whatever it took
  double vector_operations = 0;  // vector instructions times elements, those on the way out of a product too
  double operations = 0;         // flops of products, vector_operations of vector kernels
  double whole_flops = 0, issued_flops = 0;  // of products, repeated terms counted: without padding, and with it
  double bytes_in = 0, bytes_out = 0, hbm_bytes = 0;
  double time_saved = 0, bytes_saved = 0;        // by fusion
  std::size_t block_dim = 0, mix_block_dim = 0;  // cores of a call: those that it is named for, vector cores beside

  /// Share of the cores' time.
  [[nodiscard]] constexpr double ratio(double microseconds) const { return core > 0 ? microseconds / core : 0; }
  [[nodiscard]] constexpr double ratio(pipe p) const { return ratio(time[static_cast<std::size_t>(p)]); }
  /// bfloat16 is taken for float16 (assumed of msprof: the known rows have none).
  [[nodiscard]] constexpr double mac_fp16_ratio() const { return ratio(fp16_time); }
  /// What the busy cycles of the cube had room for, so more than the useful work.
  [[nodiscard]] constexpr double cube_fops() const { return cube_cycles * 8192; }
  [[nodiscard]] constexpr figure memory_bound() const {
    const double mac = ratio(pipe::cube), vec = ratio(pipe::vector), most = mac < vec ? vec : mac;
    return most > 0 ? figure{ratio(mte2) / most, true} : figure{};
  }
  /// Share of the chip's cube cores that were at work, as msprof's cube_utilization.
  [[nodiscard]] constexpr figure cube_utilization() const {
    return cube_time > 0 ? figure{cube_core_time / cube_time, true} : figure{};
  }
  /// FP16_EFFICIENCY: useful float16 FLOPs over cube_fops. msprof has no such column; an article has the name, and this
  /// definition is ours.
  [[nodiscard]] constexpr figure fp16_efficiency() const {
    return fp16_flops > 0 ? figure{fp16_flops / cube_fops(), true} : figure{};
  }
  /// Share of the cube's multiplications that fall on what fills up its steps.
  [[nodiscard]] constexpr figure padding_loss() const {
    return issued_flops > 0 ? figure{1 - whole_flops / issued_flops, true} : figure{};
  }
  [[nodiscard]] constexpr double operations_a_second() const { return task > 0 ? operations / task * 1e6 : 0; }
  /// Operations for each byte that moves to or from global memory.
  [[nodiscard]] constexpr figure intensity() const {
    const double bytes = bytes_in + bytes_out;
    return bytes > 0 && operations > 0 ? figure{operations / bytes, true} : figure{};
  }

  constexpr kernel_figures& operator+=(const kernel_figures& more);
  /// So many calls as one.
  constexpr kernel_figures& operator*=(std::size_t times);
};

namespace detail {

inline constexpr double kernel_figures::*additive[] = {
    &kernel_figures::task,           &kernel_figures::core,         &kernel_figures::total_cycles,
    &kernel_figures::mte2,           &kernel_figures::scalar,       &kernel_figures::cube_time,
    &kernel_figures::cube_core_time, &kernel_figures::cube_cycles,  &kernel_figures::fp16_time,
    &kernel_figures::fp16_flops,     &kernel_figures::flops,        &kernel_figures::vector_operations,
    &kernel_figures::operations,     &kernel_figures::whole_flops,  &kernel_figures::issued_flops,
    &kernel_figures::bytes_in,       &kernel_figures::bytes_out,    &kernel_figures::hbm_bytes,
    &kernel_figures::time_saved,     &kernel_figures::bytes_saved};

[[nodiscard]] constexpr std::size_t count_of(const vector_work& work) {
  std::size_t sum = 0;
  for (const auto& of_op : work.count)
    for (const std::size_t n : of_op) sum += n;
  return sum;
}

}  // namespace detail

constexpr kernel_figures& kernel_figures::operator+=(const kernel_figures& more) {
  calls += more.calls;
  for (double kernel_figures::*const sum : detail::additive) this->*sum += more.*sum;
  for (std::size_t p = 0; p < pipe_count; ++p) time[p] += more.time[p];
  block_dim = block_dim < more.block_dim ? more.block_dim : block_dim;
  mix_block_dim = mix_block_dim < more.mix_block_dim ? more.mix_block_dim : mix_block_dim;
  return *this;
}
constexpr kernel_figures& kernel_figures::operator*=(std::size_t times) {
  calls *= times;
  for (double kernel_figures::*const sum : detail::additive) this->*sum *= static_cast<double>(times);
  for (double& t : time) t *= static_cast<double>(times);
  return *this;
}

/// Whether vector cores work beside the cube cores.
[[nodiscard]] constexpr bool is_mixed(const chip& on, const profile_entry& e) {
  return e.on_cube && !on.combined && e.each.vector_cores != 0;
}
/// The cores a kernel runs on, as msprof names them.
[[nodiscard]] constexpr const char* core_type(const chip& on, const profile_entry& e) {
  return !e.on_cube ? (on.combined ? "AI_CORE" : "AI_VECTOR_CORE") : is_mixed(on, e) ? "MIX_AIC" : "AI_CORE";
}
/// As a program asked for them: "25088x32x9", of a batch "12*1024x512x64"; elements of a vector kernel.
[[nodiscard]] constexpr short_name extents_of(const profile_entry& e) {
  short_name text;
  if (!e.on_cube) return text << e.vector.elements;
  if (e.product.batch != 1) text << e.product.batch << "*";
  return text << e.product.m << "x" << e.product.n << "x" << (e.product.asked_k == 0 ? e.product.k : e.product.asked_k);
}
/// Of the operands of a product; of a vector kernel the width of the widest, which is all that its cost knows.
[[nodiscard]] constexpr const char* type_of(const profile_entry& e) {
  if (e.on_cube) return name_of(e.product.in);
  return bytes_of(e.vector.type) == 4 ? "32-bit" : bytes_of(e.vector.type) == 2 ? "16-bit" : "8-bit";
}

/// Figures of all calls of a kernel.
[[nodiscard]] constexpr kernel_figures figures_of(const chip& on, const profile_entry& e) {
  const kernel_cost& c = e.each;
  const auto time = [&](pipe p) { return c.average(on, p); };
  const auto larger = [](double a, double b) { return a < b ? b : a; };
  kernel_figures f{};
  f.calls = 1;
  f.task = c.microseconds;
  f.core = on.microseconds(c.total);
  f.block_dim = e.on_cube ? c.cube_cores : c.vector_cores;
  f.mix_block_dim = is_mixed(on, e) ? c.vector_cores : 0;
  f.total_cycles = static_cast<double>(c.total) * static_cast<double>(f.block_dim);
  for (std::size_t p = 0; p < pipe_count; ++p) f.time[p] = time(static_cast<pipe>(p));
  f.mte2 = larger(time(pipe::mte2), time(pipe::aiv_mte2));
  f.scalar = larger(time(pipe::scalar), time(pipe::aiv_scalar));
  f.bytes_in = static_cast<double>(c.bytes_in);
  f.bytes_out = static_cast<double>(c.bytes_out);
  f.hbm_bytes = static_cast<double>(c.hbm_bytes);
  if (e.apart.kernels != 0) {  // a gradient that only passes on has nothing to be taken apart
    f.time_saved = e.apart.microseconds - c.microseconds;
    f.bytes_saved = static_cast<double>(e.apart.bytes_in + e.apart.bytes_out) - f.bytes_in - f.bytes_out;
  }
  if (e.on_cube) {
    const product_task& t = e.product;
    const double results = static_cast<double>(t.batch * t.m) * static_cast<double>(t.n);
    f.cube_time = f.task * static_cast<double>(on.cube_cores);
    f.cube_core_time = f.core * static_cast<double>(f.block_dim);
    f.cube_cycles = static_cast<double>(c.of(pipe::cube));
    f.flops = f.operations = t.flops();
    f.vector_operations = results * static_cast<double>(detail::count_of(t.tail));
    f.whole_flops = f.flops * static_cast<double>(t.terms);
    f.issued_flops = e.padded_flops(on);
    if (t.in == element::float16 || t.in == element::bfloat16) {
      f.fp16_time = time(pipe::cube);
      f.fp16_flops = f.flops;
    }
  } else {
    f.vector_operations = f.operations =
        static_cast<double>(e.vector.elements) * static_cast<double>(detail::count_of(e.vector.work));
  }
  return f *= e.calls;
}

/// Figures of all kernels together.
[[nodiscard]] constexpr kernel_figures total_figures(const chip& on, const profile& kernels) {
  kernel_figures sum{};
  for (std::size_t i = 0; i < kernels.size(); ++i) sum += figures_of(on, kernels[i]);
  return sum;
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
