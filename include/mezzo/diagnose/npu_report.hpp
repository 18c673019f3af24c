// SPDX-License-Identifier: MIT
//
// A profile of the NPU model as text: a table for people, CSV with every figure for programs, and what practice warns
// of as sentences. Columns have msprof's names where msprof has them; npu_figures.hpp says what each one means.
#pragma once

#include <mezzo/diagnose/npu_figures.hpp>
#include <mezzo/diagnose/report_text.hpp>

#include <string>       // string
#include <string_view>  // string_view
#include <utility>      // move
#include <vector>       // vector

namespace mezzo::inline MEZZO_ABI {
namespace npu {

namespace detail {

/// "128x256x64", its slice in L1, buffers of L0, L1 and L0C: "128x256x64/256 2-2-1".
inline std::string tile_text(const tiles& t) {
  short_name text;
  text << t.m << "x" << t.n << "x" << t.k << "/" << t.l1_k << " " << t.l0_buffers << "-" << t.l1_buffers << "-"
       << t.c_buffers;
  return text.text;
}

/// Calls `cell(column, text)` for every figure of a kernel, or of all kernels if there is none.
template <class Cell>
void visit_figures(const profile_entry* kernel, const chip& on, const kernel_figures& f, const Cell& cell) {
  const auto word = [&](const char* column, std::string_view text) { cell(column, text); };
  const auto number = [&](const char* column, double value) {
    std::string text;
    mezzo::detail::put_number(text, value);
    cell(column, std::string_view(text));
  };
  const auto whole = [&](const char* column, std::size_t value) { number(column, static_cast<double>(value)); };
  const auto known = [&](const char* column, const figure& value) {
    if (value.known)
      number(column, value.value);
    else
      word(column, "");
  };
  const auto of_pipe = [&](pipe p) {
    const double time = f.time[static_cast<std::size_t>(p)];
    number((std::string(name_of(p)) + "_time(us)").c_str(), time);
    number((std::string(name_of(p)) + "_ratio").c_str(), f.ratio(time));
  };
  const bool product = kernel != nullptr && kernel->on_cube;
  word("Name", kernel == nullptr ? "total" : kernel->name.text);
  word("Accelerator Core", kernel == nullptr ? "" : core_type(on, *kernel));
  word("Data Type", kernel == nullptr ? "" : type_of(*kernel));
  word("Output Data Type", product ? name_of(kernel->product.out) : "");
  word("Shape", kernel == nullptr ? "" : extents_of(*kernel).text);
  word("Tile", product ? tile_text(kernel->tile) : std::string());
  whole("Calls", f.calls);
  number("Task Duration(us)", f.task);
  whole("Block Dim", f.block_dim);
  whole("Mix Block Dim", f.mix_block_dim);
  number("aicore_time(us)", f.core);
  number("total_cycles", f.total_cycles);
  for (const pipe p : {pipe::cube, pipe::vector, pipe::mte1, pipe::mte2, pipe::mte3, pipe::fixpipe, pipe::scalar,
                       pipe::aiv_mte2, pipe::aiv_scalar})
    of_pipe(p);
  number("mac_fp16_ratio", f.mac_fp16_ratio());
  number("cube_fops", f.cube_fops());
  known("cube_utilization", f.cube_utilization());
  known("memory_bound", f.memory_bound());
  number("useful_flops", f.flops);
  number("vector_operations", f.vector_operations);
  number("operations_per_second", f.operations_a_second());
  known("padding_loss", f.padding_loss());
  known("FP16_EFFICIENCY", f.fp16_efficiency());
  number("bytes_in", f.bytes_in);
  number("bytes_out", f.bytes_out);
  number("hbm_bytes", f.hbm_bytes);
  number("bytes_saved_by_fusion", f.bytes_saved);
  number("time_saved_by_fusion(us)", f.time_saved);
}

/// The same for the figures that a person looks at first. `all`: task durations of the whole profile.
template <class Cell>
void visit_telling(const profile_entry* kernel, const kernel_figures& f, double all, const Cell& cell) {
  const auto put = [&](const char* column, const auto& how, auto... arguments) {
    std::string text;
    how(text, arguments...);
    cell(column, std::move(text));
  };
  const auto percent = [&](const char* column, const figure& share) {
    put(column, [&](std::string& text) {
      if (share.known) mezzo::detail::put_fixed(text, 100 * share.value, share.value < 0.0995 ? 1 : 0);
    });
  };
  const auto scaled = [&](const char* column, double value) { put(column, mezzo::detail::put_scaled, value); };
  const auto fixed = [&](const char* column, double value) { put(column, mezzo::detail::put_fixed, value, 2); };
  const auto ratio = [&](const char* column, double time) { percent(column, {f.ratio(time), time > 0}); };

  put("kernel", [&](std::string& text) {
    mezzo::detail::put_name(text, kernel == nullptr ? "total" : kernel->name.text, 28);
  });
  put("operands", [&](std::string& text) {
    if (kernel != nullptr) text = std::string(type_of(*kernel)) + " " + extents_of(*kernel).text;
  });
  put("calls", [&](std::string& text) { text = (sentence() << f.calls).text(); });
  fixed("us/call", f.calls == 0 ? 0 : f.task / static_cast<double>(f.calls));
  scaled("us", f.task);
  percent("time%", {all > 0 ? f.task / all : 0, true});
  scaled("cores", static_cast<double>(f.block_dim));
  ratio("mac", f.time[static_cast<std::size_t>(pipe::cube)]);
  ratio("vec", f.time[static_cast<std::size_t>(pipe::vector)]);
  ratio("mte1", f.time[static_cast<std::size_t>(pipe::mte1)]);
  ratio("mte2", f.mte2);
  ratio("mte3", f.time[static_cast<std::size_t>(pipe::mte3)]);
  ratio("fixp", f.time[static_cast<std::size_t>(pipe::fixpipe)]);
  ratio("scal", f.scalar);
  put("bound", [&](std::string& text) {
    if (f.memory_bound().known) mezzo::detail::put_scaled(text, f.memory_bound().value);
  });
  percent("eff%", f.fp16_efficiency());
  percent("pad%", f.padding_loss());
  scaled("op/s", f.operations_a_second());
  scaled("B in", f.bytes_in);
  scaled("B out", f.bytes_out);
  scaled("saved", f.bytes_saved);
}

/// Calls `row(entry, figures)` for every kernel in the order in which they first ran, and at last for all of them.
template <class Row>
void visit_rows(const chip& on, const profile& kernels, const kernel_figures& total, const Row& row) {
  for (std::size_t i = 0; i < kernels.size(); ++i) row(&kernels[i], figures_of(on, kernels[i]));
  row(nullptr, total);
}

}  // namespace detail

/// Every figure of every kernel, and of all together in the last line, with a line of names first (RFC 4180). Times,
/// cycles, operations and bytes are those of all calls; ratios and shares are fractions of 1.
[[nodiscard]] inline std::string kernel_csv(const chip& on, const profile& kernels) {
  std::string text;
  bool first = true;
  const auto field = [&](std::string_view content) {
    if (!first) text += ',';
    first = false;
    mezzo::detail::put_csv(text, content);
  };
  const auto line = [&](const auto& fill) {
    first = true;
    fill();
    text += "\r\n";
  };
  const kernel_figures total = total_figures(on, kernels);
  line([&] { detail::visit_figures(nullptr, on, total, [&](const char* name, std::string_view) { field(name); }); });
  detail::visit_rows(on, kernels, total, [&](const profile_entry* kernel, const kernel_figures& f) {
    line([&] {
      detail::visit_figures(kernel, on, f, [&](const char*, std::string_view value) { field(value); });
    });
  });
  return text;
}

/// A table of some 155 columns. `us` is microseconds, `B` bytes, `saved` bytes by fusion, of all calls; `cores` the
/// most at a time; mac to scal are percents of the cores' time, mte2 and scal of the cube cores or of the vector cores,
/// whichever have more; `bound` is memory_bound, above 1 where memory holds the units up; `eff` is FP16_EFFICIENCY;
/// `pad` the part of the cube's work that is padding; `op/s` useful operations a second.
[[nodiscard]] inline std::string kernel_table(const chip& on, const profile& kernels) {
  const kernel_figures total = total_figures(on, kernels);
  std::vector<std::vector<std::string>> rows(1);
  detail::visit_telling(nullptr, total, 0, [&](const char* name, std::string) { rows[0].push_back(name); });
  detail::visit_rows(on, kernels, total, [&](const profile_entry* kernel, const kernel_figures& f) {
    rows.emplace_back();
    detail::visit_telling(kernel, f, total.task, [&](const char*, std::string cell) {
      rows.back().push_back(std::move(cell));
    });
  });
  std::string text;
  mezzo::detail::put_columns(text, rows, 2);
  return text;
}

/// What the profile warns of, a sentence a line, each with the operation that it is about; empty if there is nothing.
[[nodiscard]] inline std::string warning_text(const profile& kernels) {
  std::string text;
  for (std::size_t i = 0; i < kernels.warnings(); ++i) {
    const warning& w = kernels.warned(i);
    std::string operation;
    mezzo::detail::put_name(operation, w.operation.text);
    text += "mezzo::npu: " + operation;
    switch (w.what) {
      case hazard::vanishing_constant:
        text += ": a number of the program must be a normal one in the type of the instruction that takes it; given "
                "one that is 0 or subnormal there; scale it, or keep<float, op::" +
                operation + "> in the policy";
        break;
      case hazard::overflowing_constant:
        text += ": a number of the program must be finite in the type of the instruction that takes it; given one that "
                "is infinite there; scale it, or keep<float, op::" +
                operation + "> in the policy";
        break;
      case hazard::reciprocal:
        text += ": a quotient must be a division, as the reciprocal of the chips is coarse; given a product with a "
                "reciprocal; write a / b for a * (1 / b)";
        break;
      case hazard::hidden_overflow:
        text += ": whether results overflowed must be read from the status flag where they saturate; given values that "
                "were asked whether they are finite, which they always are; call clear_overflow() before and "
                "overflow() after, as mezzo::trainer does";
        break;
    }
    text += '\n';
  }
  return text;
}

/// The same of what a model has run.
template <const chip& Chip>
[[nodiscard]] std::string kernel_csv(const model<Chip>& on) {
  return kernel_csv(Chip, on.profile);
}
template <const chip& Chip>
[[nodiscard]] std::string kernel_table(const model<Chip>& on) {
  return kernel_table(Chip, on.profile);
}
template <const chip& Chip>
[[nodiscard]] std::string warning_text(const model<Chip>& on) {
  return warning_text(on.profile);
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
