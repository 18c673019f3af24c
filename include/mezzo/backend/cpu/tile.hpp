// SPDX-License-Identifier: MIT
//
// The innermost loop of a matrix product: a tile of the result is kept in registers while packed operands stream past.
// Written in vector types, so that one definition serves every width; a multiply-add may round once or twice.
#pragma once

#include <mezzo/backend/cpu/isa.hpp>
#include <mezzo/base/vectors.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Two neighbours along k, the earlier in the low half: an operand of the bfloat16 dot product.
struct bfloat16_pair {
  std::uint32_t bits;
};

/// What is packed as `U`: elements of which type, how many in one unit, summed as what.
template <class U>
struct unit {
  using element = U;
  using sum = U;
  static constexpr std::size_t terms = 1;
};
template <>
struct unit<bfloat16_pair> {
  using element = bfloat16;
  using sum = float;
  static constexpr std::size_t terms = 2;
};

/// Vector bytes of an instruction set, and the tile: `rows` × `vectors` sums in flight hide the latency of a
/// multiply-add, and leave registers for the operands.
template <isa Isa>
struct product_tile {
  static constexpr std::size_t bytes = Isa >= isa::avx512 ? 64 : Isa == isa::avx2 ? 32 : 16;
  static constexpr std::size_t rows = Isa >= isa::avx512 ? 12 : 6;
  static constexpr std::size_t vectors = 2;
};
template <isa Isa, class U>
inline constexpr std::size_t vector_units = product_tile<Isa>::bytes / sizeof(U);

/// Layouts of the left operand: where the rows of a tile begin, where its row `r` lies from there, and the distance of
/// neighbours along k, in units. What is quick along rows stays in rows: packed, their distance is an odd number of
/// cache lines, so that rows do not compete for the same places of the cache.
inline constexpr std::size_t block_depth = 560;  // most terms of one block, in units
inline constexpr std::size_t block_rows = 96;    // most rows of one block
struct packed_rows {
  static constexpr std::size_t row = block_depth;
  static constexpr std::size_t depth = 1;
  MEZZO_INLINE static std::size_t begin(std::size_t first) { return first * row; }
  MEZZO_INLINE static std::size_t at(std::size_t, std::size_t r) { return r * row; }
};
struct rows_in_place {
  std::size_t row;
  static constexpr std::size_t depth = 1;
  MEZZO_INLINE std::size_t begin(std::size_t first) const { return first * row; }
  MEZZO_INLINE std::size_t at(std::size_t, std::size_t r) const { return r * row; }
};
struct left_columns {
  std::size_t depth;
  MEZZO_INLINE static std::size_t begin(std::size_t first) { return first; }
  MEZZO_INLINE static std::size_t at(std::size_t, std::size_t r) { return r; }
};
/// Any of these: where the processor is not one to make haste for.
struct any_rows {
  const std::uint32_t* offset;
  std::size_t row, depth;
  MEZZO_INLINE static std::size_t begin(std::size_t) { return 0; }
  MEZZO_INLINE std::size_t at(std::size_t first, std::size_t r) const {
    return offset != nullptr ? offset[first + r] : (first + r) * row;
  }
};
struct shifted_rows {
  const std::uint32_t* offset;
  static constexpr std::size_t depth = 1;
  MEZZO_INLINE static std::size_t begin(std::size_t) { return 0; }
  MEZZO_INLINE std::size_t at(std::size_t first, std::size_t r) const { return offset[first + r]; }
};

/// Lines of the right operand, one for each unit of depth: where they begin, and how panels follow one another. At
/// equal distances, or packed (0), or anywhere in memory, or any of these.
struct stepped_lines {
  std::size_t step;
  MEZZO_INLINE std::size_t operator[](std::size_t k) const { return k * step; }
  MEZZO_INLINE stepped_lines of_panel(std::size_t width) const { return {step == 0 ? width : step}; }
  MEZZO_INLINE std::size_t next_panel(std::size_t width, std::size_t depth) const {
    return step == 0 ? width * depth : width;
  }
};
struct shifted_lines {
  const std::uint32_t* offset;
  MEZZO_INLINE std::size_t operator[](std::size_t k) const { return offset[k]; }
  MEZZO_INLINE shifted_lines of_panel(std::size_t) const { return *this; }
  MEZZO_INLINE static std::size_t next_panel(std::size_t width, std::size_t) { return width; }
};
struct any_lines {
  shifted_lines shifted;
  stepped_lines stepped;
  MEZZO_INLINE std::size_t operator[](std::size_t k) const {
    return shifted.offset != nullptr ? shifted[k] : stepped[k];
  }
  MEZZO_INLINE any_lines of_panel(std::size_t width) const { return {shifted, stepped.of_panel(width)}; }
  MEZZO_INLINE std::size_t next_panel(std::size_t width, std::size_t depth) const {
    return shifted.offset != nullptr ? width : stepped.next_panel(width, depth);
  }
};

#if defined(__GNUC__) || defined(__clang__)
/// Keeps the compiler from carrying an address for each row of a tile from one tile to the next: there are not enough
/// registers for that.
template <class T>
MEZZO_INLINE T opaque(T value) {
  __asm__("" : "+r"(value));
  return value;
}

/// c (Rows × Vectors, rows `stride` apart) = or += a · b over `depth` units: rows of `a` from `first` on lie as `Left`
/// says, `b` has `Vectors` vectors for each unit, where `lines` says.
template <isa Isa, class Left, class Lines, std::size_t Rows, std::size_t Vectors, class U>
MEZZO_INLINE void multiply_tile(Left left, const U* a, std::size_t first, Lines lines, const U* b, std::size_t depth,
                                bool add, U* c, std::size_t stride) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  constexpr std::size_t width = vector_units<Isa, U>;
  using vector = typename vector_of<U, product_tile<Isa>::bytes>::type;
  using unaligned = typename vector_of<U, product_tile<Isa>::bytes>::unaligned;
  a += left.begin(first);
  vector sum[Rows][Vectors];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] = vector{};
  for (std::size_t k = 0; k < depth; ++k, a += left.depth) {
    vector right[Vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) right[v] = *reinterpret_cast<const unaligned*>(b + lines[k] + v * width);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] += a[left.at(first, r)] * right[v];
  }
  if (add) {
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v)
        sum[r][v] += *reinterpret_cast<const unaligned*>(c + r * stride + v * width);
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) *reinterpret_cast<unaligned*>(c + r * stride + v * width) = sum[r][v];
}

#if MEZZO_X86_DISPATCH
/// The same for pairs. The instruction has no name that both compilers know, and clang wants it in a function of its
/// target. It flushes subnormals (Intel SDM, VDPBF16PS).
template <isa Isa, class Left, class Lines, std::size_t Rows, std::size_t Vectors>
[[gnu::noinline, gnu::target(MEZZO_AVX512)]] void multiply_tile(Left left, const bfloat16_pair* a,
                                                                std::size_t first, Lines lines,
                                                                const bfloat16_pair* b, std::size_t depth, bool add,
                                                                float* c, std::size_t stride) {
  using pairs = typename vector_of<std::uint32_t, 64>::type;
  using unaligned_pairs = typename vector_of<std::uint32_t, 64>::unaligned;
  using vector = typename vector_of<float, 64>::type;
  using unaligned = typename vector_of<float, 64>::unaligned;
  a += left.begin(first);
  vector sum[Rows][Vectors];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] = vector{};
  for (std::size_t k = 0; k < depth; ++k, a += left.depth) {
    pairs right[Vectors];
    const bfloat16_pair* const line = b + lines[k];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) right[v] = *reinterpret_cast<const unaligned_pairs*>(line + v * 16);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r) {
      const pairs both = pairs{} + a[left.at(first, r)].bits;
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v)
        __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum[r][v]) : "v"(both), "v"(right[v]));
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) {
      auto& to = *reinterpret_cast<unaligned*>(c + r * stride + v * 16);
      to = add ? to + sum[r][v] : sum[r][v];
    }
}
#endif
#else
template <class T>
inline T opaque(T value) {
  return value;
}
template <isa Isa, class Left, class Lines, std::size_t Rows, std::size_t Vectors, class U>
inline void multiply_tile(Left left, const U* a, std::size_t first, Lines lines, const U* b, std::size_t depth,
                          bool add, U* c, std::size_t stride) {
  constexpr std::size_t width = Vectors * vector_units<Isa, U>;
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t j = 0; j < width; ++j) {
      U sum = 0;
      const U* const row = a + left.begin(first) + left.at(first, r);
      for (std::size_t k = 0; k < depth; ++k) sum += row[k * left.depth] * b[lines[k] + j];
      c[r * stride + j] = add ? c[r * stride + j] + sum : sum;
    }
}
#endif

/// c = or += a · b, tile by tile: `b` packed in panels of a tile's columns, the last of one vector if that is enough.
template <class U>
struct multiply_block {
  using A = typename unit<U>::sum;
  static constexpr bool only_wide = unit<U>::terms > 1;

  const U* a;
  bool row_major;
  std::size_t left_step;  // distance of its rows, or of its columns
  const U* b;
  std::size_t right_step;  // distance of the lines of one that is not packed, else 0
  std::size_t rows, columns, depth;
  bool add;
  A* c;
  std::size_t stride;
  const std::uint32_t* line_offsets = nullptr;  // of `b`, if its lines are not at equal distances
  const std::uint32_t* row_offsets = nullptr;   // of `a`, if its rows are not

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    if constexpr (Isa == isa::baseline) {
      const any_rows rows_of_a{row_offsets, row_major ? left_step : 1, row_major ? 1 : left_step};
      panels<Isa>(rows_of_a, any_lines{{line_offsets}, {right_step}});
    } else {
      if (line_offsets != nullptr) return panels<Isa>(packed_rows{}, shifted_lines{line_offsets});
      if (row_offsets != nullptr) return panels<Isa>(shifted_rows{row_offsets}, stepped_lines{right_step});
      if (!row_major)
        panels<Isa>(left_columns{left_step}, stepped_lines{right_step});
      else if (Isa >= isa::avx512 && left_step == packed_rows::row)
        panels<Isa>(packed_rows{}, stepped_lines{right_step});
      else
        panels<Isa>(rows_in_place{left_step}, stepped_lines{right_step});
    }
  }

 private:
  template <isa Isa, class Left, class Lines>
  MEZZO_INLINE void panels(Left left, Lines lines) const {
    constexpr std::size_t width = vector_units<Isa, U>;
    const U* panel = b;
    for (std::size_t j = 0; j < columns; j += 2 * width) {
      if (columns - j > width)
        column<Isa, 2>(left, panel, lines.of_panel(2 * width), j);
      else
        column<Isa, 1>(left, panel, lines.of_panel(width), j);
      panel += lines.next_panel(2 * width, depth);
    }
  }
  /// Tiles of full height, and lower ones so that none is empty by more than a third.
  template <isa Isa, std::size_t Vectors, class Left, class Lines>
  MEZZO_INLINE void column(Left left, const U* panel, Lines lines, std::size_t j) const {
    constexpr std::size_t high = product_tile<Isa>::rows;
    constexpr std::size_t third = high / 3;
    std::size_t i = 0;
    for (; rows - i >= high && rows - i != high + third; i += high) tile<Isa, high, Vectors>(left, panel, lines, i, j);
    for (; i < rows && rows - i > third; i += 2 * third) tile<Isa, 2 * third, Vectors>(left, panel, lines, i, j);
    if (i < rows) tile<Isa, third, Vectors>(left, panel, lines, i, j);
  }
  template <isa Isa, std::size_t Rows, std::size_t Vectors, class Left, class Lines>
  MEZZO_INLINE void tile(Left left, const U* panel, Lines lines, std::size_t i, std::size_t j) const {
    constexpr std::size_t width = Vectors * vector_units<Isa, U>;
    A* const to = c + i * stride + j;
    // At the edge the tile is larger than what is left of the result.
    const bool inside = rows - i >= Rows && columns - j >= width;
    A whole[Rows * width];
    multiply_tile<Isa, Left, Lines, Rows, Vectors>(left, a, i, lines, panel, depth, add && inside,
                                                   opaque(inside ? to : whole), opaque(inside ? stride : width));
    if (inside) return;
    const std::size_t high = rows - i < Rows ? rows - i : Rows;
    const std::size_t wide = columns - j < width ? columns - j : width;
    for (std::size_t r = 0; r < high; ++r)
      for (std::size_t n = 0; n < wide; ++n)
        to[r * stride + n] = add ? to[r * stride + n] + whole[r * width + n] : whole[r * width + n];
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
