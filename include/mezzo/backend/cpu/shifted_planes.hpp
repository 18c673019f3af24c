// SPDX-License-Identifier: MIT
//
// Planes with margins of zeros, in which the row of patches that belongs to one tap is the plane itself, shifted.
// Windows that are more than 1 apart read planes that are split into phases; the gradient by data of such windows comes
// in phases, each with taps of its own.
#pragma once

#include <mezzo/backend/cpu/panels.hpp>
#include <mezzo/backend/patch_operand.hpp>
#include <mezzo/backend/window_taps.hpp>

#include <cstddef>  // size_t, ptrdiff_t
#include <cstdint>  // uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// How planes lie with their margins: neighbouring rows share one.
struct shifted_layout {
  static constexpr std::size_t most_columns = 576;             // of a block of results, margins included
  static constexpr std::size_t most_sums = 256 * most_columns;  // of a block in all phases

  std::size_t planes, height, width;  // of the source
  window_axis down, across;
  std::size_t step;
  bool gradient;                        // the source is not split, the result is
  std::size_t rows, columns;            // of the result, or of each of its phases
  std::size_t result_height, result_width;
  std::ptrdiff_t above, before;         // first row and column, of one phase, that a block's first place reads
  std::size_t line = 0;                 // distance of rows
  std::size_t block = 1;                // rows of the result that are computed at once
  std::size_t lines = 0;                // that they read
  std::size_t plane = 0;                // distance of planes, or of their phases

  /// `results`: planes of the result.
  template <class Precision, class T, bool Gradient, std::size_t Step>
  shifted_layout(const patch_operand<Precision, T, Gradient, Step>& p, std::size_t results)
      : planes(p.planes()), height(p.plane_height()), width(p.plane_width()),
        down{p.shape.kernel_height, p.shape.step, p.shape.before_rows},
        across{p.shape.kernel_width, p.shape.step, p.shape.before_columns}, step(p.shape.step), gradient(Gradient),
        rows(Gradient ? (p.shape.height + step - 1) / step : p.shape.rows),
        columns(Gradient ? (p.shape.width + step - 1) / step : p.shape.columns), result_height(p.result_height()),
        result_width(p.result_width()), above(Gradient ? -down.most() : down.least()),
        before(Gradient ? -across.most() : across.least()) {
    arrange(results);
  }

  [[nodiscard]] std::size_t phases() const { return gradient ? step * step : 1; }
  [[nodiscard]] std::size_t source_step() const { return gradient ? 1 : step; }
  [[nodiscard]] std::size_t window() const { return down.taps * across.taps; }
  [[nodiscard]] std::size_t blocks() const { return (rows + block - 1) / block; }
  [[nodiscard]] std::size_t run(std::size_t count) const { return (count - 1) * line + columns; }
  /// Distance of planes with all their phases.
  [[nodiscard]] std::size_t whole_plane() const { return source_step() * source_step() * plane; }
  [[nodiscard]] std::size_t taps_of(std::size_t phase) const {
    return gradient ? down.taps_of(phase / step) * across.taps_of(phase % step) : window();
  }

  /// The taps of all phases, one after another.
  void fill(window_tap* taps) const {
    for (std::size_t phase = 0; phase < phases(); ++phase)
      for (std::size_t r = 0; r < down.taps; ++r)
        for (std::size_t s = 0; s < across.taps; ++s) {
          const std::size_t index = r * across.taps + s;
          const std::size_t own = down.phase(r) * step + across.phase(s);
          if (!gradient)
            *taps++ = {own * plane + static_cast<std::size_t>(down.shift(r) - down.least()) * line +
                           static_cast<std::size_t>(across.shift(s) - across.least()),
                       index};
          else if (own == phase)
            *taps++ = {static_cast<std::size_t>(down.most() - down.shift(r)) * line +
                           static_cast<std::size_t>(across.most() - across.shift(s)),
                       index};
        }
  }

 private:
  void arrange(std::size_t results) {
    const std::size_t read = columns + across.reach();
    line = columns;
    for (std::size_t phase = 0; phase < source_step(); ++phase) {
      // Zeros that end one row begin the next: its elements start behind what this row reads.
      const row_part there(width, source_step(), phase, before, read);
      if (line < there.to) line = there.to;
      if (line < read - there.from) line = read - there.from;
    }
    std::size_t most = most_columns;
    if (phases() > 1 && most_sums / (phases() * (results == 0 ? 1 : results)) < most)
      most = most_sums / (phases() * results);
    if (most == 0) most = 1;
    const std::size_t count = (rows * line + most - 1) / most;
    block = count == 0 ? 1 : count > rows ? 1 : (rows + count - 1) / count;
    lines = block + down.reach();
    plane = lines * line + (read > line ? read - line : 0) + run_slack;
  }
};

/// A run where it lies, if it is what is asked for, else read into `some`.
template <class Precision, class T>
MEZZO_INLINE const bfloat16* run_as_bfloat16(const T* from, std::size_t count, bfloat16* some) {
  if constexpr (std::same_as<T, bfloat16> && std::same_as<entering_t<Precision, T>, bfloat16>) {
    return from;
  } else {
    read_run<Precision>(from, some, count);
    return some;
  }
}

/// Copies rows of a plane, or of two planes as pairs, into lines: see `copy_row`.
template <class Precision, class T, class A>
MEZZO_INLINE void copy_unit_row(const T* row, const T*, const shifted_layout& to, A* out, void* whole) {
  copy_row<Precision>(row, to.width, to.source_step(), to.before, to.line, to.plane, out, static_cast<A*>(whole));
}
template <class Precision, class T>
MEZZO_INLINE void copy_unit_row(const T* row, const T* next, const shifted_layout& to, bfloat16_pair* out,
                                void* whole) {
  bfloat16* const some = static_cast<bfloat16*>(whole);
  const bfloat16* const low = run_as_bfloat16<Precision>(row, row == nullptr ? 0 : to.width, some);
  const bfloat16* const high = run_as_bfloat16<Precision>(next, next == nullptr ? 0 : to.width, some + to.width);
  const std::size_t step = to.source_step();
  for (std::size_t phase = 0; phase < step; ++phase) {
    bfloat16_pair* const line = out + phase * to.plane;
    const row_part there(row == nullptr ? 0 : to.width, step, phase, to.before, to.line);
    put_zeros(line, there.from);
    const bfloat16* const even = low + there.first;
    const bfloat16* const odd = high + there.first;
    const std::size_t run = there.to - there.from;
    bfloat16_pair* const at = line + there.from;
    if (next == nullptr) {
      for (std::size_t i = 0; i < run; ++i) at[i] = join(even + i * step, static_cast<const bfloat16*>(nullptr), 0);
    } else if (step == 1) {
      for (std::size_t i = 0; i < run; ++i) at[i] = join(even, odd, i);
    } else {
      for (std::size_t i = 0; i < run; ++i) at[i] = join(even, odd, i * step);
    }
    put_zeros(line + there.to, to.line - there.to);
  }
}

/// Asks for a row of a plane that comes later: the rows of one plane are too few for the processor to foresee them.
template <class T>
MEZZO_INLINE void prefetch_run(const T* from, std::size_t count) {
#if defined(__GNUC__) || defined(__clang__)
  for (std::size_t i = 0; i < count * sizeof(T); i += 64) __builtin_prefetch(reinterpret_cast<const char*>(from) + i);
#else
  static_cast<void>(from);
  static_cast<void>(count);
#endif
}

/// Copies the rows that a block of results reads, with their margins.
template <class U, class Operand>
struct copy_planes {
  const Operand& operand;
  const shifted_layout& layout;
  std::size_t image, first;  // row of the result
  U* out;
  void* whole;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    constexpr std::size_t terms = unit<U>::terms, ahead = 2;
    const std::size_t step = layout.source_step();
    for (std::size_t p = 0; p < layout.planes; p += terms) {
      const auto* const from = operand.plane_of(image, p);
      const auto* const next = p + 1 < layout.planes ? operand.plane_of(image, p + 1) : nullptr;
      const auto* const later = operand.plane_of(image, p + ahead < layout.planes ? p + ahead : p);
      U* const to = out + p / terms * layout.whole_plane();
      for (std::size_t y = 0; y < layout.lines; ++y)
        for (std::size_t phase = 0; phase < step; ++phase) {
          const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(first + y) + layout.above;
          const std::size_t row = static_cast<std::size_t>(place) * step + phase;
          const bool inside = place >= 0 && row < layout.height;
          if (inside) prefetch_run(later + row * layout.width, layout.width);
          copy_unit_row<typename Operand::precision>(inside ? from + row * layout.width : nullptr,
                                                     inside && next != nullptr ? next + row * layout.width : nullptr,
                                                     layout, to + phase * step * layout.plane + y * layout.line, whole);
        }
      for (std::size_t n = 0; n < step * step; ++n)
        put_zeros(to + n * layout.plane + layout.lines * layout.line,
                  layout.plane - run_slack - layout.lines * layout.line + 1);  // and one for pairs of places
    }
  }
};

/// An operand's planes, without its type.
struct plane_source {
  const void* operand;
  void (*copy)(const void* operand, isa level, const shifted_layout& layout, std::size_t image, std::size_t first,
               void* out, void* whole);
};
template <class U, class Operand>
plane_source planes_of(const Operand& operand) {
  return {&operand, [](const void* of, isa level, const shifted_layout& layout, std::size_t image, std::size_t first,
                       void* out, void* whole) {
            call_with(level, copy_planes<U, Operand>{*static_cast<const Operand*>(of), layout, image, first,
                                                     static_cast<U*>(out), whole});
          }};
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
