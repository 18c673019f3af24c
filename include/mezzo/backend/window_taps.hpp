// SPDX-License-Identifier: MIT
//
// Windows that are `step` apart as windows of step 1: along an axis, tap t of place i reads position
// step·(i + shift(t)) + phase(t) of the input. Taps of one phase are neighbours in the part of the input that has this
// phase, and one part of the gradient by data is fed by them alone.
#pragma once

#include <mezzo/backend/runs.hpp>

#include <cstddef>  // size_t, ptrdiff_t

namespace mezzo::inline MEZZO_ABI {

/// One axis of a window that begins `before` positions ahead of its place.
struct window_axis {
  std::size_t taps, step, before;

  [[nodiscard]] constexpr std::size_t phase(std::size_t tap) const { return (tap + before * (step - 1)) % step; }
  [[nodiscard]] constexpr std::ptrdiff_t shift(std::size_t tap) const {
    // tap − before, divided by the step and rounded down
    return static_cast<std::ptrdiff_t>((tap + before * (step - 1)) / step) - static_cast<std::ptrdiff_t>(before);
  }
  [[nodiscard]] constexpr std::ptrdiff_t least() const { return shift(0); }
  [[nodiscard]] constexpr std::ptrdiff_t most() const { return shift(taps == 0 ? 0 : taps - 1); }
  [[nodiscard]] constexpr std::size_t taps_of(std::size_t some_phase) const {
    std::size_t count = 0;
    for (std::size_t t = 0; t < taps; ++t) count += phase(t) == some_phase;
    return count;
  }
  /// Places between the first and the last that one place of the result reads.
  [[nodiscard]] constexpr std::size_t reach() const { return static_cast<std::size_t>(most() - least()); }
};

/// A tap: where it reads in planes with their margins, and its number in the window.
struct window_tap {
  std::size_t offset, index;
};

/// A block of a result: `rows` of `columns`, read from lines that are `line` apart.
struct block_shape {
  std::size_t rows, columns, line;
};

namespace detail {

/// Which places of a line of `count` exist in a row of `size` positions, of which those of one phase are taken, if
/// place 0 stands for element `low` of them: [from, to), the first being position `first`.
struct row_part {
  std::size_t from, to, first;

  constexpr row_part(std::size_t size, std::size_t step, std::size_t phase, std::ptrdiff_t low, std::size_t count) {
    const std::size_t there = step == 1 ? size : phase < size ? (size - phase + step - 1) / step : 0;
    const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(there) - low;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count);
    from = static_cast<std::size_t>(low >= 0 ? 0 : -low < last ? -low : last);
    to = end <= static_cast<std::ptrdiff_t>(from) ? from : static_cast<std::size_t>(end < last ? end : last);
    first = from == to ? 0 : static_cast<std::size_t>(static_cast<std::ptrdiff_t>(from) + low) * step + phase;
  }
};

/// Elements of the longest vector: what writes whole vectors writes up to as many past the end.
inline constexpr std::size_t run_slack = 16;

/// `count` zeros, and up to `run_slack` where there are fewer: a call to fill a margin of one or two elements would
/// cost more than the row beside it.
template <class A>
MEZZO_INLINE constexpr void put_zeros(A* to, std::size_t count) {
  for (std::size_t i = 0; i < run_slack; ++i) to[i] = A{};
  if (count > run_slack)
    for (std::size_t i = run_slack; i < count; ++i) to[i] = A{};
}

/// out[i] = in[i · step]; a step of 2 is worth vectors.
template <class A>
MEZZO_INLINE constexpr void take_every(std::size_t step, const A* in, std::size_t count, A* out) {
  if (step == 2) {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = in[2 * i];
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = in[i * step];
  }
}
/// Puts `step` lines, `distance` apart, between one another: a row of `size`.
template <class A>
MEZZO_INLINE constexpr void interleave(std::size_t step, const A* lines, std::size_t distance, std::size_t size,
                                       A* out) {
  if (step == 2) {
    const A* const odd = lines + distance;
    for (std::size_t i = 0; i < size / 2; ++i) {
      out[2 * i] = lines[i];
      out[2 * i + 1] = odd[i];
    }
    if (size % 2 == 1) out[size - 1] = lines[size / 2];
  } else {
    for (std::size_t phase = 0; phase < step; ++phase)
      for (std::size_t i = 0; i * step + phase < size; ++i) out[i * step + phase] = lines[phase * distance + i];
  }
}

/// Copies a row of `size` positions to `step` lines of `count` places, one for each phase, `distance` apart: zeros
/// where there is nothing, and up to `run_slack` past the end. `row` is null for a row outside of the input;
/// `whole` holds a row meanwhile.
template <class Precision, class T, class A>
MEZZO_INLINE constexpr void copy_row(const T* row, std::size_t size, std::size_t step, std::ptrdiff_t low,
                                     std::size_t count, std::size_t distance, A* out, A* whole) {
  if (row != nullptr && step > 1) read_run<Precision>(row, whole, size);
  for (std::size_t phase = 0; phase < step; ++phase) {
    A* const line = out + phase * distance;
    const row_part there(row == nullptr ? 0 : size, step, phase, low, count);
    put_zeros(line, there.from);
    const std::size_t run = there.to - there.from;
    if (step > 1)
      take_every(step, whole + there.first, run, line + there.from);
    else if (run > 0)
      read_run<Precision>(row + there.first, line + there.from, run);
    put_zeros(line + there.to, count - there.to);
  }
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
