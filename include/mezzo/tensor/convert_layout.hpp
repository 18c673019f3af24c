// SPDX-License-Identifier: MIT
//
// Elements from one layout to another, index by index, the padding of the destination filled with zeros. Every mapping
// steps evenly within some tile, a block or a part of a strided axis, so offsets are computed once a tile and the
// innermost loop is a plain one.
#pragma once

#include <mezzo/tensor/fractal.hpp>
#include <mezzo/tensor/overlap.hpp>

#include <concepts>     // constructible_from, same_as
#include <cstddef>      // size_t, ptrdiff_t
#include <type_traits>  // remove_const

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Copies the elements of one mapping to another, tile by tile.
template <class T, class From, class To>
class layout_copy {
  static constexpr std::size_t rank = To::extents_type::rank();

  template <class Mapping>
  static constexpr bool blocked = requires(const Mapping& m) { m.block_stride(std::size_t{}); };

  /// The axis along which a mapping walks memory; of distances known at run time the last is taken for it.
  template <class Mapping>
  static constexpr std::size_t fastest_axis() {
    if constexpr (blocked<Mapping>)
      return Mapping::fastest_axis();
    else
      return std::same_as<Mapping, layout_left::mapping<typename Mapping::extents_type>> ? 0 : rank - 1;
  }
  /// Indices of an axis in one block, 0 where the mapping steps evenly along all of it.
  template <class Mapping>
  static constexpr std::size_t block(std::size_t r) {
    if constexpr (blocked<Mapping>) return Mapping::block_extent(r) == 1 ? 0 : Mapping::block_extent(r);
    return 0;
  }
  /// Indices of a tile along axis `r`: whole blocks of neither mapping are cut unevenly. Strided axes are cut too, so
  /// that what one mapping scatters still lies in the nearest cache when the other comes back to it.
  static constexpr std::size_t tile(std::size_t r) {
    std::size_t a = block<From>(r);
    std::size_t b = block<To>(r);
    if (a == 0 && b == 0) return r == fastest_axis<From>() || r == fastest_axis<To>() ? 32 : 1;
    while (b != 0) {
      const std::size_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  /// Axis number `level` of the loops over a tile: the one along which the destination is written is the innermost.
  static constexpr std::size_t axis_of(std::size_t level) {
    constexpr std::size_t innermost = fastest_axis<To>();
    return level + 1 == rank ? innermost : level < innermost ? level : level + 1;
  }
  template <class Mapping>
  static constexpr std::ptrdiff_t step(const Mapping& mapping, std::size_t r) {
    if constexpr (blocked<Mapping>)
      return mapping.block_stride(r);
    else
      return mapping.stride(r);
  }
  constexpr std::size_t padded_extent(std::size_t r) const {
    if constexpr (blocked<To>)
      return to_.padded_extent(r);
    else
      return static_cast<std::size_t>(to_.extents().extent(r));
  }
  static constexpr std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

 public:
  constexpr layout_copy(const T* source, const From& from, T* target, const To& to)
      : source_(source), target_(target), from_(from), to_(to) {}

  /// Visits the tiles that begin at `starts` and further indices of the axes after them.
  template <class... Starts>
  constexpr void run(Starts... starts) const {
    constexpr std::size_t axis = sizeof...(Starts);
    if constexpr (axis == rank) {
      const std::size_t start[rank] = {starts...};
      copy<0, true>(start, offset_of(from_, starts...), offset_of(to_, starts...));
    } else {
      const std::size_t end = padded_extent(axis);
      for (std::size_t i = 0; i < end; i += tile(axis)) run(starts..., i);
    }
  }

 private:
  /// The part of a tile that remains below `Level` loops: elements where `Live`, otherwise padding.
  template <std::size_t Level, bool Live>
  MEZZO_INLINE constexpr void copy(const std::size_t (&start)[rank], std::ptrdiff_t from, std::ptrdiff_t to) const {
    constexpr std::size_t axis = axis_of(Level);
    const std::size_t extent = static_cast<std::size_t>(to_.extents().extent(axis));
    const std::size_t end = smaller(tile(axis), padded_extent(axis) - start[axis]);
    const std::size_t live = !Live || start[axis] >= extent ? 0 : smaller(tile(axis), extent - start[axis]);
    const std::ptrdiff_t from_step = step(from_, axis);
    const std::ptrdiff_t to_step = step(to_, axis);
    if constexpr (Level + 1 < rank) {
      for (std::size_t i = 0; i < live; ++i) {
        copy<Level + 1, Live>(start, from, to);
        from += from_step;
        to += to_step;
      }
      for (std::size_t i = live; i < end; ++i) {
        copy<Level + 1, false>(start, from, to);
        to += to_step;
      }
    } else {
      // Full tiles run a number of times that the compiler knows.
      if (live == tile(axis))
        copy_run(tile(axis), from, from_step, to, to_step);
      else
        copy_run(live, from, from_step, to, to_step);
      for (std::size_t i = live; i < end; ++i) target_[to + static_cast<std::ptrdiff_t>(i) * to_step] = T{};
    }
  }
  MEZZO_INLINE constexpr void copy_run(std::size_t count, std::ptrdiff_t from, std::ptrdiff_t from_step,
                                       std::ptrdiff_t to, std::ptrdiff_t to_step) const {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
      target_[to] = source_[from];
      from += from_step;
      to += to_step;
    }
  }

  const T* source_;
  T* target_;
  From from_;
  To to_;
};

}  // namespace detail

/// Copies `from` to `to`, whose layouts may differ, and fills the padding of `to` with zeros. Bits are copied as they
/// are. Errors: other sizes; views that share memory.
template <class S, class FromSizes, class From, class T, class ToSizes, class To>
  requires std::same_as<std::remove_const_t<S>, T>
constexpr void convert_layout(const view<S, FromSizes, From>& from, const view<T, ToSizes, To>& to) {
  constexpr bool fits = std::constructible_from<ToSizes, const FromSizes&>;
  static_assert(fits,
                "mezzo::convert_layout: both views have the same sizes; given others; reshape one of them first");
  if constexpr (fits) {
    if (!(from.extents() == to.extents()))
      fail(sentence("mezzo::convert_layout: both views have the same sizes; given ")
           << from.size() << " elements for " << to.size() << " of other sizes; reshape one of them first");
    if (overlap(from, to) != overlap_kind::none)
      fail("mezzo::convert_layout: the views share no memory; given an overlap; convert into other memory");
    if constexpr (ToSizes::rank() == 0) {
      *to.data() = *from.data();
    } else {
      const detail::layout_copy<T, typename view<S, FromSizes, From>::mapping_type,
                                typename view<T, ToSizes, To>::mapping_type>
          copy(from.data(), from.mapping(), to.data(), to.mapping());
      copy.run();
    }
  }
}

}  // namespace mezzo::inline MEZZO_ABI
