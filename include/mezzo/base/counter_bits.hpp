// SPDX-License-Identifier: MIT
//
// Random bits as a function of a seed and a counter: no state, so any element can be drawn alone, in any order, on any
// thread, in constant evaluation, and always gives the same bits.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstdint>  // uint32_t, uint64_t

namespace mezzo::inline MEZZO_ABI {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195): a bijection of 64-bit words.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

/// 64 random bits for element `counter` of the stream `seed`.
[[nodiscard]] constexpr std::uint64_t counter_bits(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15ULL;
  return mix_bits(mix_bits(seed + golden_ratio) + (counter + 1) * golden_ratio);
}

/// A float32 drawn evenly from [0, 1): 24 random bits, each value exact.
[[nodiscard]] constexpr float counter_uniform(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<float>(counter_bits(seed, counter) >> 40) * 0x1p-24f;
}

/// A whole number drawn from [0, bound) by multiply-and-shift (Lemire 2019, doi:10.1145/3230636); its bias is below
/// bound / 2^32.
[[nodiscard]] constexpr std::uint32_t counter_below(std::uint64_t seed, std::uint64_t counter, std::uint32_t bound) {
  return static_cast<std::uint32_t>(((counter_bits(seed, counter) >> 32) * bound) >> 32);
}

}  // namespace mezzo::inline MEZZO_ABI
