// SPDX-License-Identifier: MIT
//
// What a kernel learns about the gradients it writes, while they are still in the cache: whether all are finite, by
// their bits, and the sum of their squares. So a step knows whether it may run, and by what to clip, before the
// optimizer reads the first gradient.
#pragma once

#include <mezzo/number/convert.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// What is asked of written gradients.
enum class inspection { nothing, finite, finite_and_norm };

/// Answer for some of the elements.
struct tally {
  bool non_finite = false;
  double squares = 0;

  constexpr tally& operator+=(const tally& other) {
    non_finite = non_finite || other.non_finite;
    squares += other.squares;
    return *this;
  }

  /// What is stored where `value` is the rounded result: that, as IEEE 754 has it. A backend whose arithmetic ends
  /// otherwise, in saturation, hands kernels a type derived from this one.
  template <class T>
  MEZZO_INLINE static constexpr T settled(T value) {
    return value;
  }
  /// A number of the program as an operation with results of type `T` takes it.
  template <class T>
  MEZZO_INLINE static constexpr float number(float value) {
    return value;
  }
  /// The same as `settled` for results in memory.
  template <class T>
  MEZZO_INLINE static constexpr void settle_run(T*, std::size_t) {}
};

namespace detail {

/// Looks at the elements [first, first + size). Squares are added in eight interleaved sums, so that the result depends
/// neither on the instruction set nor on threads. Not copied into every kernel: it is called for a whole run at a time.
template <real T>
MEZZO_LOOPS MEZZO_OUTLINE constexpr void inspect_run(bool norm, const T* first, std::size_t size, tally& sum) {
  unsigned bad = 0;
  for (std::size_t i = 0; i < size; ++i) bad |= static_cast<unsigned>(non_finite(first[i]));
  sum.non_finite = sum.non_finite || bad != 0;
  if (!norm) return;
  constexpr std::size_t lanes = 8;
  double squares[lanes]{};
  const std::size_t whole = size / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double x = convert<double>(first[i + l]);
      squares[l] += x * x;
    }
  for (std::size_t i = whole; i < size; ++i) {
    const double x = convert<double>(first[i]);
    squares[i - whole] += x * x;
  }
  for (std::size_t l = 0; l < lanes; ++l) sum.squares += squares[l];
}

}  // namespace detail

/// Adds what is asked of the elements [first, first + size) to `sum`.
template <real T>
MEZZO_INLINE constexpr void inspect(inspection what, const T* first, std::size_t size, tally& sum) {
  if (what != inspection::nothing) detail::inspect_run(what == inspection::finite_and_norm, first, size, sum);
}

}  // namespace mezzo::inline MEZZO_ABI
