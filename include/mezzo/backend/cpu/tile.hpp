// SPDX-License-Identifier: MIT
//
// The innermost loop of a matrix product: a tile of the result is kept in registers while packed operands stream past.
// Written in vector types, so that one definition serves every width; a multiply-add may round once or twice.
#pragma once

#include <mezzo/backend/isa.hpp>
#include <mezzo/base/vectors.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Two neighbours along k, the earlier in the low half: an operand of the bfloat16 dot product.
struct bfloat16_pair {
  std::uint32_t bits;
};

/// What is packed as `U`: elements of which type, how many in one unit, held in a lane of a vector as what, summed as
/// what.
template <class U>
struct unit {
  using element = U;
  using lane = U;
  using sum = U;
  static constexpr std::size_t terms = 1;
};
template <>
struct unit<bfloat16_pair> {
  using element = bfloat16;
  using lane = std::uint32_t;
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

/// Lines of whole panels that lie unpacked, rows of elements `step` apart: the first tile that reads them packs them to
/// `to` for those that follow.
template <class U>
struct packing_lines {
  const typename unit<U>::element* from;
  std::size_t step;
  U* to;
};

/// What is brought into the cache while a tile is multiplied, for tiles that come later: a place for each unit of
/// depth, `step` bytes apart; the next tile begins `apart` bytes further on.
struct lines_ahead {
  const unsigned char* from;
  std::size_t step, apart;
};

#if defined(__GNUC__) || defined(__clang__)
/// Keeps the compiler from carrying an address for each row of a tile from one tile to the next: there are not enough
/// registers for that.
template <class T>
MEZZO_INLINE T opaque(T value) {
  __asm__("" : "+r"(value));
  return value;
}

MEZZO_INLINE void prefetch(const void* place) { __builtin_prefetch(place); }

/// Keeps g++ from loading a vector again for each of its uses, as it does when it is tuned for AMD's processors.
template <class V>
MEZZO_INLINE void load_once(V& vector) {
#if MEZZO_X86_DISPATCH && !defined(__clang__) && defined(__OPTIMIZE__)
  __asm__("" : "+v"(vector));
#else
  static_cast<void>(vector);
#endif
}

template <isa Isa, class T>
using wide = vector_of<T, product_tile<Isa>::bytes>;

/// sum += a · right, lane by lane.
template <class A, class Vector>
MEZZO_INLINE void add_product(Vector& sum, A a, const Vector& right) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
  sum += a * right;
}
/// Takes the vector `v` of line `k` of the right operand.
template <isa Isa, class Lines, class U, class Vector>
MEZZO_INLINE void take(const Lines& lines, const U* b, std::size_t k, std::size_t v, Vector& line) {
  using lanes = wide<Isa, typename unit<U>::lane>;
  line = *reinterpret_cast<const typename lanes::unaligned*>(b + lines[k] + v * vector_units<Isa, U>);
}
template <isa Isa, class U, class Vector>
MEZZO_INLINE void take(const packing_lines<U>& lines, const U*, std::size_t k, std::size_t v, Vector& line) {
  using lanes = wide<Isa, typename unit<U>::lane>;
  constexpr std::size_t width = vector_units<Isa, U>;
  const auto* const from = lines.from + k * unit<U>::terms * lines.step + v * width;
  if constexpr (unit<U>::terms == 1) {
    line = *reinterpret_cast<const typename lanes::unaligned*>(from);
  } else {
    using halves = vector_of<std::uint16_t, product_tile<Isa>::bytes / 2>;
    const typename halves::type low = *reinterpret_cast<const typename halves::unaligned*>(from);
    const typename halves::type high = *reinterpret_cast<const typename halves::unaligned*>(from + lines.step);
    line = __builtin_convertvector(low, Vector) | __builtin_convertvector(high, Vector) << 16;
  }
  *reinterpret_cast<typename lanes::unaligned*>(lines.to + (k * product_tile<Isa>::vectors + v) * width) = line;
}
#if MEZZO_X86_DISPATCH
/// The same for pairs, two products a lane. The instruction has no name that both compilers know, and clang wants it in
/// a function of its target. It flushes subnormals (Intel SDM, VDPBF16PS).
[[gnu::target(MEZZO_AVX512)]] inline void add_product(wide<isa::avx512, float>::type& sum, bfloat16_pair a,
                                                      const wide<isa::avx512, std::uint32_t>::type& right) {
  const wide<isa::avx512, std::uint32_t>::type both = wide<isa::avx512, std::uint32_t>::type{} + a.bits;
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(both), "v"(right));
}
#endif

/// c (Rows × Vectors, rows `stride` apart) = or += a · b over `depth` units: rows of `a` from `first` on lie as `Left`
/// says, `b` has `Vectors` vectors for each unit, where `lines` says.
template <isa Isa, class Left, class Lines, std::size_t Rows, std::size_t Vectors, class U>
MEZZO_INLINE void multiply_tile(Left left, const U* a, std::size_t first, Lines lines, const U* b, std::size_t depth,
                                bool add, typename unit<U>::sum* c, std::size_t stride, lines_ahead ahead) {
  using sums = wide<Isa, typename unit<U>::sum>;
  constexpr std::size_t width = vector_units<Isa, U>;
  a += left.begin(first);
  typename sums::type sum[Rows][Vectors];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] = typename sums::type{};
  }
  for (std::size_t k = 0; k < depth; ++k, a += left.depth, ahead.from += ahead.step) {
    typename wide<Isa, typename unit<U>::lane>::type right[Vectors];
    prefetch(ahead.from);
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) {
      take<Isa>(lines, b, k, v, right[v]);
      load_once(right[v]);
    }
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v) add_product(sum[r][v], a[left.at(first, r)], right[v]);
  }
  if (add) {
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v)
        sum[r][v] += *reinterpret_cast<const typename sums::unaligned*>(c + r * stride + v * width);
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v)
      *reinterpret_cast<typename sums::unaligned*>(c + r * stride + v * width) = sum[r][v];
}
#else
template <class T>
inline T opaque(T value) {
  return value;
}
inline void prefetch(const void*) {}
template <isa Isa, class Left, class Lines, std::size_t Rows, std::size_t Vectors, class U>
inline void multiply_tile(Left left, const U* a, std::size_t first, Lines lines, const U* b, std::size_t depth,
                          bool add, U* c, std::size_t stride, lines_ahead) {
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

/// What of a tile lies inside the result. It is the same for tiles of any kind, and takes longer to compile than they.
template <class A>
struct keep_corner {
  std::size_t rows, columns;
  const A* from;
  std::size_t step;
  bool add;
  A* to;
  std::size_t stride;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t r = 0; r < rows; ++r) {
      if (add) {
        for (std::size_t n = 0; n < columns; ++n) to[r * stride + n] += from[r * step + n];
      } else {
        for (std::size_t n = 0; n < columns; ++n) to[r * stride + n] = from[r * step + n];
      }
    }
  }
};

/// c = or += a · b, tile by tile: `b` packed in panels of a tile's columns, the last of one vector if that is enough.
template <class U>
struct multiply_block {
  using A = typename unit<U>::sum;
  using E = typename unit<U>::element;
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
  packing_lines<U> unpacked{};  // whole panels of `b` that are still to be packed, if not null

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    if constexpr (Isa == isa::baseline) {
      const any_rows rows_of_a{row_offsets, row_major ? left_step : 1, row_major ? 1 : left_step};
      panels<Isa>(rows_of_a, any_lines{{line_offsets}, {right_step}});
    } else {
      if (line_offsets != nullptr) return apart<Isa>(packed_rows{}, shifted_lines{line_offsets});
      if (row_offsets != nullptr) return apart<Isa>(shifted_rows{row_offsets}, stepped_lines{right_step});
      if (!row_major)
        apart<Isa>(left_columns{left_step}, stepped_lines{right_step});
      else if (Isa >= isa::avx512 && left_step == packed_rows::row)
        apart<Isa>(packed_rows{}, stepped_lines{right_step});
      else
        apart<Isa>(rows_in_place{left_step}, stepped_lines{right_step});
    }
  }

 private:
  /// Each layout in a function of its own: compilers take longer for one of all tiles than for its parts.
  template <class Left, class Lines>
  struct layout_panels {
    const multiply_block& block;
    Left left;
    Lines lines;
    static constexpr bool only_wide = multiply_block::only_wide;

    template <isa Isa>
    MEZZO_INLINE void operator()(isa_constant<Isa>) const {
      block.template panels<Isa>(left, lines);
    }
  };
  template <isa Isa, class Left, class Lines>
  MEZZO_INLINE void apart(Left left, Lines lines) const {
    call_contracted_apart<Isa>(layout_panels<Left, Lines>{*this, left, lines});
  }

  template <isa Isa, class Left, class Lines>
  MEZZO_INLINE void panels(Left left, Lines lines) const {
    constexpr std::size_t width = vector_units<Isa, U>;
    const U* panel = b;
    for (std::size_t j = 0; j < columns; j += 2 * width) {
      const U* const next = panel + lines.next_panel(2 * width, depth);
      if (columns - j > width)
        column<Isa, 2>(left, panel, lines.of_panel(2 * width), j, next);
      else
        column<Isa, 1>(left, panel, lines.of_panel(width), j, next);
      panel = next;
    }
  }
  /// Tiles of full height, and lower ones so that none is empty by more than a third. `next` is where the next panel
  /// is packed.
  template <isa Isa, std::size_t Vectors, class Left, class Lines>
  MEZZO_INLINE void column(Left left, const U* panel, Lines lines, std::size_t j, const U* next) const {
    constexpr std::size_t high = product_tile<Isa>::rows;
    constexpr std::size_t third = high / 3;
    constexpr std::size_t width = Vectors * vector_units<Isa, U>;
    std::size_t i = 0;
    lines_ahead ahead{reinterpret_cast<const unsigned char*>(next), 0, 0};
    if constexpr (std::same_as<Lines, stepped_lines>) {
      if constexpr (Vectors == product_tile<Isa>::vectors && !std::same_as<Left, shifted_rows>) {
        if (unpacked.from != nullptr && columns - j >= width) {
          const packing_lines<U> here{unpacked.from + j, unpacked.step, unpacked.to + j * depth};
          ahead = {reinterpret_cast<const unsigned char*>(here.from + width),
                   here.step * unit<U>::terms * sizeof(E), 64};
          tile<Isa, high, Vectors>(left, panel, here, i, j, ahead);
          i += high;
        }
      }
      // Each tile asks for its share of the next panel.
      if (i == 0 && right_step == 0) {
        ahead.step = width * sizeof(U) / ((rows + high - 1) / high);
        ahead.apart = ahead.step * depth;
      }
    }
    for (; rows - i >= high && rows - i != high + third; i += high)
      tile<Isa, high, Vectors>(left, panel, lines, i, j, ahead);
    for (; i < rows && rows - i > third; i += 2 * third) tile<Isa, 2 * third, Vectors>(left, panel, lines, i, j, ahead);
    if (i < rows) tile<Isa, third, Vectors>(left, panel, lines, i, j, ahead);
  }
  template <isa Isa, std::size_t Rows, std::size_t Vectors, class Left, class Lines>
  MEZZO_INLINE void tile(Left left, const U* panel, Lines lines, std::size_t i, std::size_t j,
                         lines_ahead& ahead) const {
    constexpr std::size_t width = Vectors * vector_units<Isa, U>;
    A* const to = c + i * stride + j;
    // At the edge the tile is larger than what is left of the result.
    const bool inside = rows - i >= Rows && columns - j >= width;
    A whole[Rows * width];
    multiply_tile<Isa, Left, Lines, Rows, Vectors>(left, a, i, lines, panel, depth, add && inside,
                                                   opaque(inside ? to : whole), opaque(inside ? stride : width), ahead);
    ahead.from += ahead.apart;
    if (inside) return;
    const std::size_t high = rows - i < Rows ? rows - i : Rows;
    const std::size_t wide = columns - j < width ? columns - j : width;
    call_contracted_apart<Isa>(keep_corner<A>{high, wide, whole, width, add, to, stride});
  }
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
