// SPDX-License-Identifier: MIT
//
// What tests of networks share: numbers to run them on, and comparison by bits.
#pragma once

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/convert.hpp>

/// Reproducible numbers in [low, high), another series for each seed.
template <class Range>
constexpr void fill_drawn(Range&& values, std::uint64_t seed, float low = -1, float high = 1) {
  std::uint64_t i = 0;
  for (auto& value : values)
    value =
        mezzo::convert<std::remove_cvref_t<decltype(value)>>(low + (high - low) * mezzo::counter_uniform(seed, i++));
}

template <class A, class B>
constexpr bool same_bits(const A* a, const B* b, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (mezzo::bits_of(a[i]) != mezzo::bits_of(b[i])) return false;
  return true;
}
template <class A, class B>
constexpr bool same_bits(const A& a, const B& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}
