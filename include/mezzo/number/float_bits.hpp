// SPDX-License-Identifier: MIT
//
// float and double as their bits (IEEE 754), for elementary functions that are the same in constant evaluation, in
// scalar code and in vectors: decisions are integer selects on bits, which no floating-point flag can delete, and
// never branches, which would stop a loop from becoming vectors.
#pragma once

#include <mezzo/base/config.hpp>

#include <concepts>  // same_as
#include <cstdint>   // int32_t, int64_t, uint32_t, uint64_t
#include <limits>    // numeric_limits

namespace mezzo::inline MEZZO_ABI {
namespace math {

/// The types that the functions of this namespace take.
template <class T>
concept real = std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

template <class T>
struct float_bits;

template <>
struct float_bits<float> {
  using word = std::uint32_t;
  using signed_word = std::int32_t;
  static constexpr int fraction = 23;
  static constexpr int bias = 127;
};

template <>
struct float_bits<double> {
  using word = std::uint64_t;
  using signed_word = std::int64_t;
  static constexpr int fraction = 52;
  static constexpr int bias = 1023;
};

template <class T>
using word_of = typename float_bits<T>::word;
template <class T>
using signed_word_of = typename float_bits<T>::signed_word;

template <class T>
inline constexpr word_of<T> sign_bit = word_of<T>{1} << (sizeof(T) * 8 - 1);
template <class T>
inline constexpr word_of<T> fraction_bits = (word_of<T>{1} << float_bits<T>::fraction) - 1;
template <class T>
inline constexpr word_of<T> infinity_bits = (sign_bit<T> - 1) ^ fraction_bits<T>;
template <class T>
inline constexpr word_of<T> nan_bits = infinity_bits<T> | word_of<T>{1} << (float_bits<T>::fraction - 1);
template <class T>
inline constexpr word_of<T> one_bits = word_of<T>{float_bits<T>::bias} << float_bits<T>::fraction;

// The builtin behind std::bit_cast: g++ keeps a call to the latter in a loop whose floating-point options differ from
// those of the file, and a call keeps the loop from becoming vectors.
template <real T>
MEZZO_INLINE constexpr word_of<T> to_bits(T x) {
  return __builtin_bit_cast(word_of<T>, x);
}

template <real T>
MEZZO_INLINE constexpr T from_bits(word_of<T> bits) {
  return __builtin_bit_cast(T, bits);
}

template <real T>
MEZZO_INLINE constexpr word_of<T> magnitude_bits(T x) {
  return to_bits(x) & ~sign_bit<T>;
}

/// `yes` or `no`, by a mask. The operator ?: would do, if g++ did not make it a branch, move half of the function
/// behind that branch, and then find control flow where it wants to make vectors.
template <class Word>
MEZZO_INLINE constexpr Word chosen(bool condition, Word yes, Word no) {
  const Word mask = Word{0} - static_cast<Word>(condition);
  return no ^ ((yes ^ no) & mask);
}

template <real T>
MEZZO_INLINE constexpr T chosen(bool condition, T yes, T no) {
  return from_bits<T>(chosen(condition, to_bits(yes), to_bits(no)));
}

/// `result`, or a NaN where `x` is one: its bits on top of those of `result`.
template <real T>
MEZZO_INLINE constexpr T unless_nan(T x, word_of<T> result) {
  const word_of<T> mask = word_of<T>{0} - static_cast<word_of<T>>(magnitude_bits(x) > infinity_bits<T>);
  return from_bits<T>(result | (to_bits(x) & mask));
}

/// The smaller of two integers; g++ knows the minimum by this shape alone.
template <class Integer>
MEZZO_INLINE constexpr Integer smaller(Integer a, Integer b) {
  return a < b ? a : b;
}

/// The magnitude of `x`, at most `limit`; NaN gives `limit`, so that whole numbers made of the result are defined.
template <real T>
MEZZO_INLINE constexpr T size_up_to(T x, T limit) {
  return from_bits<T>(smaller(magnitude_bits(x), to_bits(limit)));
}

/// `x` held in [low, high] for a low < 0 < high; NaN gives either. As signed integers, numbers above 0 are in order and
/// above all others; as unsigned integers, those below 0 are in reverse order and above all others.
template <real T>
MEZZO_INLINE constexpr T held(T x, T low, T high) {
  using signed_word = signed_word_of<T>;
  const auto lowered = smaller(__builtin_bit_cast(signed_word, x), __builtin_bit_cast(signed_word, high));
  return from_bits<T>(smaller(static_cast<word_of<T>>(lowered), to_bits(low)));
}

/// The larger of two integers, in the same way.
template <class Integer>
MEZZO_INLINE constexpr Integer larger(Integer a, Integer b) {
  return a > b ? a : b;
}

/// y * 2^k by the exponent as an integer. Requires: y and the result normal; `power` is k in the place of an exponent,
/// modulo the word.
template <real T>
MEZZO_INLINE constexpr T shifted(T y, word_of<T> power) {
  return from_bits<T>(to_bits(y) + power);
}

/// y * 2^k, rounded once where the result is subnormal, infinite where it overflows. Requires: y in [1/2, 2), k at most
/// `bias` + 1 and at least -`bias` - `fraction` - 2. The exponent goes in as an integer as far as the result stays
/// normal, and what passes infinity is cut to it as an integer too; the rest, seldom other than 1, multiplies.
template <real T>
MEZZO_INLINE constexpr T scaled(T y, word_of<T> power) {
  using signed_word = signed_word_of<T>;
  constexpr signed_word lowest = signed_word{2 - float_bits<T>::bias} * (signed_word{1} << float_bits<T>::fraction);
  const auto wanted = static_cast<signed_word>(power);
  const auto normal = static_cast<word_of<T>>(larger(wanted, lowest));
  const word_of<T> product = smaller(to_bits(y) + normal, word_of<T>{infinity_bits<T>});
  return from_bits<T>(product) * from_bits<T>(power - normal + one_bits<T>);
}

}  // namespace detail

/// |x|; of a NaN too only the sign changes.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T abs(T x) {
  return detail::from_bits<T>(detail::magnitude_bits(x));
}

/// The magnitude of `x` with the sign of `sign`, which may be a zero or a NaN.
template <real T>
[[nodiscard]] MEZZO_INLINE constexpr T copysign(T x, T sign) {
  return detail::from_bits<T>(detail::magnitude_bits(x) | (detail::to_bits(sign) & detail::sign_bit<T>));
}

}  // namespace math
}  // namespace mezzo::inline MEZZO_ABI
