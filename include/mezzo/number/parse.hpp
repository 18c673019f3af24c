// SPDX-License-Identifier: MIT
//
// Text and literals as numbers, rounded once: 1025.49995_f16 is the float16 nearest to those digits, not to the double
// nearest to them. Decimal and hexadecimal, in the grammar of strtod but for space and '+' in front.
#pragma once

#include <mezzo/base/contract.hpp>
#include <mezzo/number/decimal.hpp>

#include <bit>      // bit_cast
#include <cstdint>  // uint64_t

namespace mezzo::inline MEZZO_ABI {

/// Where the number ended; not `ok` where there was none, and then `ptr` is where the text began.
struct from_chars_result {
  const char* ptr;
  bool ok;
};

namespace detail {

/// Characters of a number; an apostrophe between digits is skipped where a literal may have one.
class number_reader {
 public:
  constexpr number_reader(const char* first, const char* last, bool literal)
      : next_(first), last_(last), literal_(literal) {}

  [[nodiscard]] constexpr const char* position() const { return next_; }

  constexpr bool accept(char lower) {
    if (next_ == last_ || (*next_ != lower && (lower < 'a' || lower > 'z' || *next_ != lower - 'a' + 'A')))
      return false;
    ++next_;
    return true;
  }
  constexpr bool accept(const char* lower) {
    const char* const start = next_;
    for (; *lower != '\0'; ++lower)
      if (!accept(*lower)) {
        next_ = start;
        return false;
      }
    return true;
  }
  /// The next digit, or -1.
  constexpr int digit(int base) {
    if (literal_ && next_ != last_ && *next_ == '\'') ++next_;
    if (next_ == last_) return -1;
    const char c = *next_;
    int value = -1;
    if (c >= '0' && c <= '9') value = c - '0';
    if (base == 16 && c >= 'a' && c <= 'f') value = c - 'a' + 10;
    if (base == 16 && c >= 'A' && c <= 'F') value = c - 'A' + 10;
    if (value >= 0) ++next_;
    return value;
  }
  /// An exponent behind `letter`, clamped far beyond every range; 0, and nothing read, where it has no digit.
  constexpr int exponent(char letter) {
    const char* const start = next_;
    if (!accept(letter)) return 0;
    const bool negative = accept('-');
    if (!negative) accept('+');
    int value = digit(10);
    if (value < 0) {
      next_ = start;
      return 0;
    }
    for (int next = digit(10); next >= 0; next = digit(10)) value = value < 100'000'000 ? 10 * value + next : value;
    return negative ? -value : value;
  }

 private:
  const char* next_;
  const char* last_;
  bool literal_;
};

struct reading {
  double value = 0;
  bool ok = false;
};

constexpr reading read_decimal(number_reader& reader) {
  decimal number;
  bool any = false;
  bool fraction = false;
  bool cut = false;
  long long point = 0;
  while (true) {
    const int digit = reader.digit(10);
    if (digit < 0) {
      if (fraction || !reader.accept('.')) break;
      fraction = true;
      continue;
    }
    any = true;
    if (number.count == 0 && digit == 0) {
      point -= fraction ? 1 : 0;
      continue;
    }
    point += fraction ? 0 : 1;
    if (number.count < decimal::capacity)
      number.append(digit);
    else
      cut = cut || digit != 0;
  }
  if (!any) return {};
  if (cut) number.append(1);
  while (number.count > 0 && number.digits[number.count - 1] == 0) --number.count;
  point += reader.exponent('e');
  number.point = point > 1000 ? 1000 : point < -1000 ? -1000 : static_cast<int>(point);
  return {to_odd(number), true};
}

constexpr reading read_hexadecimal(number_reader& reader) {
  std::uint64_t significand = 0;
  bool any = false;
  bool fraction = false;
  long long exponent = 0;
  while (true) {
    const int digit = reader.digit(16);
    if (digit < 0) {
      if (fraction || !reader.accept('.')) break;
      fraction = true;
      continue;
    }
    any = true;
    if (significand >> 59 == 0) {
      significand = 16 * significand + static_cast<unsigned>(digit);
      exponent -= fraction ? 4 : 0;
    } else {
      significand |= digit != 0 ? 1U : 0U;
      exponent += fraction ? 0 : 4;
    }
  }
  if (!any) return {};
  exponent += reader.exponent('p');
  // No format here reaches 2^+-256; beyond 2^1000 the powers stop, and infinity or zero is right as well.
  double value = to_odd(significand);
  for (; exponent > 0 && value != 0 && value < 0x1p500; --exponent) value *= 2;
  for (; exponent < 0 && value > 0x1p-500; ++exponent) value *= 0.5;
  return {value, true};
}

template <format Format>
constexpr from_chars_result read_number(const char* first, const char* last, bool literal, minifloat<Format>& value) {
  using codes = layout<Format>;
  number_reader reader(first, last, literal);
  const bool negative = reader.accept('-');
  reading found;
  typename Format::storage code = 0;
  if (reader.accept("inf")) {
    reader.accept("inity");
    found.ok = true;
    code = codes::overflow;
  } else if (reader.accept("nan")) {
    found.ok = true;
    code = codes::quiet_nan;
  } else {
    number_reader hexadecimal = reader;
    if (hexadecimal.accept("0x")) found = read_hexadecimal(hexadecimal);
    if (found.ok)
      reader = hexadecimal;
    else
      found = read_decimal(reader);
    code = encode<Format>(found.value);
  }
  if (!found.ok) return {first, false};
  value = minifloat<Format>::from_bits(code);
  if (negative) value = -value;
  return {reader.position(), true};
}

/// Octal and binary integers mean something else in C++ than their digits say in decimal, and are refused.
template <format Format>
consteval minifloat<Format> read_literal(const char* text) {
  const char* last = text;
  bool decimal_digits = true;
  for (; *last != '\0'; ++last) decimal_digits = decimal_digits && ((*last >= '0' && *last <= '9') || *last == '\'');
  expects(!(decimal_digits && text[0] == '0' && text[1] != '\0'),
          "literal: a minifloat is written in decimal or hexadecimal, this is octal; remove the leading zero");
  minifloat<Format> value{};
  const auto result = read_number(text, last, true, value);
  expects(result.ok && result.ptr == last,
          "literal: a minifloat is written in decimal or hexadecimal, this is neither");
  return value;
}

}  // namespace detail

/// Reads the longest number that [first, last) begins with; beyond the range it is infinite or zero. Leaves `value` as
/// it was where there is none.
template <format Format>
constexpr from_chars_result from_chars(const char* first, const char* last, minifloat<Format>& value) {
  return detail::read_number(first, last, false, value);
}

/// The number that the whole of `text` is, in `Number`. Anything else is an error.
template <low_precision Number>
[[nodiscard]] constexpr Number parse(const char* text) {
  const char* last = text;
  while (*last != '\0') ++last;
  Number value{};
  const auto result = from_chars(text, last, value);
  if (!result.ok || result.ptr != last)
    fail(sentence("parse: the text must be a number and nothing else, \"") << text << "\" is not; see from_chars");
  return value;
}

inline namespace literals {

consteval float16 operator""_f16(const char* text) { return detail::read_literal<binary16>(text); }
consteval bfloat16 operator""_bf16(const char* text) { return detail::read_literal<brain16>(text); }

}  // namespace literals

}  // namespace mezzo::inline MEZZO_ABI
