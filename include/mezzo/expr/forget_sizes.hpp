// SPDX-License-Identifier: MIT
//
// Two networks that differ in their sizes share their arithmetic. Once the compiler has checked the sizes of a bound
// expression its types forget them, except the 1s, along which values repeat: what is compiled from it is then compiled
// once for all sizes.
#pragma once

#include <mezzo/expr/node.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Extents>
struct forgotten;
template <class Index, std::size_t... Sizes>
struct forgotten<extents<Index, Sizes...>> {
  using type = extents<Index, (Sizes > 1 && Sizes != dynamic_extent ? plural_extent : Sizes)...>;
};

/// Whether two types of sizes agree on where they are 1.
template <class A, class B>
constexpr bool same_ones() {
  for (std::size_t r = 0; r < A::rank(); ++r)
    if ((A::static_extent(r) == 1) != (B::static_extent(r) == 1)) return false;
  return true;
}

template <class Expression>
struct size_free {
  using type = Expression;
  static constexpr bool same = true;
};
template <class T, class Extents, class Name>
struct size_free<leaf<view<T, Extents>, Name>> {
  using type = leaf<view<T, typename forgotten<Extents>::type>, Name>;
  static constexpr bool same = true;
};
template <class Fn, class Precision, class... Children>
struct size_free<bound<Fn, Precision, Children...>> {
  using type = bound<Fn, Precision, typename size_free<Children>::type...>;
  static constexpr bool same = (size_free<Children>::same && ...) &&
                               same_ones<typename bound<Fn, Precision, Children...>::extents_type,
                                         typename type::extents_type>();
};

template <class To, class T>
constexpr To without_sizes(const T& from) {
  if constexpr (std::same_as<To, T>)
    return from;
  else if constexpr (is_leaf<T>)
    return To{{from.source.data(), from.extents()}};
  else
    return apply_pack(
        [](const auto&... child) {
          return To{make_pack(without_sizes<typename size_free<std::remove_cvref_t<decltype(child)>>::type>(child)...)};
        },
        from.children);
}

}  // namespace detail

/// A leaf with its sizes out of its type.
template <class Leaf>
[[nodiscard]] constexpr auto forget_leaf_sizes(const Leaf& of) {
  return detail::without_sizes<typename detail::size_free<Leaf>::type>(of);
}

/// `expression` with the sizes above 1 out of its types; as it is where an operation would then no longer know a 1 of
/// its result.
template <class Expression>
[[nodiscard]] constexpr auto forget_sizes(const Expression& expression) {
  if constexpr (detail::size_free<Expression>::same)
    return detail::without_sizes<typename detail::size_free<Expression>::type>(expression);
  else
    return expression;
}

}  // namespace mezzo::inline MEZZO_ABI
