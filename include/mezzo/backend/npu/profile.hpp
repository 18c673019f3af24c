// SPDX-License-Identifier: MIT
//
// What a model has run, kernel by kernel: each kind is planned and costed once, when it first runs, and counted after
// that. Beside it what practice warns of, each once.
#pragma once

#include <mezzo/backend/npu/cost.hpp>
#include <mezzo/backend/work.hpp>
#include <mezzo/tensor/tensor.hpp>

#include <cstddef>  // size_t
#include <utility>  // move, swap

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Kernels of one name, with the same sizes and types.
struct profile_entry {
  short_name name;
  bool on_cube = false;
  product_task product{};     // if on_cube
  tiles tile{};               // the same
  vector_task vector{};       // else
  options how{};
  std::size_t calls = 0;
  kernel_cost each{};         // of one call
  kernel_cost apart{};        // the same without fusion: a kernel for each operation

  /// Multiplications and additions of one call with those on padding: whole steps of the cube.
  [[nodiscard]] constexpr double padded_flops(const chip& on) const {
    if (!on_cube) return each.flops;
    const cube_step& s = on.step(product.in);
    const auto padded = [](std::size_t size, std::size_t step) {
      return static_cast<double>(detail::round_up(size, step));
    };
    return 2.0 * static_cast<double>(product.batch * product.terms) * padded(product.m, s.m) * padded(product.n, s.n) *
           padded(product.k, s.k);
  }
};

/// What the profile warns of.
enum class hazard {
  vanishing_constant,    ///< a number of the program is 0 or subnormal in the type of the instruction that takes it
  overflowing_constant,  ///< a number of the program is infinite there
  reciprocal,            ///< 1/x multiplied on: the chips' reciprocal is coarse, their division is not
  hidden_overflow,       ///< values were asked whether they are finite, where they saturate
};
struct warning {
  hazard what;
  short_name operation;
};

namespace detail {

/// Counts a call of the entry that `is` one; its place, or `size` if there is none.
template <class Is>
constexpr std::size_t count_call(heap_array<profile_entry>& entries, std::size_t size, const Is& is) {
  std::size_t i = 0;
  while (i < size && !is(entries[i])) ++i;
  if (i < size) ++entries[i].calls;
  return i;
}
template <class T>
constexpr void make_room(heap_array<T>& values, std::size_t used) {
  if (used < values.size()) return;
  heap_array<T> more(used == 0 ? 16 : 2 * used);
  for (std::size_t i = 0; i < used; ++i) more[i] = values[i];
  values = std::move(more);
}

}  // namespace detail

/// Entries in the order in which they first ran. Recording allocates only what is new.
class profile {
 public:
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr const profile_entry& operator[](std::size_t i) const { return entries_[i]; }
  [[nodiscard]] constexpr std::size_t warnings() const { return warned_; }
  [[nodiscard]] constexpr const warning& warned(std::size_t i) const { return warnings_[i]; }

  /// Costs of everything that ran.
  [[nodiscard]] constexpr kernel_cost total() const { return sum(&profile_entry::each); }
  /// The same without fusion.
  [[nodiscard]] constexpr kernel_cost total_apart() const { return sum(&profile_entry::apart); }

  constexpr void clear() { size_ = warned_ = 0; }

  /// The tile of a product, which is planned if it is new; `apart(plan)` is then what it costs without fusion.
  template <class Apart>
  constexpr tiles product(const chip& on, const short_name& name, const product_task& task, const tiles& given,
                          const options& how, const Apart& apart) {
    const std::size_t known = detail::count_call(entries_, size_, [&](const profile_entry& e) {
      return e.on_cube && same(e.name, name) && same(e.product, task) && e.how == how &&
             (given == tiles{} || e.tile == given);
    });
    if (known != size_) return entries_[known].tile;
    const product_plan plan = given == tiles{} ? plan_product(on, task, how) : plan_product(on, task, given);
    profile_entry entry{
        .name = name, .on_cube = true, .product = task, .tile = plan.tile, .how = how, .calls = 1};
    entry.each = cost_product(on, task, plan, how);
    entry.apart = apart(plan);
    add(entry);
    return plan.tile;
  }
  /// The same of a task alone, which without fusion is what `cost_product` makes of it.
  constexpr tiles product(const chip& on, const short_name& name, const product_task& task, const tiles& given,
                          const options& how) {
    options split = how;
    split.fusion = false;
    return product(on, name, task, given, how,
                   [&](const product_plan& plan) { return cost_product(on, task, plan, split); });
  }
  constexpr void vector(const chip& on, const short_name& name, const vector_task& task, const kernel_cost& apart,
                        const options& how) {
    const auto same_task = [&](const profile_entry& e) {
      return !e.on_cube && same(e.name, name) && same(e.vector, task) && e.how == how;
    };
    if (detail::count_call(entries_, size_, same_task) != size_) return;
    profile_entry entry{.name = name, .vector = task, .how = how, .calls = 1};
    entry.each = cost_vector(on, task, how);
    entry.apart = apart;
    add(entry);
  }
  constexpr void warn(hazard what, const short_name& operation) {
    for (std::size_t i = 0; i < warned_; ++i)
      if (warnings_[i].what == what && same(warnings_[i].operation, operation)) return;
    detail::make_room(warnings_, warned_);
    warnings_[warned_++] = {what, operation};
  }

  /// Whether a kernel of these sizes was costed.
  [[nodiscard]] constexpr bool knows(const short_name& name, const vector_task& task, const options& how) const {
    for (std::size_t i = 0; i < size_; ++i)
      if (!entries_[i].on_cube && same(entries_[i].name, name) && same(entries_[i].vector, task) &&
          entries_[i].how == how)
        return true;
    return false;
  }

 private:
  [[nodiscard]] constexpr kernel_cost sum(kernel_cost profile_entry::*which) const {
    kernel_cost all{};
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t call = 0; call < entries_[i].calls; ++call) all += entries_[i].*which;
    return all;
  }
  constexpr void add(const profile_entry& entry) {
    detail::make_room(entries_, size_);
    entries_[size_++] = entry;
  }
  static constexpr bool same(const short_name& a, const short_name& b) {
    for (std::size_t i = 0; i < sizeof(a.text); ++i)
      if (a.text[i] != b.text[i]) return false;
    return true;
  }
  static constexpr bool same(const product_task& a, const product_task& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k && a.batch == b.batch && a.in == b.in && a.out == b.out &&
           a.left_transposed == b.left_transposed && a.right_transposed == b.right_transposed &&
           a.terms == b.terms && a.taps == b.taps && a.asked_k == b.asked_k;
  }
  static constexpr bool same(const vector_task& a, const vector_task& b) {
    return a.elements == b.elements && a.type == b.type && a.bytes_in == b.bytes_in && a.bytes_out == b.bytes_out &&
           a.operands == b.operands;
  }

  heap_array<profile_entry> entries_;
  heap_array<warning> warnings_;
  std::size_t size_ = 0, warned_ = 0;
};

/// Kernels of a group, which a profile takes as one of each kind when the group ends.
class launches {
 public:
  /// `log` is empty until the end.
  constexpr void begin(profile& log) {
    if (depth_++ == 0) std::swap(log, before_);
  }
  constexpr void end(const chip& on, profile& log, const options& how) {
    if (--depth_ != 0) return;
    std::swap(log, before_);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const profile_entry& e = before_[i];
      if (e.on_cube) {
        product_task all = e.product;
        all.batch *= e.calls;
        static_cast<void>(log.product(on, e.name, all, e.tile, how, [&](const product_plan& plan) {
          return cost_product(on, detail::bare_product(all), plan, how);
        }));
      } else {
        vector_task all = e.vector;
        all.elements *= e.calls;
        all.bytes_in *= e.calls;
        all.bytes_out *= e.calls;
        log.vector(on, e.name, all, cost_vector(on, all, how), how);
      }
    }
    for (std::size_t i = 0; i < before_.warnings(); ++i) log.warn(before_.warned(i).what, before_.warned(i).operation);
    before_.clear();
  }

 private:
  profile before_;
  std::size_t depth_ = 0;
};

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
