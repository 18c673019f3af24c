// SPDX-License-Identifier: MIT
//
// A product as its values pass through the core: from global memory to L1 in NZ, padded with zeros, to L0A in zZ and
// L0B in nZ, through the cube into L0C in NZ, and out through the FixPipe. The tiles are those of the plan.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/npu/plan.hpp>
#include <mezzo/backend/npu/summation.hpp>
#include <mezzo/backend/workspace.hpp>
#include <mezzo/number/cast.hpp>
#include <mezzo/tensor/fractal.hpp>

#include <cstddef>      // size_t
#include <cstdint>      // int8_t, int32_t
#include <type_traits>  // conditional
#include <utility>      // index_sequence

namespace mezzo::inline MEZZO_ABI {
namespace npu {

namespace detail {

constexpr std::size_t smaller(std::size_t x, std::size_t y) { return x < y ? x : y; }
constexpr std::size_t longest(std::size_t x, std::size_t y, std::size_t z) {
  return x < y ? (y < z ? z : y) : x < z ? z : x;
}

using matrix_extents = dextents<std::size_t, 2>;
template <class Layout>
using matrix_layout = typename Layout::template mapping<matrix_extents>;
/// How one step of the cube reads its right operand: `Depth` rows of 16.
template <std::size_t Depth>
using step_rows = mezzo::detail::blocked_layout<std::index_sequence<Depth, fractal_rows>, std::index_sequence<0, 1>,
                                                std::index_sequence<0, 1>>;

template <class Operand>
inline constexpr bool is_transposed = false;
template <class Operand>
inline constexpr bool is_transposed<transposed_operand<Operand>> = true;

/// Calls `put(r, c, value)` for rows [i, i + rows) and columns [j, j + columns) of an operand, read by the lines that
/// are quick; `line` has room for one.
template <class Operand, class T, class Put>
MEZZO_INLINE constexpr void read_block(const Operand& operand, std::size_t i, std::size_t rows, std::size_t j,
                                       std::size_t columns, T* line, const Put& put) {
  if constexpr (is_transposed<Operand>) {
    read_block(operand.of, j, columns, i, rows, line,
               [&](std::size_t r, std::size_t c, T value) { put(c, r, value); });
  } else {
    for (std::size_t r = 0; r < rows; ++r) {
      operand.row_run(i + r, j, columns, line);
      for (std::size_t c = 0; c < columns; ++c) put(r, c, line[c]);
    }
  }
}

/// Terms in the order of the operands.
struct plain_terms {
  std::size_t count;
  [[nodiscard]] constexpr std::size_t padded(std::size_t) const { return count; }
  /// Calls `f(place, first, length)` for the runs of neighbouring terms among the places [from, to).
  template <class F>
  MEZZO_INLINE constexpr void for_runs(std::size_t, std::size_t from, std::size_t to, const F& f) const {
    f(std::size_t{0}, from, to - from);
  }
};
/// Terms (channel, tap) in the order of NC1HWC0, (C1, tap, C0), the last block of channels padded.
struct channel_blocks {
  std::size_t channels, window;
  [[nodiscard]] constexpr std::size_t padded(std::size_t width) const {
    return ceil_div(channels, width) * width * window;
  }
  template <class F>
  MEZZO_INLINE constexpr void for_runs(std::size_t width, std::size_t from, std::size_t to, const F& f) const {
    for (std::size_t place = from; place < to; ++place) {
      const std::size_t channel = place / (width * window) * width + place % width;
      if (channel < channels) f(place - from, channel * window + place / width % window, std::size_t{1});
    }
  }
};

/// Which part of a float32 number a float16 cube takes: the number, its float16, or 2¹¹ times what that leaves. Both
/// parts together have 22 bits from 2⁻¹⁴ to 65504; larger numbers overflow as float16 does, smaller ones lose bits.
enum class part { whole, high, low };
inline constexpr float low_scale = 2048;

/// One product that is added to accumulator `sum`.
struct pass {
  part left, right;
  std::size_t sum;
};

/// What the cube multiplies: the type in which both operands enter, float32 where they differ.
template <class Left, class Right>
using product_element = std::conditional_t<std::same_as<typename Left::value_type, typename Right::value_type>,
                                           typename Left::value_type, float>;

/// (m, k) times (k, n), of terms in some order, to a sink by way of tiles.
template <class Left, class Right, class Terms, class Sink>
struct cube_call {
  using element = product_element<Left, Right>;
  static constexpr bool turned = false;

  const Left& a;
  const Right& b;
  Terms terms;
  product_shape shape;
  const Sink& sink;
  tiles tile;
};
/// The same where the sink takes the transposed product.
template <class Left, class Right, class Terms, class Sink>
struct turned_call : cube_call<Left, Right, Terms, Sink> {
  static constexpr bool turned = true;
};
template <class Left, class Right, class Terms, class Sink>
cube_call(const Left&, const Right&, Terms, product_shape, const Sink&, tiles) -> cube_call<Left, Right, Terms, Sink>;
template <class Left, class Right, class Terms, class Sink>
turned_call(const Left&, const Right&, Terms, product_shape, const Sink&, tiles)
    -> turned_call<Left, Right, Terms, Sink>;

/// A call on the cube in numbers of `T`, tile by tile; of float32 in parts of `T` if those differ. `Depth` is that of
/// one step of the cube.
template <summation Order, class T, std::size_t Depth, class Call, class Seen>
struct cube_product {
  using Read = typename Call::element;
  using Sum = std::conditional_t<std::same_as<T, std::int8_t>, std::int32_t, float>;
  static constexpr std::size_t width = fractal_columns<T>;
  static_assert(width % Depth == 0);

  const Call& call;
  bool hf32;
  Seen& seen;

  /// Calls `deliver(i, j, rows, columns, block)` with each tile of the result: `block` gives its element (r, c).
  template <std::size_t Passes, class Deliver>
  constexpr void run(workspace& memory, const pass (&passes)[Passes], const Deliver& deliver) {
    const tiles& tile = call.tile;
    const std::size_t m = call.shape.m, n = call.shape.n;
    const std::size_t depth = call.terms.padded(width);
    const std::size_t l1_k = smaller(tile.l1_k, round_up(depth, width)), k0 = smaller(tile.k, l1_k);
    const std::size_t high = smaller(tile.m, round_up(m, fractal_rows));
    const std::size_t wide = smaller(tile.n, round_up(n, fractal_rows));
    const std::size_t sums = passes[Passes - 1].sum + 1;
    const buffer<T> l1_a(memory, high * round_up(l1_k, width));
    const buffer<T> l1_b(memory, round_up(wide, width) * round_up(l1_k, fractal_rows));
    const buffer<T> l0_a(memory, high * k0), l0_b(memory, wide * k0);
    const buffer<Sum> cube_a(memory, high * k0), cube_b(memory, wide * k0);
    const buffer<Sum> l0_c(memory, high * wide * sums);
    const buffer<Read> line(memory, longest(high, wide, l1_k));
    for (std::size_t i = 0; i < m; i += high)
      for (std::size_t j = 0; j < n; j += wide) {
        const std::size_t rows = smaller(high, m - i), columns = smaller(wide, n - j);
        const matrix_layout<layout_fractal_nz<fractal_rows>> c_at(matrix_extents(rows, columns));
        const std::size_t size = c_at.required_span_size();
        for (std::size_t e = 0; e < size * sums; ++e) l0_c.data()[e] = 0;
        for (const pass& p : passes)
          for (std::size_t first = 0; first < depth; first += l1_k) {
            const std::size_t there = smaller(l1_k, depth - first);
            const left_in_l1 a_at(matrix_extents(rows, there));
            const right_in_l1 b_at(matrix_extents(there, columns));
            fill_left(i, first, p.left, a_at, line.data(), l1_a.data());
            fill_right(j, first, p.right, b_at, line.data(), l1_b.data());
            for (std::size_t from = 0; from < there; from += k0) {
              const std::size_t slice = smaller(k0, there - from);
              load_left(l1_a.data(), a_at, from, slice, l0_a.data(), cube_a.data());
              load_right(l1_b.data(), b_at, from, slice, l0_b.data(), cube_b.data());
              run_cube(cube_blocks<Order, Depth, Sum>{cube_a.data(), cube_b.data(), l0_c.data() + p.sum * size,
                                                        ceil_div(rows, fractal_rows), ceil_div(columns, fractal_rows),
                                                        round_up(slice, width) / Depth});
            }
          }
        const Sum* const c = l0_c.data();
        deliver(i, j, rows, columns, [=](std::size_t r, std::size_t s) {
          const std::size_t at = c_at(r, s);
          if constexpr (splits)
            return c[at] + c[size + at] * (1 / low_scale);
          else
            return c[at];
        });
      }
  }

 private:
  static constexpr bool splits = !std::same_as<T, Read>;

  using left_in_l1 = matrix_layout<layout_fractal_nz<width>>;
  using right_in_l1 = matrix_layout<layout_fractal_nz<width>>;

  MEZZO_INLINE constexpr T entering(Read value, part of) const {
    if constexpr (splits) {
      MEZZO_ROUND_EACH
      const T high = seen.settled(convert<T>(value));
      return of == part::low ? seen.settled(convert<T>((value - convert<float>(high)) * low_scale)) : high;
    } else {
      return seen.settled(value);
    }
  }

  /// Rows of terms from global memory to L1.
  constexpr void fill_left(std::size_t i, std::size_t first, part of, const left_in_l1& at, Read* line,
                           T* l1) const {
    for (std::size_t e = 0; e < at.required_span_size(); ++e) l1[e] = T{};
    call.terms.for_runs(width, first, first + at.extents().extent(1),
                   [&](std::size_t place, std::size_t term, std::size_t length) {
                     read_block(call.a, i, at.extents().extent(0), term, length, line,
                                [&](std::size_t r, std::size_t k, Read value) {
                                  l1[at(r, place + k)] = entering(value, of);
                                });
                   });
  }
  constexpr void fill_right(std::size_t j, std::size_t first, part of, const right_in_l1& at, Read* line,
                            T* l1) const {
    for (std::size_t e = 0; e < at.required_span_size(); ++e) l1[e] = T{};
    call.terms.for_runs(width, first, first + at.extents().extent(0),
                   [&](std::size_t place, std::size_t term, std::size_t length) {
                     read_block(call.b, term, length, j, at.extents().extent(1), line,
                                [&](std::size_t k, std::size_t c, Read value) {
                                  l1[at(place + k, c)] = entering(value, of);
                                });
                   });
  }
  /// A slice of terms from L1 to L0A, and from there into the cube. Padding is zeros in all of them.
  constexpr void load_left(const T* l1, const left_in_l1& at, std::size_t from, std::size_t slice, T* l0,
                           Sum* cube) const {
    const std::size_t rows = at.padded_extent(0);
    const matrix_layout<layout_fractal_zz<width>> l0_at(matrix_extents(rows, slice));
    const matrix_layout<layout_fractal_zz<Depth>> cube_at(matrix_extents(rows, l0_at.padded_extent(1)));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < l0_at.padded_extent(1); ++k) {
        T& value = l0[l0_at(r, k)];
        value = l1[at(r, from + k)];
        cube[cube_at(r, k)] = cube_value(value);
      }
  }
  /// The same to L0B, each fractal transposed on the way.
  constexpr void load_right(const T* l1, const right_in_l1& at, std::size_t from, std::size_t slice, T* l0,
                            Sum* cube) const {
    const std::size_t wide = round_up(at.extents().extent(1), fractal_rows);
    const matrix_layout<layout_fractal_zn<width>> l0_at(matrix_extents(slice, wide));
    const std::size_t depth = l0_at.padded_extent(0), columns = l0_at.padded_extent(1);
    const matrix_layout<step_rows<Depth>> cube_at(matrix_extents(depth, columns));
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t c = 0; c < columns; ++c) {
        T& value = l0[l0_at(k, c)];
        value = c < at.padded_extent(1) && from + k < at.padded_extent(0) ? l1[at(from + k, c)] : T{};
        cube[cube_at(k, c)] = cube_value(value);
      }
  }
  MEZZO_INLINE constexpr Sum cube_value(T value) const {
    if constexpr (std::same_as<T, float>)
      return hf32 ? round_hf32(value) : value;
    else if constexpr (std::same_as<Sum, float>)
      return convert<float>(value);
    else
      return value;
  }
};

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
