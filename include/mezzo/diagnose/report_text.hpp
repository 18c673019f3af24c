// SPDX-License-Identifier: MIT
//
// Text for reports: numbers that no locale changes, names made safe for CSV, JSON and XML, columns that line up.
// Everything is appended to a string of the caller's; names of any bytes come out as valid UTF-8.
#pragma once

#include <mezzo/number/traits.hpp>

#include <charconv>     // to_chars
#include <cstddef>      // size_t
#include <string>       // string
#include <string_view>  // string_view
#include <vector>       // vector

namespace mezzo::inline MEZZO_ABI {
namespace detail {

/// The shortest text that reads back to `value`; nothing for what is no finite number.
inline void put_number(std::string& text, double value) {
  if (non_finite(value)) return;
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
inline void put_number(std::string& text, unsigned long long value) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
/// With `decimals` digits after the point.
inline void put_fixed(std::string& text, double value, int decimals) {
  if (non_finite(value)) return;
  char digits[350];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, decimals).ptr);
}
/// Three digits and a factor of the metric system: "0", "512", "1.56M", "-98.3k".
inline void put_scaled(std::string& text, double value) {
  constexpr const char* factors[] = {"", "k", "M", "G", "T", "P", "E"};
  if (value < 0) text += '-';
  double size = value < 0 ? -value : value;
  std::size_t factor = 0;
  for (; size >= 999.5 && factor + 1 < sizeof factors / sizeof *factors; ++factor) size /= 1000;
  const bool whole = factor == 0 && size == static_cast<double>(static_cast<int>(size));
  put_fixed(text, size, whole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  text += factors[factor];
}

/// Length of the UTF-8 sequence at the front of `text`, 0 if there is none (RFC 3629: shortest form, no surrogates).
constexpr std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0), second = byte(1);
  if (text.empty() || (first >= 0x80 && first < 0xc2) || first > 0xf4) return 0;
  if (first < 0x80) return 1;
  if (!follows(1)) return 0;
  if (first < 0xe0) return 2;
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || !follows(2)) return 0;
  if (first < 0xf0) return 3;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) || !follows(3)) return 0;
  return 4;
}

/// Calls `put(sequence)` for every character; bytes that make none, and control characters, come as "?".
template <class Put>
void for_each_character(std::string_view name, const Put& put) {
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto code = static_cast<unsigned char>(name[0]);
    put(length == 0 || code < 0x20 || code == 0x7f ? std::string_view("?") : name.substr(0, length));
    name.remove_prefix(length == 0 ? 1 : length);
  }
}
[[nodiscard]] inline std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view) { ++count; });
  return count;
}
/// At most `most` characters, the last of them an ellipsis where the name is longer.
inline void put_name(std::string& text, std::string_view name, std::size_t most = static_cast<std::size_t>(-1)) {
  const std::size_t count = character_count(name);
  std::size_t at = 0;
  for_each_character(name, [&](std::string_view c) {
    if (++at < most || count <= most) text += c;
  });
  if (count > most) text += "…";
}

/// A field of a CSV file, quoted where it must be (RFC 4180).
inline void put_csv(std::string& text, std::string_view name) {
  if (name.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += name;
    return;
  }
  text += '"';
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}
/// A string of JSON (RFC 8259) with its quotes.
inline void put_json(std::string& text, std::string_view name) {
  text += '"';
  for_each_character(name, [&](std::string_view c) {
    if (c == "\"" || c == "\\") text += '\\';
    text += c;
  });
  text += '"';
}
/// Character data of XML, and of its attributes.
inline void put_xml(std::string& text, std::string_view name) {
  for_each_character(name, [&](std::string_view c) {
    if (c == "&")
      text += "&amp;";
    else if (c == "<")
      text += "&lt;";
    else if (c == ">")
      text += "&gt;";
    else if (c == "\"")
      text += "&quot;";
    else if (c == "\xef\xbf\xbe" || c == "\xef\xbf\xbf")  // U+FFFE and U+FFFF are no characters of XML
      text += '?';
    else
      text += c;
  });
}

/// Rows of cells as lines, each column as wide as its widest cell, the first `left` of them flush left and wider apart.
inline void put_columns(std::string& text, const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    if (width.size() < row.size()) width.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t own = character_count(row[i]);
      if (width[i] < own) width[i] = own;
    }
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t fill = width[i] - character_count(row[i]);
      if (i != 0) text.append(i <= left ? 2 : 1, ' ');
      if (i >= left) text.append(fill, ' ');
      text += row[i];
      if (i < left && i + 1 < row.size()) text.append(fill, ' ');
    }
    text += '\n';
  }
}

}  // namespace detail
}  // namespace mezzo::inline MEZZO_ABI
