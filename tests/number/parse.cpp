// SPDX-License-Identifier: MIT
#include <mezzo/number/parse.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

using namespace mezzo;

constexpr unsigned half(const char* text) { return parse<float16>(text).bits(); }
constexpr unsigned brain(const char* text) { return parse<bfloat16>(text).bits(); }

// Through float32 the first would be 1025.5, a tie.
static_assert((1025.49995_f16).bits() == 0x6401 && half("1025.49995") == 0x6401 && half("1025.5") == 0x6402);
static_assert((1.5_bf16).bits() == 0x3FC0 && (2_f16).bits() == 0x4000 && (-0.0_f16).bits() == 0x8000);
static_assert((0x1p-24_f16).bits() == 1 && (0x1.8p0_bf16).bits() == 0x3FC0 && (0xFF_f16).bits() == 0x5BF8);
static_assert((1'000.5_f16).bits() == 0x63D1 && (1e-1_f16).bits() == 0x2E66 && (1E5_f16).bits() == 0x7C00);
static_assert((65519.99999999999999999999999999_f16).bits() == 0x7BFF && (65520_f16).bits() == 0x7C00);

constexpr bool ties_are_seen_exactly() {
  return half("2.98023223876953125e-8") == 0 && half("2.980232238769531250000000000000000000000000000001e-8") == 1 &&
         half("8.94069671630859375e-8") == 2 && half("8.94069671630859374999999999999999999999999999e-8") == 1 &&
         half("1.00048828125") == 0x3C00 && half("1.000488281250000000000000000000000000000000001") == 0x3C01 &&
         brain("1.00390625") == 0x3F80 && brain("1.0039062500000000000000000000001") == 0x3F81 &&
         // 2^-134, all 94 digits of it, and a little more behind the last.
         brain(
             "4.591774807899560578002877098524397178979162331140"
             "966880893561352650067419745028018951416015625e-41") == 0 &&
         brain(
             "4.591774807899560578002877098524397178979162331140"
             "966880893561352650067419745028018951416015625000001e-41") == 1 &&
         brain("4.5917e-41") == 0 && brain("4.5918e-41") == 1;
}
static_assert(ties_are_seen_exactly());

constexpr bool grammar_is_that_of_numbers() {
  return half("1") == 0x3C00 && half("-1.") == 0xBC00 && half(".5") == 0x3800 && half("00012.50e-1") == 0x3D00 &&
         half("0x1.8P+1") == 0x4200 && half("0X.8p1") == 0x3C00 && half("-0") == 0x8000 && half("0e99999999999") == 0 &&
         half("1e99999999999") == 0x7C00 && half("-1e-99999999999") == 0x8000 && half("inf") == 0x7C00 &&
         half("-Infinity") == 0xFC00 && half("NaN") == 0x7E00 && half("-nan") == 0xFE00 && brain("nan") == 0x7FC0 &&
         half("0x1p99999") == 0x7C00 && half("0x1p-99999") == 0 &&
         half("0x0.0000000000000000000000001p100") == 0x3C00 && half("0x1.002000000000000000000001") == 0x3C01 &&
         half("0x1.002") == 0x3C00;
}

constexpr bool reads_up_to(const char* text, int length, unsigned code) {
  const char* last = text;
  while (*last != '\0') ++last;
  float16 value = float16::from_bits(0x1234);
  const from_chars_result result = from_chars(text, last, value);
  return result.ok == (length > 0) && result.ptr == text + length && value.bits() == code;
}
static_assert(reads_up_to("1.5x", 3, 0x3E00) && reads_up_to("1e", 1, 0x3C00) && reads_up_to("1e+", 1, 0x3C00));
static_assert(reads_up_to("0x", 1, 0) && reads_up_to("0xg", 1, 0) && reads_up_to("infinit", 3, 0x7C00));
static_assert(reads_up_to("1'0", 1, 0x3C00) && reads_up_to("1.2.3", 3, 0x3CCD));
static_assert(reads_up_to("", 0, 0x1234) && reads_up_to("-", 0, 0x1234) && reads_up_to(".", 0, 0x1234));
static_assert(reads_up_to("+1", 0, 0x1234) && reads_up_to(" 1", 0, 0x1234) && reads_up_to("e5", 0, 0x1234));

}  // namespace

TEST_CASE("digits round to the type in one step, however many there are") {
  CHECK(ties_are_seen_exactly());
  // A tie followed by a thousand zeros, then by a one.
  const std::string tie = "1.00048828125" + std::string(1000, '0');
  CHECK(half(tie.c_str()) == 0x3C00);
  CHECK(half((tie + "1").c_str()) == 0x3C01);
  CHECK(half(("0." + std::string(500, '0') + "1e501").c_str()) == 0x3C00);
  CHECK(half((std::string(500, '9') + "e-500").c_str()) == 0x3C00);
}

TEST_CASE("decimal, hexadecimal, infinity and NaN are read as strtod reads them") {
  CHECK(grammar_is_that_of_numbers());
}

TEST_CASE("reading stops at the first character that does not continue the number") {
  CHECK(reads_up_to("1.5x", 3, 0x3E00));
  CHECK(reads_up_to("1e", 1, 0x3C00));
  CHECK(reads_up_to("", 0, 0x1234));
}

#if defined(__cpp_exceptions)
TEST_CASE("text that is not a number is refused with a sentence that shows it") {
  for (const char* text : {"", "abc", "1 ", "1.5f", "--1", "0x"}) CHECK_THROWS_AS(static_cast<void>(half(text)), error);
  try {
    static_cast<void>(half("1,5"));
  } catch (const error& refused) {
    CHECK(std::string(refused.what()) ==
          "parse: the text must be a number and nothing else, \"1,5\" is not; see from_chars");
  }
}
#endif
