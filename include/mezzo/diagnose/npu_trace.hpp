// SPDX-License-Identifier: MIT
//
// What the pipes of the AI Core do, as a trace for chrome://tracing or Perfetto: a process for each chip, a track for
// each pipe of the slowest core, the kernels of a profile one after another, each kind once. The trace event format is
// Google's: an array of complete events in microseconds, and the names of the tracks.
#pragma once

#include <mezzo/diagnose/npu_figures.hpp>
#include <mezzo/diagnose/report_text.hpp>

#include <cstddef>      // size_t
#include <string>       // string
#include <string_view>  // string_view

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// `chrome_trace().add(model).json()` is the text of a trace. Of each kernel at most `most` instructions are shown, the
/// first ones; an event on a track of notes tells how many are not.
class chrome_trace {
 public:
  constexpr explicit chrome_trace(std::size_t most = 2000) : most_(most) {}

  /// Adds a process with the kernels of a profile, which ran as `how` says. Without fusion only the product of an
  /// operation is shown instruction by instruction.
  chrome_trace& add(const chip& on, const profile& kernels, const options& how = {}, std::string_view label = {}) {
    ++process_;
    track_name("process_name", 0, label.empty() ? std::string_view(on.name) : label);
    track_name("thread_name", 0, "kernels");
    for (std::size_t p = 0; p < pipe_count; ++p) track_name("thread_name", 1 + p, name_of(static_cast<pipe>(p)));
    track_name("thread_name", notes, "notes");
    double begin = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const profile_entry& e = kernels[i];
      kernel_event(on, e, begin);
      instructions(on, e, how, begin);
      begin += e.each.microseconds;
    }
    return *this;
  }
  template <const chip& Chip>
  chrome_trace& add(const model<Chip>& on, std::string_view label = {}) {
    return add(Chip, on.profile, on.how, label);
  }

  [[nodiscard]] std::string json() const { return "[\n" + events_ + "\n]\n"; }

 private:
  static constexpr std::size_t notes = 1 + pipe_count;

  void open(std::string_view name, const char* phase, std::size_t track) {
    if (!events_.empty()) events_ += ",\n";
    events_ += "{\"name\":";
    mezzo::detail::put_json(events_, name);
    events_ += std::string(",\"ph\":\"") + phase + "\"";
    number("pid", process_);
    number("tid", track);
  }
  void number(const char* key, std::size_t value) {
    events_ += std::string(",\"") + key + "\":";
    mezzo::detail::put_number(events_, static_cast<unsigned long long>(value));
  }
  void text(const char* key, std::string_view value) {
    events_ += std::string(",\"") + key + "\":";
    mezzo::detail::put_json(events_, value);
  }
  /// In units of 0.1 ns, of which a cycle has several, so that what begins where another ends still does when rounded.
  void span(double begin, double end) {
    const auto first = static_cast<unsigned long long>(begin * 1e4 + 0.5);
    const auto last = static_cast<unsigned long long>(end * 1e4 + 0.5);
    events_ += ",\"ts\":";
    mezzo::detail::put_fixed(events_, static_cast<double>(first) * 1e-4, 4);
    events_ += ",\"dur\":";
    mezzo::detail::put_fixed(events_, static_cast<double>(last - first) * 1e-4, 4);
  }
  void track_name(const char* what, std::size_t track, std::string_view name) {
    open(what, "M", track);
    events_ += ",\"args\":{\"name\":";
    mezzo::detail::put_json(events_, name);
    events_ += "}}";
  }

  void kernel_event(const chip& on, const profile_entry& e, double begin) {
    const kernel_figures f = figures_of(on, e);
    open(e.name.text, "X", 0);
    text("cat", core_type(on, e));
    span(begin, begin + e.each.microseconds);
    events_ += ",\"args\":{\"shape\":";
    mezzo::detail::put_json(events_, extents_of(e).text);
    text("type", type_of(e));
    number("calls", e.calls);
    number("cores", f.block_dim);
    number("bytes_in", static_cast<std::size_t>(e.each.bytes_in));
    number("bytes_out", static_cast<std::size_t>(e.each.bytes_out));
    events_ += "}}";
  }

  /// Plans and simulates a kernel once more to see its intervals.
  void instructions(const chip& on, const profile_entry& e, const options& how, double begin) {
    const pipe issues = e.on_cube || on.combined ? pipe::scalar : pipe::aiv_scalar;
    const double launched = begin + launch(on, e), origin = launched + on.microseconds(prologue(on, e));
    instruction("prologue", issues, launched, origin);
    std::size_t shown = 0, left = 0;
    double cut = origin;
    const auto show = [&](const interval& i) {
      if (i.end == i.begin) return;
      const double first = origin + on.microseconds(i.begin), last = origin + on.microseconds(i.end);
      if (shown < most_) {
        instruction(e.name.text, i.on, first, last);
        ++shown;
      } else if (left++ == 0) {
        cut = first;
      }
    };
    if (e.on_cube)
      static_cast<void>(cost_product(on, e.product, plan_product(on, e.product, e.tile), how, show));
    else
      static_cast<void>(cost_vector(on, e.vector, how, show));
    if (left == 0) return;
    open(std::string((sentence() << left).text()) + " more instructions", "X", notes);
    text("cat", "note");
    span(cut, begin + e.each.microseconds);
    events_ += '}';
  }
  /// Microseconds before the first core begins: of a vector kernel what its cycles leave; a product may have had others
  /// after it.
  [[nodiscard]] static constexpr double launch(const chip& on, const profile_entry& e) {
    if (e.on_cube) return launch_microseconds(on, plan_product(on, e.product, e.tile).cores);
    return e.each.microseconds - on.microseconds(e.each.total);
  }
  /// As cost_product and cost_vector have it.
  [[nodiscard]] static constexpr cycles prologue(const chip& on, const profile_entry& e) {
    return e.on_cube ? on.prologue
                     : on.vector_prologue + static_cast<cycles>(e.vector.operand_count()) * on.vector_operand;
  }
  void instruction(std::string_view name, pipe p, double begin, double end) {
    open(name, "X", 1 + static_cast<std::size_t>(p));
    text("cat", name_of(p));
    span(begin, end);
    events_ += '}';
  }

  std::size_t most_, process_ = 0;
  std::string events_;
};

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
