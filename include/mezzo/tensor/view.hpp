// SPDX-License-Identifier: MIT
//
// A view names elements that something else owns: a pointer, sizes and a mapping, copied freely. It is what expressions
// hold; indexing is by parentheses, as in the C++17 back-ports of std::mdspan.
#pragma once

#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/tensor/layout.hpp>

#include <concepts>     // convertible_to
#include <cstddef>      // size_t, ptrdiff_t
#include <type_traits>  // remove_const

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Mapping>
concept has_distances =
    strided<Mapping> || unsatisfied<"mezzo::view: a stride needs a layout in which neighbours along an axis lie at one "
                                    "distance; given a blocked layout; use its mapping, or convert_layout it to a "
                                    "row-major view first",
                                    Mapping>();

}  // namespace detail

/// Elements of type `T` (const for reading) laid out as `Layout::mapping<Extents>`.
template <class T, class Extents, class Layout = layout_right>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename Layout::template mapping<Extents>;
  using data_handle_type = T*;

  constexpr view() = default;
  constexpr view(T* data, const Extents& sizes)
    requires requires { mapping_type(sizes); }
      : data_(data), mapping_(sizes) {}
  constexpr view(T* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}

  /// A view for reading of a view for writing.
  constexpr operator view<const T, Extents, Layout>() const
    requires(!std::is_const_v<T>)
  {
    return {data_, mapping_};
  }

  [[nodiscard]] static constexpr std::size_t rank() { return Extents::rank(); }
  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr const mapping_type& mapping() const { return mapping_; }
  [[nodiscard]] constexpr const Extents& extents() const { return mapping_.extents(); }
  [[nodiscard]] constexpr std::size_t extent(std::size_t r) const { return extents().extent(r); }
  /// Distance between neighbours along axis `r`.
  [[nodiscard]] constexpr std::ptrdiff_t stride(std::size_t r) const
    requires detail::has_distances<mapping_type>
  {
    return mapping_.stride(r);
  }
  [[nodiscard]] constexpr std::size_t size() const { return extents().size(); }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }

  template <class... Indices>
    requires(sizeof...(Indices) == Extents::rank() && (std::convertible_to<Indices, std::size_t> && ...))
  [[nodiscard]] constexpr T& operator()(Indices... indices) const {
    return data_[detail::offset_of(mapping_, indices...)];
  }

 private:
  T* data_ = nullptr;
  [[no_unique_address]] mapping_type mapping_{};
};

template <class T, class Extents>
view(T*, const Extents&) -> view<T, Extents>;

/// A row-major view of `size` elements at `data` with static sizes, such as `as_view<2, 3>(pointer)`.
template <std::size_t... Sizes, class T>
[[nodiscard]] constexpr view<T, shape<Sizes...>> as_view(T* data) {
  return {data, shape<Sizes...>{}};
}

namespace detail {

template <class T>
inline constexpr bool is_view = false;
template <class T, class Extents, class Layout>
inline constexpr bool is_view<view<T, Extents, Layout>> = true;

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
