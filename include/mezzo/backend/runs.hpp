// SPDX-License-Identifier: MIT
//
// Conversions of whole runs. float16 has instructions on x86-64 (F16C) that give the bits of the integer definition,
// NaNs and subnormals included, but no plain loop reaches them: they are called for a run at a time.
#pragma once

#include <mezzo/backend/row_sums.hpp>
#include <mezzo/expr/region.hpp>

#include <bit>          // bit_cast
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {

namespace detail {

#if MEZZO_X86_DISPATCH
// Every processor with AVX2 has F16C.
[[nodiscard]] inline bool has_f16c() { return __builtin_cpu_supports("avx2"); }

using eight_halves [[gnu::vector_size(16)]] = short;
using eight_floats [[gnu::vector_size(32)]] = float;
using eight_halves_anywhere [[gnu::vector_size(16), gnu::aligned(2), gnu::may_alias]] = short;
using eight_floats_anywhere [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;

[[gnu::target("avx,f16c")]] inline void decode_f16c(const float16* in, float* out, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    *reinterpret_cast<eight_floats_anywhere*>(out + i) =
        __builtin_ia32_vcvtph2ps256(*reinterpret_cast<const eight_halves_anywhere*>(in + i));
  // The last eight once more rather than what is left one by one.
  if (i < count && count >= 8) {
    i = count - 8;
    *reinterpret_cast<eight_floats_anywhere*>(out + i) =
        __builtin_ia32_vcvtph2ps256(*reinterpret_cast<const eight_halves_anywhere*>(in + i));
    return;
  }
  for (; i < count; ++i) out[i] = convert<float>(in[i]);
}
[[gnu::target("avx,f16c")]] inline void encode_f16c(const float* in, float16* out, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    *reinterpret_cast<eight_halves_anywhere*>(out + i) =
        __builtin_ia32_vcvtps2ph256(*reinterpret_cast<const eight_floats_anywhere*>(in + i), 0);  // to nearest even
  for (; i < count; ++i) out[i] = convert<float16>(in[i]);
}
#endif

}  // namespace detail

/// Widens `count` numbers.
template <low_precision T>
constexpr void decode_run(const T* in, float* out, std::size_t count) {
#if MEZZO_X86_DISPATCH
  if constexpr (std::same_as<T, float16>)
    if (!std::is_constant_evaluated() && detail::has_f16c()) return detail::decode_f16c(in, out, count);
#endif
  for (std::size_t i = 0; i < count; ++i) out[i] = convert<float>(in[i]);
}

/// Rounds `count` numbers to nearest even.
template <low_precision T>
constexpr void encode_run(const float* in, T* out, std::size_t count) {
#if MEZZO_X86_DISPATCH
  if constexpr (std::same_as<T, float16>)
    if (!std::is_constant_evaluated() && detail::has_f16c()) return detail::encode_f16c(in, out, count);
#endif
  for (std::size_t i = 0; i < count; ++i) out[i] = convert<T>(in[i]);
}

/// The type whose values an operand of type `T` takes when it enters an operation.
template <class Precision, class T>
using entering_t =
    std::conditional_t<std::same_as<typename Precision::operand, as_given>, T, typename Precision::operand>;

/// Reads an operand as `Precision` has it enter, as an `Out` that holds it exactly: the compute type, or `entering_t`.
template <class Precision, class Out, class T>
MEZZO_INLINE constexpr Out read_as(T value) {
  if constexpr (std::same_as<Out, T> && std::same_as<entering_t<Precision, T>, T>)
    return value;
  else
    return convert<Out>(detail::enter<Precision, false>(value));
}

/// Reads `count` operands.
template <class Precision, class T, class Out>
MEZZO_INLINE constexpr void read_run(const T* from, Out* out, std::size_t count) {
  if constexpr (carried_exact<T> && std::same_as<typename Precision::operand, as_given> && std::same_as<Out, float>) {
    decode_run(from, out, count);
  } else {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = read_as<Precision, Out>(from[i]);
  }
}

namespace detail {

/// Number `K` of the two in word `word` of a run of sixteen-bit numbers; of any run, element 2·word + K.
template <std::size_t K>
struct half_index {
  std::size_t word;
  MEZZO_INLINE constexpr operator std::size_t() const { return 2 * word + K; }
};

/// Calls `f(i)` for each i below `count`, as an index or, a word at a time, as halves of words: bfloat16 is then read
/// with a shift or a mask and written with another, where single numbers would be unpacked and packed.
template <bool Halves, class F>
MEZZO_INLINE constexpr void for_elements(std::size_t count, const F& f) {
  if (Halves && !std::is_constant_evaluated()) {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count / 2; ++i) {
      f(half_index<0>{i});
      f(half_index<1>{i});
    }
    if (count % 2 != 0) f(count - 1);
  } else {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) f(i);
  }
}

/// bfloat16 read as float32 where it lies.
struct widened_run {
  using value_type = float;
  static constexpr bool in_halves = true;
  const bfloat16* x;
  MEZZO_INLINE constexpr float operator[](std::size_t i) const { return convert<float>(x[i]); }
#if MEZZO_VECTORS
  template <std::size_t K>
  MEZZO_INLINE float operator[](half_index<K> i) const {
    const std::uint32_t both = reinterpret_cast<const word_of_two*>(x)[i.word];
    return std::bit_cast<float>((K == 0) == first_is_low ? both << 16 : both & 0xffff0000U);
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to) const {
    load_upper_halves(x + i, to);
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& even, V& odd) const {
    load_upper_halves(x + i, even, odd);
  }
#endif
};

#if MEZZO_VECTORS
/// Rounds two numbers to word `i` of a run.
MEZZO_INLINE void store_two(float first, float second, bfloat16* out, std::size_t i) {
  const auto rounded = [](float x) MEZZO_INLINE_LAMBDA {
    return rounded_in_place<rounding::nearest_even, 16, binary32>(std::bit_cast<std::uint32_t>(x));
  };
  reinterpret_cast<word_of_two*>(out)[i] = rounded(first_is_low ? first : second) >> 16 |
                                           (rounded(first_is_low ? second : first) & 0xffff0000U);
}
#endif

/// A row of numbers in scratch, side by side, or those of even index before the others, as a loop over halves wants
/// them.
template <bool Halves, class A>
struct scratch_row {
  using value_type = A;
  A* x;
  constexpr scratch_row(A* from, std::size_t) : x(from) {}
  MEZZO_INLINE constexpr A& operator[](std::size_t i) const { return x[i]; }
#if MEZZO_VECTORS
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to) const {
    load_vector(x + i, to);
  }
  template <class V>
  MEZZO_INLINE void store(std::size_t i, const V& from) const {
    store_vector(from, x + i);
  }
#endif
};
template <class A>
struct scratch_row<true, A> {
  using value_type = A;
  static constexpr bool in_halves = true;
  A* even;
  A* odd;
  constexpr scratch_row(A* x, std::size_t count) : even(x), odd(x + (count + 1) / 2) {}
  // By a name: under -fsanitize=undefined g++ 12 computes the index of a choice of pointers in one of its branches
  // only.
  MEZZO_INLINE constexpr A& operator[](std::size_t i) const {
    A* const half = i % 2 == 0 ? even : odd;
    return half[i / 2];
  }
  template <std::size_t K>
  MEZZO_INLINE constexpr A& operator[](half_index<K> i) const {
    A* const half = K == 0 ? even : odd;
    return half[i.word];
  }
#if MEZZO_VECTORS
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to_even, V& to_odd) const {
    load_vector(even + i / 2, to_even);
    load_vector(odd + i / 2, to_odd);
  }
  template <class V>
  MEZZO_INLINE void store(std::size_t i, const V& from_even, const V& from_odd) const {
    store_vector(from_even, even + i / 2);
    store_vector(from_odd, odd + i / 2);
  }
#endif
};

}  // namespace detail

/// `count` operands as the numbers that the operation computes with: read where they lie if that costs little, else
/// read into `own` at once.
template <class Precision, class T, class A>
MEZZO_INLINE constexpr auto run_of(const T* from, A* own, std::size_t count) {
  constexpr bool as_is = std::same_as<entering_t<Precision, T>, T>;
  if constexpr (as_is && std::same_as<T, A>) {
    return detail::number_run<A>{from};
  } else if constexpr (as_is && std::same_as<T, bfloat16> && std::same_as<A, float>) {
    return detail::widened_run{from};
  } else {
    read_run<Precision>(from, own, count);
    return detail::number_run<A>{own};
  }
}

/// Stores `count` results, rounded once.
template <class T, class A>
MEZZO_INLINE constexpr void store_run(const A* from, T* out, std::size_t count) {
  if constexpr (carried_exact<T> && std::same_as<A, float>) {
    encode_run(from, out, count);
  } else {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = convert<T>(from[i]);
  }
}

}  // namespace mezzo::inline MEZZO_ABI
