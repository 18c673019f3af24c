// SPDX-License-Identifier: MIT
//
// A tuple that stays an aggregate of its elements: trivially copyable when they are, usable in constant evaluation, and
// cheap to compile. Expressions, bound arguments and parameter lists are packs.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>      // size_t
#include <type_traits>  // is_trivially_copyable
#include <utility>      // index_sequence

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <std::size_t I, class T>
struct pack_element {
  [[no_unique_address]] T value;
};

template <class Indices, class... Ts>
struct pack_base;

template <std::size_t... I, class... Ts>
struct pack_base<std::index_sequence<I...>, Ts...> : pack_element<I, Ts>... {};

template <std::size_t I, class T>
T pack_type(const pack_element<I, T>&);

}  // namespace detail

/// Elements of the types `Ts`, in order.
template <class... Ts>
struct pack : detail::pack_base<std::index_sequence_for<Ts...>, Ts...> {
  static constexpr std::size_t size = sizeof...(Ts);
};

template <std::size_t I, class T>
MEZZO_INLINE constexpr const T& get(const detail::pack_element<I, T>& element) {
  return element.value;
}
template <std::size_t I, class T>
MEZZO_INLINE constexpr T& get(detail::pack_element<I, T>& element) {
  return element.value;
}

/// Type of element `I` of a pack.
template <std::size_t I, class Pack>
using pack_element_t = decltype(detail::pack_type<I>(*static_cast<const Pack*>(nullptr)));

/// A pack of the given values.
template <class... Ts>
MEZZO_INLINE constexpr pack<Ts...> make_pack(const Ts&... values) {
  return pack<Ts...>{{{values}...}};
}

/// Calls `f(element...)` with all elements of the pack.
template <class F, class... Ts>
MEZZO_INLINE constexpr decltype(auto) apply_pack(F&& f, const pack<Ts...>& values) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) MEZZO_INLINE_LAMBDA -> decltype(auto) {
    return f(get<I>(values)...);
  }(std::index_sequence_for<Ts...>{});
}

/// Calls `f(std::integral_constant<std::size_t, I>{})` for I = 0 … N-1, in order.
template <std::size_t N, class F>
MEZZO_INLINE constexpr void for_each_index(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) MEZZO_INLINE_LAMBDA {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<N>{});
}

/// One pack with the elements of two.
template <class... Ts, class... Us>
MEZZO_INLINE constexpr pack<Ts..., Us...> concat(const pack<Ts...>& a, const pack<Us...>& b) {
  return [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>)
      MEZZO_INLINE_LAMBDA {
    return pack<Ts..., Us...>{{{get<I>(a)}..., {get<J>(b)}...}};
  }(std::index_sequence_for<Ts...>{}, std::index_sequence_for<Us...>{});
}
MEZZO_INLINE constexpr pack<> concat() { return {}; }
template <class... Ts>
MEZZO_INLINE constexpr pack<Ts...> concat(const pack<Ts...>& a) {
  return a;
}
template <class A, class B, class C, class... Rest>
MEZZO_INLINE constexpr auto concat(const A& a, const B& b, const C& c, const Rest&... rest) {
  return concat(concat(a, b), c, rest...);
}

}  // namespace mezzo::inline MEZZO_ABI
