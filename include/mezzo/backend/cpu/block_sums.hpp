// SPDX-License-Identifier: MIT
//
// Sums over runs in vectors: what a convolution of single channels spends its time in, compiled once for an element
// type and never with a kernel that calls it.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>
#include <mezzo/backend/window_taps.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// out[y·columns + x] = Σ_t weights[t] · source[taps[t].offset + y·line + x].
template <class A>
struct correlate_block {
  const A* source;
  const window_tap* taps;
  std::size_t tap_count;
  const A* weights;
  block_shape of;
  A* out;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
#if defined(__GNUC__) || defined(__clang__)
    std::size_t y = 0;
    for (; y + 4 <= of.rows; y += 4) rows<Isa, 4>(y);
    for (; y < of.rows; ++y) rows<Isa, 1>(y);
#else
    for (std::size_t y = 0; y < of.rows; ++y)
      for (std::size_t x = 0; x < of.columns; ++x) {
        A sum = 0;
        for (std::size_t t = 0; t < tap_count; ++t) sum += weights[t] * source[taps[t].offset + y * of.line + x];
        out[y * of.columns + x] = sum;
      }
#endif
  }

 private:
#if defined(__GNUC__) || defined(__clang__)
  /// What is written past the end of a row is the beginning of the next one: that is written later, from the last strip
  /// to the first.
  template <isa Isa, std::size_t Rows>
  MEZZO_INLINE void rows(std::size_t y) const {
    constexpr std::size_t width = vector_units<Isa, A>;
    std::size_t x = (of.columns + width - 1) / width * width;
    if (x / width % 2 == 1) strip<Isa, Rows, 1>(y, x -= width);
    while (x > 0) strip<Isa, Rows, 2>(y, x -= 2 * width);
  }
  template <isa Isa, std::size_t Rows, std::size_t Vectors>
  MEZZO_INLINE void strip(std::size_t y, std::size_t x) const {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    constexpr std::size_t width = vector_units<Isa, A>;
    using vector = typename vector_of<A, product_tile<Isa>::bytes>::type;
    using unaligned = typename vector_of<A, product_tile<Isa>::bytes>::unaligned;
    vector sum[Rows][Vectors];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] = vector{};
    const A* const place = source + y * of.line + x;
    for (std::size_t t = 0; t < tap_count; ++t) {
      const A* const from = place + taps[t].offset;
#pragma GCC unroll 4
      for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < Vectors; ++v)
          sum[r][v] += weights[t] * *reinterpret_cast<const unaligned*>(from + r * of.line + v * width);
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v)
        *reinterpret_cast<unaligned*>(out + (y + r) * of.columns + x + v * width) = sum[r][v];
  }
#endif
};

/// sums[t] += Σ_x g[x] · source[taps[t].offset + x].
template <class A>
struct dot_block {
  const A* source;
  const window_tap* taps;
  std::size_t tap_count;
  const A* g;
  std::size_t count;
  A* sums;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    std::size_t t = 0;
    for (; t + 8 <= tap_count; t += 8) some<Isa, 8>(t);
    for (; t + 3 <= tap_count; t += 3) some<Isa, 3>(t);
    for (; t < tap_count; ++t) some<Isa, 1>(t);
  }

 private:
  template <isa Isa, std::size_t Taps>
  MEZZO_INLINE void some(std::size_t first) const {
#if defined(__GNUC__) || defined(__clang__)
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    constexpr std::size_t width = vector_units<Isa, A>;
    using vector = typename vector_of<A, product_tile<Isa>::bytes>::type;
    using unaligned = typename vector_of<A, product_tile<Isa>::bytes>::unaligned;
    vector sum[Taps];
    const A* from[Taps];
#pragma GCC unroll 8
    for (std::size_t t = 0; t < Taps; ++t) {
      sum[t] = vector{};
      from[t] = source + taps[first + t].offset;
    }
    for (std::size_t x = 0; x < count; x += width) {
      const vector factor = *reinterpret_cast<const unaligned*>(g + x);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < Taps; ++t) sum[t] += factor * *reinterpret_cast<const unaligned*>(from[t] + x);
    }
#pragma GCC unroll 8
    for (std::size_t t = 0; t < Taps; ++t) {
      A total = 0;
      for (std::size_t i = 0; i < width; ++i) total += sum[t][i];
      sums[first + t] += total;
    }
#else
    for (std::size_t t = first; t < first + Taps; ++t) {
      A total = 0;
      for (std::size_t x = 0; x < count; ++x) total += g[x] * source[taps[t].offset + x];
      sums[t] += total;
    }
#endif
  }
};

/// Sums over blocks on an instruction set.
struct vector_sums {
  isa level;

  template <class A>
  void correlate(const A* source, const window_tap* taps, std::size_t tap_count, const A* weights,
                 const block_shape& of, A* out) const {
    call_contracted(level, correlate_block<A>{source, taps, tap_count, weights, of, out});
  }
  template <class A>
  void dots(const A* source, const window_tap* taps, std::size_t tap_count, const A* g, std::size_t count,
            A* sums) const {
    call_contracted(level, dot_block<A>{source, taps, tap_count, g, count, sums});
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
