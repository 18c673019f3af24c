// SPDX-License-Identifier: MIT
#include <mezzo/number/text.hpp>

#include <doctest/doctest.h>
#include <mezzo/number/convert.hpp>
#include <mezzo/number/parse.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace mezzo;

template <class T>
constexpr bool prints(T value, std::string_view expected) {
  char buffer[24]{};
  const to_chars_result end = to_chars(buffer, buffer + 24, value);
  return end.ok && std::string_view(buffer, static_cast<std::size_t>(end.ptr - buffer)) == expected;
}

static_assert(prints(float16(0.1), "0.1") && prints(bfloat16(0.1), "0.1") && prints(float16(1), "1"));
static_assert(prints(float16(65504), "65504") && prints(-float16(65504), "-65504") && prints(float16(2049), "2048"));
static_assert(prints(bfloat16(3.14159), "3.14") && prints(float16(3.14159), "3.14"));
static_assert(prints(bfloat16::from_bits(0x7F7F), "3.39e+38") && prints(bfloat16::from_bits(1), "1e-40"));
static_assert(prints(float16::from_bits(1), "6e-08") && prints(float16::from_bits(2), "1e-07"));
static_assert(prints(float16::from_bits(0x3BFF), "0.9995") && prints(float16::from_bits(0x3C01), "1.001"));
static_assert(prints(bfloat16(1e5), "1e+05") && prints(bfloat16(9984), "9984") && prints(bfloat16(12352), "12350"));
static_assert(prints(float16{}, "0") && prints(-float16{}, "-0") && prints(bfloat16(-0.0F), "-0"));
static_assert(prints(float16::from_bits(0x7C00), "inf") && prints(bfloat16::from_bits(0xFF80), "-inf"));
static_assert(prints(float16::from_bits(0x7E01), "nan") && prints(bfloat16::from_bits(0xFFC0), "-nan"));

template <class T>
std::string text_of(T value) {
  char buffer[24];
  const to_chars_result end = to_chars(buffer, buffer + 24, value);
  return {buffer, end.ptr};
}

int significant_digits(std::string_view text) {
  int count = 0;
  int zeros = 0;
  for (const char c : text) {
    if (c == 'e') break;
    if (c < '0' || c > '9' || (c == '0' && count == 0)) continue;
    zeros = c == '0' ? zeros + 1 : 0;
    ++count;
  }
  return count - zeros;
}

/// Finite positive numbers whose text does not read back, or is longer than the digits of some other text that does.
template <class T>
int wrong_texts(int most_digits) {
  int wrong = 0;
  for (unsigned code = 1; code <= layout<typename T::format_type>::largest; ++code) {
    const T value = T::from_bits(static_cast<std::uint16_t>(code));
    const std::string text = text_of(value);
    const double exact = convert<double>(value);
    wrong += parse<T>(text.c_str()).bits() != code;
    wrong += T(std::strtod(text.c_str(), nullptr)).bits() != code;
    const int digits = significant_digits(text);
    wrong += digits > most_digits;
    const bool whole_number = text.find_first_of(".e") == std::string::npos;
    if (digits == 1 || whole_number) continue;
    // The nearest text of one digit fewer, and its neighbours, must be another number.
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*e", digits - 2, exact);
    const double shorter_value = std::strtod(shorter, nullptr);
    char unit[40] = "1";
    std::snprintf(unit, sizeof unit, "1e%d",
                  std::atoi(std::string(shorter).substr(std::string(shorter).find('e') + 1).c_str()) - digits + 2);
    const double step = std::strtod(unit, nullptr);
    for (const double candidate : {shorter_value - step, shorter_value, shorter_value + step})
      wrong += T(candidate).bits() == code;
    // And of as many digits there is none nearer.
    std::snprintf(shorter, sizeof shorter, "%.*e", digits - 1, exact);
    if (T(std::strtod(shorter, nullptr)).bits() == code)
      wrong += std::strtod(shorter, nullptr) != std::strtod(text.c_str(), nullptr);
  }
  return wrong;
}

}  // namespace

TEST_CASE("texts read back, are no longer than they must be, and the nearest of their length") {
  CHECK(wrong_texts<float16>(5) == 0);
  CHECK(wrong_texts<bfloat16>(4) == 0);
}

TEST_CASE("a range that is too short is refused and stays as it was") {
  char buffer[3] = {'x', 'y', 'z'};
  CHECK(!to_chars(buffer, buffer + 2, float16(0.1)).ok);
  CHECK(buffer[0] == 'x');
  CHECK(to_chars(buffer, buffer + 3, float16(0.1)).ptr == buffer + 3);
}

TEST_CASE("streams of either character print numbers, to their width") {
  std::ostringstream narrow;
  narrow << float16(0.1) << ' ' << std::setw(6) << bfloat16(-2.5) << '|';
  CHECK(narrow.str() == "0.1   -2.5|");
  std::wostringstream wide;
  wide << float16(65504);
  CHECK(wide.str() == L"65504");
}
