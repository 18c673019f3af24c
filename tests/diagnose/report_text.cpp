// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/report_text.hpp>

#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <limits>

using namespace mezzo;
using namespace mezzo::detail;

namespace {

template <class... Arguments>
std::string put(void (*how)(std::string&, Arguments...), std::type_identity_t<Arguments>... arguments) {
  std::string text;
  how(text, arguments...);
  return text;
}
std::string number(double value) { return put<double>(put_number, value); }
std::string fixed(double value, int decimals) { return put<double, int>(put_fixed, value, decimals); }
std::string scaled(double value) { return put<double>(put_scaled, value); }
std::string name(std::string_view n, std::size_t most) { return put<std::string_view, std::size_t>(put_name, n, most); }
std::string csv(std::string_view n) { return put<std::string_view>(put_csv, n); }
std::string json(std::string_view n) { return put<std::string_view>(put_json, n); }
std::string xml(std::string_view n) { return put<std::string_view>(put_xml, n); }

/// Whether a sequence is UTF-8, by decoding it and encoding it again.
bool is_utf8(const unsigned char* bytes, std::size_t size) {
  constexpr unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  std::uint32_t point = size == 1 ? bytes[0] : static_cast<std::uint32_t>(bytes[0] & (0x7fU >> size));
  for (std::size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xc0U) != 0x80U) return false;
    point = point << 6 | (bytes[i] & 0x3fU);
  }
  if (size > 1 && (bytes[0] | (0x7fU >> size)) != (lead[size] | (0x7fU >> size))) return false;
  const std::size_t needs = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  return needs == size && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}

}  // namespace

TEST_CASE("numbers read back, whatever the locale") {
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    std::setlocale(LC_ALL, locale);  // where there is one
    CHECK(number(1.5) == "1.5");
    CHECK(fixed(-2.25, 3) == "-2.250");
  }
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = (static_cast<double>(counter_uniform(7, i)) - 0.5) * 1e9;
    CHECK(std::strtod(number(value).c_str(), nullptr) == value);
  }
  CHECK(put<unsigned long long>(put_number, std::numeric_limits<unsigned long long>::max()) == "18446744073709551615");
  CHECK(fixed(std::numeric_limits<double>::max(), 6).size() == 309 + 7);
}

TEST_CASE("what is no finite number has no text") {
  for (const double none : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(number(none).empty());
    CHECK(fixed(none, 2).empty());
  }
}

TEST_CASE("three digits and a factor") {
  CHECK(scaled(0) == "0");
  CHECK(scaled(7) == "7");
  CHECK(scaled(0.25) == "0.25");
  CHECK(scaled(999) == "999");
  CHECK(scaled(1000) == "1.00k");
  CHECK(scaled(999.6) == "1.00k");
  CHECK(scaled(1555456) == "1.56M");
  CHECK(scaled(-98304) == "-98.3k");
  CHECK(scaled(999499) == "999k");
  CHECK(scaled(12.3456) == "12.3");
  CHECK(scaled(3.2e20) == "320E");
}

TEST_CASE("every sequence of up to three bytes, and the edges of four, are told from what is no UTF-8") {
  unsigned char bytes[4];
  const auto length = [&](std::size_t size) {
    return utf8_length(std::string_view(reinterpret_cast<const char*>(bytes), size));
  };
  std::size_t wrong = 0;
  for (unsigned a = 0; a < 256; ++a) {
    bytes[0] = static_cast<unsigned char>(a);
    wrong += length(1) != (is_utf8(bytes, 1) && a < 0x80 ? 1U : 0U);
    for (unsigned b = 0; b < 256; ++b) {
      bytes[1] = static_cast<unsigned char>(b);
      if (a >= 0x80) wrong += length(2) != (is_utf8(bytes, 2) ? 2U : 0U);
      for (unsigned c = 0; c < 256 && a >= 0xe0; ++c) {
        bytes[2] = static_cast<unsigned char>(c);
        wrong += length(3) != (a < 0xf0 && is_utf8(bytes, 3) ? 3U : 0U);
        for (const unsigned d : {0x00U, 0x7fU, 0x80U, 0xbfU, 0xc0U, 0xffU}) {
          bytes[3] = static_cast<unsigned char>(d);
          if (a >= 0xf0) wrong += length(4) != (a < 0xf8 && is_utf8(bytes, 4) ? 4U : 0U);
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(utf8_length("") == 0);
}

TEST_CASE("names are cut at whole characters, and bytes that make none are shown as such") {
  CHECK(name("relu", 4) == "relu");
  CHECK(name("sigmoid", 4) == "sig…");
  CHECK(name("größer", 5) == "größ…");
  CHECK(name("a\xffz\x01", 9) == "a?z?");
  CHECK(character_count("größer") == 6);
}

TEST_CASE("fields of CSV, strings of JSON, character data of XML") {
  CHECK(csv("matmul+bias") == "matmul+bias");
  CHECK(csv("a,b") == "\"a,b\"");
  CHECK(csv("say \"a\"") == "\"say \"\"a\"\"\"");
  CHECK(csv("two\nlines") == "\"two\nlines\"");
  CHECK(csv("").empty());
  CHECK(json("a\"b\\c\n\xc3\xa4\xc3") == "\"a\\\"b\\\\c?\xc3\xa4?\"");
  CHECK(xml("a<b & \"c\">\x1f\xef\xbf\xbf") == "a&lt;b &amp; &quot;c&quot;&gt;??");
}

TEST_CASE("columns line up by characters, and short rows end early") {
  std::string text;
  put_columns(text, {{"name", "n", "us"}, {"größe", "12", "3.5"}, {"x"}, {}}, 1);
  CHECK(text == "name    n  us\ngröße  12 3.5\nx\n\n");
}
