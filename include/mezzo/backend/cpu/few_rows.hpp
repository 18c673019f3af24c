// SPDX-License-Identifier: MIT
//
// The product of up to three rows with lines anywhere in memory, as in the gradient by data of an image with few
// channels: a tile as low as that and as wide as registers allow, where the general one would compute rows of zeros.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

inline constexpr std::size_t few_rows = 3;
template <isa Isa, std::size_t Rows>
inline constexpr std::size_t vectors_of_few = Rows == 1 ? 8 : Isa >= isa::avx512 ? 12 / Rows : 8 / Rows;

/// c = or += a · b for `rows` of at most `few_rows`, packed; whole vectors of `b` are read and of `c` written.
template <class A>
struct multiply_few {
  const A* a;
  const A* b;
  const std::uint32_t* lines;
  std::size_t rows, columns, depth;
  bool add;
  A* c;
  std::size_t stride;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    if (rows == 1)
      strips<Isa, 1>();
    else if (rows == 2)
      strips<Isa, 2>();
    else
      strips<Isa, 3>();
  }

 private:
#if defined(__GNUC__) || defined(__clang__)
  template <isa Isa, std::size_t Rows>
  MEZZO_INLINE void strips() const {
    constexpr std::size_t width = vector_units<Isa, A>, vectors = vectors_of_few<Isa, Rows>;
    std::size_t j = 0;
    for (; j + (vectors - 1) * width < columns; j += vectors * width) strip<Isa, Rows, vectors>(j);
    for (; j < columns; j += width) strip<Isa, Rows, 1>(j);
  }
  template <isa Isa, std::size_t Rows, std::size_t Vectors>
  MEZZO_INLINE void strip(std::size_t j) const {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    constexpr std::size_t width = vector_units<Isa, A>;
    using vector = typename vector_of<A, product_tile<Isa>::bytes>::type;
    using unaligned = typename vector_of<A, product_tile<Isa>::bytes>::unaligned;
    vector sum[Rows][Vectors];
#pragma GCC unroll 3
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 12
      for (std::size_t v = 0; v < Vectors; ++v) sum[r][v] = vector{};
    for (std::size_t k = 0; k < depth; ++k) {
      const A* const line = b + lines[k] + j;
#pragma GCC unroll 12
      for (std::size_t v = 0; v < Vectors; ++v) {
        vector right = *reinterpret_cast<const unaligned*>(line + v * width);
        load_once(right);
#pragma GCC unroll 3
        for (std::size_t r = 0; r < Rows; ++r) sum[r][v] += a[r * packed_rows::row + k] * right;
      }
    }
#pragma GCC unroll 3
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 12
      for (std::size_t v = 0; v < Vectors; ++v) {
        auto& to = *reinterpret_cast<unaligned*>(c + r * stride + j + v * width);
        to = add ? to + sum[r][v] : sum[r][v];
      }
  }
#else
  template <isa Isa, std::size_t Rows>
  void strips() const {
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t j = 0; j < columns; ++j) {
        A sum = 0;
        for (std::size_t k = 0; k < depth; ++k) sum += a[r * packed_rows::row + k] * b[lines[k] + j];
        c[r * stride + j] = add ? c[r * stride + j] + sum : sum;
      }
  }
#endif
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
