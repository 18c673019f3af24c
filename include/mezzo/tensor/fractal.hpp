// SPDX-License-Identifier: MIT
//
// The blocked layouts of the Ascend AI Core as mappings in the vocabulary of std::mdspan. Axes are cut into blocks, the
// blocks follow one another in one order and the elements inside a block in another, so no axis has a distance of its
// own; a last block that is not full is padded. Formulas as in the vendor's public description of its data formats.
#pragma once

#include <mezzo/tensor/layout.hpp>

#include <cstddef>  // size_t, ptrdiff_t
#include <utility>  // index_sequence

namespace mezzo::inline MEZZO_ABI {

/// Rows of a fractal, which the cube multiplies in one step: 16 for every type.
inline constexpr std::size_t fractal_rows = 16;

/// Columns of a fractal of `T`, the C0, W0 or K0 of the layouts: 32 bytes, so 16 of float16, 8 of float32, 32 of int8.
template <class T>
inline constexpr std::size_t fractal_columns = 32 / sizeof(T);

namespace detail {

template <class Blocks, class Outer, class Inner>
struct blocked_layout;

/// Axis r in blocks of `Block[r]` indices. Axes from the slowest to the fastest: those of the blocks in `Outer`, those
/// inside a block in `Inner`, which may leave out axes in blocks of 1.
template <std::size_t... Block, std::size_t... Outer, std::size_t... Inner>
struct blocked_layout<std::index_sequence<Block...>, std::index_sequence<Outer...>, std::index_sequence<Inner...>> {
  static_assert(((Block > 0) && ...),
                "mezzo::blocked_layout: a block holds at least one index of each axis; given a block of 0; pass the "
                "number of elements in 32 bytes, fractal_columns<T>");

  template <class Extents>
  class mapping {
    static_assert(Extents::rank() == sizeof...(Block),
                  "mezzo::blocked_layout: NC1HWC0 and FRACTAL_Z have four axes, FRACTAL_NZ, ZZ and ZN have two; given "
                  "another number of sizes; reshape first, or view one matrix at a time");

   public:
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = std::size_t;
    using rank_type = typename Extents::rank_type;
    using layout_type = blocked_layout;

    constexpr mapping() = default;
    constexpr explicit mapping(const Extents& sizes) : extents_(sizes) {}
    [[nodiscard]] constexpr const Extents& extents() const { return extents_; }

    /// Offset of an element, or of padding where an index lies between the size of its axis and `padded_extent`.
    template <class... Indices>
      requires(sizeof...(Indices) == sizeof...(Block))
    [[nodiscard]] MEZZO_INLINE constexpr std::size_t operator()(Indices... indices) const {
      const std::size_t index[] = {static_cast<std::size_t>(indices)...};
      std::size_t offset = 0;
      ((offset = offset * blocks(Outer) + index[Outer] / block_extent(Outer)), ...);
      ((offset = offset * block_extent(Inner) + index[Inner] % block_extent(Inner)), ...);
      return offset;
    }

    /// Elements and padding together.
    [[nodiscard]] constexpr std::size_t required_span_size() const {
      return (std::size_t{1} * ... * padded_extent(Outer));
    }
    /// Places that hold no element; they hold zeros.
    [[nodiscard]] constexpr std::size_t padding() const {
      return required_span_size() - static_cast<std::size_t>(extents_.size());
    }
    /// The size of an axis with its padding: whole blocks.
    [[nodiscard]] constexpr std::size_t padded_extent(std::size_t r) const { return blocks(r) * block_extent(r); }
    /// Indices of an axis in one block.
    [[nodiscard]] static constexpr std::size_t block_extent(std::size_t r) {
      constexpr std::size_t sizes[] = {Block...};
      return sizes[r];
    }
    /// The axis whose neighbours inside a block are neighbours in memory.
    [[nodiscard]] static constexpr std::size_t fastest_axis() {
      constexpr std::size_t axes[] = {Inner...};
      return axes[sizeof...(Inner) - 1];
    }
    /// Distance between neighbours along an axis inside a block or, for an axis in blocks of 1, of blocks.
    [[nodiscard]] constexpr std::ptrdiff_t block_stride(std::size_t r) const {
      std::size_t step = 1;
      bool inside = false;  // whether axis r was passed, from the slowest to the fastest
      if (block_extent(r) == 1) ((step = inside ? step * blocks(Outer) : step, inside = inside || Outer == r), ...);
      inside = inside || block_extent(r) == 1;
      ((step = inside ? step * block_extent(Inner) : step, inside = inside || Inner == r), ...);
      return static_cast<std::ptrdiff_t>(step);
    }

    [[nodiscard]] static constexpr bool is_always_unique() { return true; }
    [[nodiscard]] static constexpr bool is_always_strided() { return false; }
    /// Whether the sizes are whole blocks for every value of the dynamic ones.
    [[nodiscard]] static constexpr bool is_always_exhaustive() {
      for (std::size_t r = 0; r < sizeof...(Block); ++r)
        if (block_extent(r) > 1 && (given_later(Extents::static_extent(r)) ||
                                    Extents::static_extent(r) % block_extent(r) != 0))
          return false;
      return true;
    }
    [[nodiscard]] static constexpr bool is_unique() { return true; }
    [[nodiscard]] static constexpr bool is_strided() { return false; }
    [[nodiscard]] constexpr bool is_exhaustive() const { return padding() == 0; }

   private:
    [[nodiscard]] constexpr std::size_t blocks(std::size_t r) const {
      const auto size = static_cast<std::size_t>(extents_.extent(r));
      return size / block_extent(r) + (size % block_extent(r) != 0 ? 1 : 0);
    }

    [[no_unique_address]] Extents extents_;
  };
};

}  // namespace detail

/// NC1HWC0 of sizes (n, c, h, w): (((n·C1 + c/C0)·H + h)·W + w)·C0 + c%C0 with C1 = ⌈C/C0⌉.
template <std::size_t C0>
struct layout_nc1hwc0 : detail::blocked_layout<std::index_sequence<1, C0, 1, 1>, std::index_sequence<0, 1, 2, 3>,
                                               std::index_sequence<1>> {};

/// FRACTAL_Z of convolution weights of sizes (n, c, h, w), n counting the outputs:
/// (((c/C0·H + h)·W + w)·N1 + n/16)·16·C0 + (n%16)·C0 + c%C0 with N1 = ⌈N/16⌉.
template <std::size_t C0>
struct layout_fractal_z : detail::blocked_layout<std::index_sequence<fractal_rows, C0, 1, 1>,
                                                 std::index_sequence<1, 2, 3, 0>, std::index_sequence<0, 1>> {};

/// FRACTAL_NZ, also written zN, of a matrix (h, w): ((w/W0·H1 + h/16)·16 + h%16)·W0 + w%W0 with H1 = ⌈H/16⌉. Blocks
/// follow one another down the columns, elements of a block along its rows: L1, and with W0 = 16 the results in L0C.
template <std::size_t W0>
struct layout_fractal_nz : detail::blocked_layout<std::index_sequence<fractal_rows, W0>, std::index_sequence<1, 0>,
                                                  std::index_sequence<0, 1>> {};

/// FRACTAL_ZZ, also written zZ, of a matrix (h, w): ((h/16·W1 + w/W0)·16 + h%16)·W0 + w%W0 with W1 = ⌈W/W0⌉. Blocks
/// and their elements follow one another along rows: the left operand in L0A.
template <std::size_t W0>
struct layout_fractal_zz : detail::blocked_layout<std::index_sequence<fractal_rows, W0>, std::index_sequence<0, 1>,
                                                  std::index_sequence<0, 1>> {};

/// FRACTAL_ZN, also written nZ, of a matrix (k, n): ((k/K0·N1 + n/16)·16 + n%16)·K0 + k%K0 with N1 = ⌈N/16⌉. Blocks
/// follow one another along rows, elements of a block down its columns: the right operand in L0B. It is FRACTAL_NZ of
/// the transposed matrix.
template <std::size_t K0>
struct layout_fractal_zn : detail::blocked_layout<std::index_sequence<K0, fractal_rows>, std::index_sequence<0, 1>,
                                                  std::index_sequence<1, 0>> {};

}  // namespace mezzo::inline MEZZO_ABI
