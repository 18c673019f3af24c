// SPDX-License-Identifier: MIT
//
// Short vectors of numbers, as g++ and clang write them, for loops whose vectors a compiler would not find by itself.
// Passed by reference only: what a function by value would do depends on the instruction set.
#pragma once

#include <mezzo/base/config.hpp>

#include <bit>      // endian
#include <cstddef>  // size_t
#include <cstdint>  // uint16_t, uint32_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Bytes of the vectors that loops over rows use unless told: one register with AVX, two without.
inline constexpr std::size_t row_bytes = 32;

#if MEZZO_VECTORS
template <class T, std::size_t Bytes>
struct vector_of {
  typedef T type __attribute__((vector_size(Bytes)));
  typedef T unaligned __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};


template <class T, class V>
MEZZO_INLINE void load_vector(const T* from, V& to) {
  to = *reinterpret_cast<const typename vector_of<T, sizeof(V)>::unaligned*>(from);
}
template <class T, class V>
MEZZO_INLINE void store_vector(const V& from, T* to) {
  *reinterpret_cast<typename vector_of<T, sizeof(V)>::unaligned*>(to) = from;
}
/// Words of thirty-two bits that hold two codes of sixteen, wherever they lie; which of the two is the first.
inline constexpr bool first_is_low = std::endian::native == std::endian::little;
typedef std::uint32_t word_of_two __attribute__((aligned(2), may_alias));

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
/// The same for twice as many codes, a shift and a mask for each word: the first, third, … to `even`, the others to
/// `odd`.
template <class T, class V>
MEZZO_INLINE void load_upper_halves(const T* from, V& even, V& odd) {
  static_assert(sizeof(T) == 2 && sizeof(even[0]) == 4);
  using words = typename vector_of<std::uint32_t, sizeof(V)>::type;
  typedef std::uint32_t words_of_two __attribute__((vector_size(sizeof(V)), aligned(2), may_alias));
  using numbers = const typename vector_of<float, sizeof(V)>::unaligned;
  const words both = *reinterpret_cast<const words_of_two*>(from);
  const words low = both << 16, high = both & 0xffff0000U;
  even = reinterpret_cast<numbers&>(first_is_low ? low : high);
  odd = reinterpret_cast<numbers&>(first_is_low ? high : low);
}
#endif

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
