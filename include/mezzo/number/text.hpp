// SPDX-License-Identifier: MIT
//
// Numbers as text: the shortest that reads back to the same value of the same type, so that a bfloat16 shows at most
// four digits and a float16 five.
#pragma once

#include <mezzo/number/decimal.hpp>
#include <mezzo/number/limits.hpp>

#include <cstdint>  // uint32_t
#include <iosfwd>   // basic_ostream

namespace mezzo::inline MEZZO_ABI {

/// Where the text ended; not `ok` where the range was too short, of which nothing is then promised.
struct to_chars_result {
  char* ptr;
  bool ok;
};

namespace detail {

struct number_text {
  static constexpr int capacity = 24;
  char characters[capacity + 1]{};
  int size = 0;

  constexpr void put(char c) { characters[size++] = c; }
  constexpr void put(const char* text) {
    while (*text != '\0') put(*text++);
  }
  /// The digits from `begin` to `end`, with zeros beyond those there are.
  constexpr void put(const decimal& number, int begin, int end) {
    for (int i = begin; i < end; ++i) put(static_cast<char>('0' + (i < number.count ? number.digits[i] : 0)));
  }
};

/// Of fixed and scientific notation the shorter, fixed where they are equal, as std::to_chars has it.
constexpr void print(number_text& text, const decimal& number) {
  const int count = number.count;
  const int point = number.point;
  const int exponent = point - 1;
  const int scientific = count + (count > 1 ? 1 : 0) + 4;
  const int fixed = point <= 0 ? 2 - point + count : count <= point ? point : count + 1;
  if (fixed > scientific) {
    text.put(number, 0, 1);
    if (count > 1) text.put('.');
    text.put(number, 1, count);
    text.put(exponent < 0 ? "e-" : "e+");
    const int size = exponent < 0 ? -exponent : exponent;
    text.put(static_cast<char>('0' + size / 10));
    text.put(static_cast<char>('0' + size % 10));
  } else if (point <= 0) {
    text.put("0.");
    for (int i = point; i < 0; ++i) text.put('0');
    text.put(number, 0, count);
  } else {
    text.put(number, 0, point);
    if (count > point) text.put('.');
    text.put(number, point, count);
  }
}

template <format Format>
constexpr number_text to_text(minifloat<Format> value) {
  using codes = layout<Format>;
  number_text text;
  const auto magnitude = static_cast<typename Format::storage>(value.bits() & codes::magnitude);
  if ((value.bits() & codes::sign) != 0) text.put('-');
  if (codes::is_nan(magnitude)) {
    text.put("nan");
  } else if (!codes::is_finite(magnitude)) {
    text.put("inf");
  } else if (magnitude == 0) {
    text.put('0');
  } else {
    // A whole number that is no longer than its shortest digits with their zeros is written out: 65504, not 65500.
    number_text shortest = text;
    print(shortest, shortest_digits<Format>(magnitude));
    const float size = decode<Format>(magnitude);
    std::uint32_t limit = 1;
    for (int i = 0; i < std::numeric_limits<minifloat<Format>>::max_digits10; ++i) limit *= 10;
    if (size >= 1 && size < static_cast<float>(limit)) {
      const auto whole_part = static_cast<std::uint32_t>(size);
      if (static_cast<float>(whole_part) == size) {
        decimal exact;
        while (limit > whole_part) limit /= 10;
        for (; limit != 0; limit /= 10, ++exact.point) exact.append(static_cast<int>(whole_part / limit % 10));
        print(text, exact);
        if (text.size <= shortest.size) return text;
      }
    }
    return shortest;
  }
  return text;
}

}  // namespace detail

/// Writes the shortest text of `value` to [first, last), without a terminator: "0.1", "6e-08", "-0", "inf", "nan".
template <format Format>
constexpr to_chars_result to_chars(char* first, char* last, minifloat<Format> value) {
  const auto text = detail::to_text(value);
  if (last - first < text.size) return {last, false};
  for (int i = 0; i < text.size; ++i) *first++ = text.characters[i];
  return {first, true};
}

/// The same text to a stream, padded to its width; the including program brings <ostream>.
template <class Char, class Traits, format Format>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, minifloat<Format> value) {
  const auto text = detail::to_text(value);
  return out << static_cast<const char*>(text.characters);
}

}  // namespace mezzo::inline MEZZO_ABI
