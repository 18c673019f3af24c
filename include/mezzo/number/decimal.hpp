// SPDX-License-Identifier: MIT
//
// Decimal digits and binary numbers, exactly: a whole number of fixed capacity, on it the shortest digits of a code
// and the code of any digits. Room and digits are those of formats with the range of float32 or less and at most 24
// bits of precision; `text.hpp` and `parse.hpp` are what a program includes.
#pragma once

#include <mezzo/number/traits.hpp>

#include <bit>      // bit_cast, bit_width
#include <cstdint>  // uint32_t, uint64_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// A whole number below 2^640; no operation checks its capacity, the callers' bounds do.
class whole {
 public:
  constexpr whole(std::uint32_t value) : words_{value}, size_(value != 0 ? 1 : 0) {}

  constexpr void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (int i = 0; i < size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_[size_++] = static_cast<std::uint32_t>(carry);
  }
  constexpr void shift_left(int bits) {
    const int skip = bits / 32;
    for (int i = size_ - 1; i >= 0 && skip > 0; --i) words_[i + skip] = words_[i];
    for (int i = 0; i < skip; ++i) words_[i] = 0;
    if (size_ > 0) size_ += skip;
    if (bits % 32 != 0) multiply_add(std::uint32_t{1} << (bits % 32), 0);
  }
  constexpr void add(const whole& other) {
    std::uint64_t carry = 0;
    for (int i = 0; i < other.size_ || carry != 0; ++i) {
      carry += (i < size_ ? std::uint64_t{words_[i]} : 0) + (i < other.size_ ? std::uint64_t{other.words_[i]} : 0);
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
      if (i >= size_) size_ = i + 1;
    }
  }
  /// Requires: `other` is not larger.
  constexpr void subtract(const whole& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < other.size_ || borrow != 0; ++i) {
      const std::uint64_t taken = borrow + (i < other.size_ ? std::uint64_t{other.words_[i]} : 0);
      borrow = words_[i] < taken ? 1 : 0;
      words_[i] = static_cast<std::uint32_t>(words_[i] - taken);
    }
    while (size_ > 0 && words_[size_ - 1] == 0) --size_;
  }
  /// Negative, zero or positive as `*this` is below, at or above `other`.
  [[nodiscard]] constexpr int compare(const whole& other) const {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (int i = size_ - 1; i >= 0; --i)
      if (words_[i] != other.words_[i]) return words_[i] < other.words_[i] ? -1 : 1;
    return 0;
  }
  [[nodiscard]] constexpr int bit_width() const {
    return size_ == 0 ? 0 : 32 * (size_ - 1) + static_cast<int>(std::bit_width(words_[size_ - 1]));
  }

 private:
  std::uint32_t words_[20];
  int size_;
};

/// 0.d1d2d3... * 10^point, of digits from 0 to 9 and no leading zero.
struct decimal {
  // A tie of a format with float32's range and less precision has below 128 significant digits: with one more for
  // all that follow, digits that were cut cannot change a rounding.
  static constexpr int capacity = 128;
  unsigned char digits[capacity + 1]{};
  int count = 0;
  int point = 0;

  constexpr void append(int digit) { digits[count++] = static_cast<unsigned char>(digit); }
};

/// The fewest digits that name `code`, a finite number above zero, among the numbers of its format; of several, those
/// nearest to it (Steele, White 1990, doi:10.1145/93542.93559).
template <format Format>
constexpr decimal shortest_digits(typename Format::storage code) {
  const std::uint32_t mantissa = code & std::uint32_t{layout<Format>::mantissa};
  const int exponent = static_cast<int>(code >> Format::mantissa_bits);
  const bool normal = exponent != 0;
  const std::uint32_t significand = mantissa + (normal ? std::uint32_t{layout<Format>::smallest_normal} : 0);
  const int scale = (normal ? exponent : 1) - Format::bias - Format::mantissa_bits;

  // In quarters of a step: the number is rest / unit, its neighbours' midpoints lie `above` and `below`.
  whole rest(4 * significand);
  whole unit(4);
  whole above(2);
  whole below(mantissa == 0 && exponent > 1 ? 1 : 2);
  if (scale < 0) {
    unit.shift_left(-scale);
  } else {
    rest.shift_left(scale);
    above.shift_left(scale);
    below.shift_left(scale);
  }
  // A midpoint reads back as the even one of its neighbours.
  const int tie = significand % 2 == 0 ? 0 : 1;
  const auto reaches = [&] {
    whole sum = rest;
    sum.add(above);
    return sum.compare(unit) >= tie;
  };

  decimal result;
  for (; reaches(); ++result.point) unit.multiply_add(10, 0);
  const auto next = [&] {
    rest.multiply_add(10, 0);
    above.multiply_add(10, 0);
    below.multiply_add(10, 0);
  };
  next();
  for (; !reaches(); --result.point) next();
  while (true) {
    int digit = 0;
    for (; rest.compare(unit) >= 0; ++digit) rest.subtract(unit);
    const bool low = rest.compare(below) <= -tie;
    const bool high = reaches();
    if (low || high) {
      whole twice = rest;
      twice.add(rest);
      // Half-way between two digits the even one, as printf has it.
      const bool up = twice.compare(unit) >= 1 - digit % 2;
      result.append(high && (!low || up) ? digit + 1 : digit);
      return result;
    }
    result.append(digit);
    next();
  }
}

/// A double between the same two neighbours as the digits, and on a tie only if they are on it (as `to_odd`).
constexpr double to_odd(const decimal& number) {
  // Beyond every finite number and below every half of a step: 2^128 < 10^39, 2^-150 > 10^-46.
  if (number.count == 0 || number.point < -50) return 0;
  if (number.point > 40) return std::bit_cast<double>(layout<binary64>::exponent);

  whole rest(0);
  whole unit(1);
  for (int i = 0; i < number.count; ++i) rest.multiply_add(10, number.digits[i]);
  for (int i = number.count; i < number.point; ++i) rest.multiply_add(10, 0);
  for (int i = number.point; i < number.count; ++i) unit.multiply_add(10, 0);
  int exponent = rest.bit_width() - unit.bit_width();
  if (exponent > 0) unit.shift_left(exponent);
  if (exponent < 0) rest.shift_left(-exponent);
  if (rest.compare(unit) < 0) {
    rest.shift_left(1);
    --exponent;
  }
  std::uint64_t significand = 0;
  for (int i = 0; i < 53; ++i) {
    const bool bit = rest.compare(unit) >= 0;
    if (bit) rest.subtract(unit);
    significand = 2 * significand + (bit ? 1 : 0);
    rest.shift_left(1);
  }
  if (rest.bit_width() != 0) significand |= 1;
  const auto biased = static_cast<std::uint64_t>(exponent + binary64::bias);
  return std::bit_cast<double>(biased << 52 | (significand & layout<binary64>::mantissa));
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
