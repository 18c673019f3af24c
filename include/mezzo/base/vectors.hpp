// SPDX-License-Identifier: MIT
//
// Short vectors of numbers, as g++ and clang write them, for loops whose vectors a compiler would not find by itself.
// Passed by reference only: what a function by value would do depends on the instruction set.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint16_t, uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

#if MEZZO_VECTORS
template <class T, std::size_t Bytes>
struct vector_of {
  typedef T type __attribute__((vector_size(Bytes)));
  typedef T unaligned __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};

/// Thirty-two bytes: one register with AVX, two without.
template <class T>
using row_vector = vector_of<T, 32>;

template <class T, class V>
MEZZO_INLINE void load_vector(const T* from, V& to) {
  to = *reinterpret_cast<const typename vector_of<T, sizeof(V)>::unaligned*>(from);
}
template <class T, class V>
MEZZO_INLINE void store_vector(const V& from, T* to) {
  *reinterpret_cast<typename vector_of<T, sizeof(V)>::unaligned*>(to) = from;
}
/// Sixteen-bit codes as the upper halves of words, which is how bfloat16 widens.
template <class T, class V>
MEZZO_INLINE void load_upper_halves(const T* from, V& to) {
  static_assert(sizeof(T) == 2 && sizeof(to[0]) == 4);
  using codes = typename vector_of<std::uint16_t, sizeof(V) / 2>::unaligned;
  using words = vector_of<std::uint32_t, sizeof(V)>;
  const typename words::type upper =
      __builtin_convertvector(*reinterpret_cast<const codes*>(from), typename words::type) << 16;
  to = reinterpret_cast<const typename vector_of<float, sizeof(V)>::unaligned&>(upper);
}
#endif

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
