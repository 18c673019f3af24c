// SPDX-License-Identifier: MIT
//
// What becomes of results that are infinite or NaN, and the status flag that remembers them. In saturation mode the
// data looks finite, so that only the flag shows an overflow; it is sticky, and whatever runs between clearing and
// reading it may have raised it.
#pragma once

#include <mezzo/backend/tally.hpp>
#include <mezzo/expr/region.hpp>
#include <mezzo/number/settle.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// INF/NAN mode keeps infinities and NaNs; saturation mode stores ±the largest number and +0 in their place, in 16-bit
/// types only.
enum class overflow_mode { infinity, saturation };

/// The sticky status flag, and whether the program has ever cleared it, so that it knows of it.
struct status_register {
  bool raised = false;
  bool watched = false;
};

/// What a kernel learns on the chip, and how its results end there.
struct observed : tally {
  overflow_mode mode;
  bool raised = false;  ///< an infinite or NaN result was seen

  constexpr explicit observed(overflow_mode of) : mode(of) {}

  template <class T>
  MEZZO_INLINE constexpr T settled(T value) {
    if constexpr (low_precision<T>) {
      // What is rounded already stays as it is.
      const T stored = mezzo::settled<T>(convert<float>(value), raised);
      return mode == overflow_mode::saturation ? stored : value;
    } else {
      if constexpr (real<T>) raised = raised || mezzo::non_finite(value);
      return value;
    }
  }
  /// A number of `T` that a fused loop carries as float32.
  template <class T>
  MEZZO_INLINE constexpr exact<T> settled(exact<T> value) {
    const T stored = mezzo::settled<T>(value.value, raised);
    return mode == overflow_mode::saturation ? exact<T>{convert<float>(stored)} : value;
  }
  /// An instruction on 16-bit lanes takes a number of 16 bits.
  template <class T>
  MEZZO_INLINE static constexpr float number(float value) {
    if constexpr (low_precision<T>)
      return convert<float>(convert<T>(value));
    else
      return value;
  }
  template <class T>
  MEZZO_INLINE constexpr void settle_run(T* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = settled(out[i]);
  }
};

}  // namespace npu

}  // namespace mezzo::inline MEZZO_ABI
