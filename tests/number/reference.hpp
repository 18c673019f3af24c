// SPDX-License-Identifier: MIT
//
// What rounding to nearest means, told without rounding: the midpoints between neighbouring codes are numbers of the
// wider format, and non-negative numbers are in the order of their bits. A code is right when the number lies between
// the midpoints below and above it, and on one only if the code is even.
#pragma once

#include <mezzo/number/format.hpp>

#include <cstdint>
#include <vector>

namespace reference {

/// The code in `Wide` of count * 2^exponent. Requires: that it has one.
template <class Wide>
constexpr std::uint64_t assemble(std::uint64_t count, int exponent) {
  if (count == 0) return 0;
  int top = 0;
  while (count >> top != 1) ++top;
  const int lowest = 1 - Wide::bias;
  if (top + exponent < lowest) return count << (exponent - lowest + Wide::mantissa_bits);
  const std::uint64_t hidden = std::uint64_t{1} << Wide::mantissa_bits;
  return (static_cast<std::uint64_t>(top + exponent + Wide::bias) << Wide::mantissa_bits) +
         ((count << (Wide::mantissa_bits - top)) - hidden);
}

/// A non-negative finite code is count * 2^exponent.
struct parts {
  std::uint64_t count;
  int exponent;
};

template <class Format>
constexpr parts take_apart(unsigned code) {
  const unsigned hidden = 1U << Format::mantissa_bits;
  const unsigned field = code / hidden;
  if (field == 0) return {code, 1 - Format::bias - Format::mantissa_bits};
  return {code % hidden + hidden, static_cast<int>(field) - Format::bias - Format::mantissa_bits};
}

/// The code in `Wide` of the midpoint between a finite `code` and the next, which for the largest is the threshold of
/// overflow.
template <class Wide, class Format>
constexpr std::uint64_t midpoint(unsigned code) {
  const parts p = take_apart<Format>(code);
  return assemble<Wide>(2 * p.count + 1, p.exponent - 1);
}

template <class Wide, class Format>
std::vector<std::uint64_t> midpoints() {
  std::vector<std::uint64_t> result;
  for (unsigned code = 0; code <= mezzo::layout<Format>::largest; ++code)
    result.push_back(midpoint<Wide, Format>(code));
  return result;
}

/// The code nearest to the number with the non-negative code `wide`, by bisection.
template <class Wide, class Format>
unsigned nearest(const std::vector<std::uint64_t>& middle, std::uint64_t wide) {
  std::size_t low = 0;
  std::size_t high = middle.size();
  while (low < high) {
    const std::size_t half = (low + high) / 2;
    const bool passed = middle[half] < wide || (middle[half] == wide && half % 2 == 1);
    if (passed)
      low = half + 1;
    else
      high = half;
  }
  return static_cast<unsigned>(low);
}

}  // namespace reference
