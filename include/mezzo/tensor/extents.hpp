// SPDX-License-Identifier: MIT
//
// Sizes of a multidimensional array, some fixed by the type and some known only at run time, in the vocabulary of
// std::mdspan (ISO C++23 [mdspan.extents]). Only the dynamic sizes take memory.
#pragma once

#include <mezzo/base/contract.hpp>

#include <cstddef>      // size_t
#include <type_traits>  // is_convertible

namespace mezzo::inline MEZZO_ABI {

/// A size that is given at run time.
inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

namespace detail {

/// A size that is given at run time and known to be above 1: nothing repeats along it. Expressions of networks have
/// such sizes where types only need to tell 1 from others.
inline constexpr std::size_t plural_extent = dynamic_extent - 1;

constexpr bool given_later(std::size_t size) { return size >= plural_extent; }

}  // namespace detail

/// Sizes `Sizes...`, each a number or `dynamic_extent`, counted in `Index`.
template <class Index, std::size_t... Sizes>
class extents {
 public:
  using index_type = Index;
  using rank_type = std::size_t;

  [[nodiscard]] static constexpr rank_type rank() { return sizeof...(Sizes); }
  [[nodiscard]] static constexpr rank_type rank_dynamic() {
    return (rank_type{0} + ... + rank_type{detail::given_later(Sizes)});
  }
  [[nodiscard]] static constexpr std::size_t static_extent(rank_type r) {
    constexpr std::size_t sizes[sizeof...(Sizes) + 1] = {Sizes..., 0};
    return sizes[r];
  }

  /// Dynamic sizes are zero.
  constexpr extents() = default;

  /// The dynamic sizes in order, or all sizes in order.
  /// Error: a size given for a static extent differs from it.
  template <class... Given>
    requires((std::is_convertible_v<Given, Index> && ...) && sizeof...(Given) > 0 &&
             (sizeof...(Given) == rank_dynamic() || sizeof...(Given) == rank()))
  constexpr explicit extents(Given... sizes) {
    const Index given[] = {static_cast<Index>(sizes)...};
    rank_type next = 0;
    for (rank_type r = 0; r < rank(); ++r) {
      if constexpr (sizeof...(Given) == rank_dynamic()) {
        if (detail::given_later(static_extent(r))) {
          dynamic_[next] = given[next];
          ++next;
        }
      } else {
        set(r, next, given[r]);
      }
    }
  }

  /// The same sizes under another mix of static and dynamic. Error: a static size differs.
  template <class OtherIndex, std::size_t... Other>
    requires(sizeof...(Other) == sizeof...(Sizes) &&
             ((detail::given_later(Other) || detail::given_later(Sizes) || Other == Sizes) && ...))
  constexpr extents(const extents<OtherIndex, Other...>& other) {
    rank_type next = 0;
    for (rank_type r = 0; r < rank(); ++r) set(r, next, static_cast<Index>(other.extent(r)));
  }

  [[nodiscard]] constexpr Index extent(rank_type r) const {
    if (!detail::given_later(static_extent(r))) return static_cast<Index>(static_extent(r));
    rank_type slot = 0;
    for (rank_type i = 0; i < r; ++i) slot += rank_type{detail::given_later(static_extent(i))};
    return dynamic_[slot];
  }

  /// Number of elements: the product of the sizes.
  [[nodiscard]] constexpr Index size() const {
    Index product = 1;
    for (rank_type r = 0; r < rank(); ++r) product *= extent(r);
    return product;
  }

  template <class OtherIndex, std::size_t... Other>
  friend constexpr bool operator==(const extents& a, const extents<OtherIndex, Other...>& b) {
    if constexpr (sizeof...(Other) != sizeof...(Sizes)) {
      return false;
    } else {
      for (rank_type r = 0; r < rank(); ++r)
        if (static_cast<std::size_t>(a.extent(r)) != static_cast<std::size_t>(b.extent(r))) return false;
      return true;
    }
  }

 private:
  constexpr void set(rank_type r, rank_type& next, Index size) {
    if (detail::given_later(static_extent(r)))
      dynamic_[next++] = size;
    else if (static_cast<std::size_t>(size) != static_extent(r))
      fail(sentence("mezzo::extents: dimension ") << r << " is fixed by the type at " << static_extent(r) << "; given "
                                                  << static_cast<std::size_t>(size)
                                                  << "; pass that size or make the extent dynamic");
  }

  // One spare element keeps the array legal for a type without dynamic sizes.
  Index dynamic_[rank_dynamic() + (rank_dynamic() == 0)]{};
};

/// The usual spelling: sizes counted in std::size_t.
template <std::size_t... Sizes>
using shape = extents<std::size_t, Sizes...>;

namespace detail {

template <class Index, std::size_t Rank, std::size_t... Sizes>
struct dynamic_extents : dynamic_extents<Index, Rank - 1, Sizes..., dynamic_extent> {};
template <class Index, std::size_t... Sizes>
struct dynamic_extents<Index, 0, Sizes...> {
  using type = extents<Index, Sizes...>;
};

template <class T>
inline constexpr bool is_extents = false;
template <class Index, std::size_t... Sizes>
inline constexpr bool is_extents<extents<Index, Sizes...>> = true;

}  // namespace detail

/// `Rank` dynamic sizes.
template <class Index, std::size_t Rank>
using dextents = typename detail::dynamic_extents<Index, Rank>::type;

}  // namespace mezzo::inline MEZZO_ABI
