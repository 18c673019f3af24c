// SPDX-License-Identifier: MIT
//
// Where a kernel delivers its results: runs of accumulators at row-major positions. A sink rounds once and stores, adds
// to a gradient that has other parts, or runs the fused loop that follows a product.
#pragma once

#include <mezzo/backend/runs.hpp>
#include <mezzo/backend/tally.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Stores results as `T`, and inspects what it stored.
template <class T>
struct store_sink {
  T* data = nullptr;
  inspection what = inspection::nothing;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, tally& sum) const {
    T* const out = data + position;
    store_run(values, out, count);
    inspect(what, out, count, sum);
  }
};

/// Adds results to sums of type `T`.
template <class T>
struct add_sink {
  T* data = nullptr;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, tally&) const {
    T* const out = data + position;
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] += convert<T>(values[i]);
  }
};

/// Delivers to a part of a result, which begins at position `first`.
template <class Sink>
struct part_sink {
  Sink sink;
  std::size_t first;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, tally& sum) const {
    sink(first + position, count, values, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
