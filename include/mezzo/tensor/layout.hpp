// SPDX-License-Identifier: MIT
//
// Where an element lies: mappings from indices to an offset, named and shaped as in std::mdspan (ISO C++23
// [mdspan.layout]).
#pragma once

#include <mezzo/tensor/extents.hpp>

#include <cstddef>  // size_t, ptrdiff_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Elements without gaps, the last index contiguous (`Right`) or the first.
template <class Extents, bool Right>
class packed_mapping {
 public:
  using extents_type = Extents;
  constexpr packed_mapping() = default;
  constexpr explicit packed_mapping(const Extents& sizes) : extents_(sizes) {}
  [[nodiscard]] constexpr const Extents& extents() const { return extents_; }
  [[nodiscard]] constexpr std::size_t required_span_size() const { return extents_.size(); }
  [[nodiscard]] constexpr std::ptrdiff_t stride(std::size_t r) const {
    const std::size_t first = Right ? r + 1 : 0;
    const std::size_t last = Right ? Extents::rank() : r;
    std::ptrdiff_t step = 1;
    for (std::size_t i = first; i < last; ++i) step *= static_cast<std::ptrdiff_t>(extents_.extent(i));
    return step;
  }

 private:
  [[no_unique_address]] Extents extents_;
};

}  // namespace detail

/// Row-major: the last index is contiguous.
struct layout_right {
  template <class Extents>
  using mapping = detail::packed_mapping<Extents, true>;
};

/// Column-major: the first index is contiguous; the mapping of a transposed row-major matrix.
struct layout_left {
  template <class Extents>
  using mapping = detail::packed_mapping<Extents, false>;
};

/// A distance of its own for each index, counted in elements and not negative; a distance of zero repeats elements.
struct layout_stride {
  template <class Extents>
  class mapping {
    // One spare distance keeps the array legal for a single number.
    static constexpr std::size_t slots = Extents::rank() + (Extents::rank() == 0);

   public:
    using extents_type = Extents;
    constexpr mapping() = default;
    /// Error: a distance is negative.
    constexpr mapping(const Extents& sizes, const std::ptrdiff_t (&strides)[slots]) : extents_(sizes) {
      for (std::size_t r = 0; r < Extents::rank(); ++r) {
        if (strides[r] < 0)
          fail(sentence("mezzo::layout_stride: a distance must not be negative; given ")
               << strides[r] << " for index " << r << "; begin the view at its lowest address");
        strides_[r] = strides[r];
      }
    }
    [[nodiscard]] constexpr const Extents& extents() const { return extents_; }
    [[nodiscard]] constexpr std::ptrdiff_t stride(std::size_t r) const { return strides_[r]; }
    [[nodiscard]] constexpr std::size_t required_span_size() const {
      std::ptrdiff_t last = 0;
      for (std::size_t r = 0; r < Extents::rank(); ++r) {
        if (extents_.extent(r) == 0) return 0;
        last += (static_cast<std::ptrdiff_t>(extents_.extent(r)) - 1) * strides_[r];
      }
      return static_cast<std::size_t>(last) + 1;
    }

   private:
    [[no_unique_address]] Extents extents_;
    std::ptrdiff_t strides_[slots]{};
  };
};

namespace detail {

/// Whether elements that neighbour along an axis lie at one distance everywhere.
template <class Mapping>
concept strided = requires(const Mapping& mapping) { mapping.stride(std::size_t{}); };

/// Offset of the element at `indices`, counted in elements: from the distances, or as the mapping itself has it.
template <class Mapping, class... Indices>
MEZZO_INLINE constexpr std::ptrdiff_t offset_of(const Mapping& mapping, Indices... indices) {
  if constexpr (strided<Mapping>) {
    const std::ptrdiff_t index[sizeof...(Indices) + 1] = {static_cast<std::ptrdiff_t>(indices)..., 0};
    std::ptrdiff_t sum = 0;
    for (std::size_t r = 0; r < sizeof...(Indices); ++r) sum += index[r] * mapping.stride(r);
    return sum;
  } else {
    return static_cast<std::ptrdiff_t>(mapping(indices...));
  }
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
