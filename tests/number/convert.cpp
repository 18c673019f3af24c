// SPDX-License-Identifier: MIT
#include <mezzo/number/convert.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>

namespace {

using namespace mezzo;

template <class To>
constexpr auto from_double(std::uint64_t code) {
  return bits_of(convert<To>(std::bit_cast<double>(code)));
}

constexpr bool every_pair_converts() {
  return convert<float16>(1.5F).bits() == 0x3E00 && convert<float16>(1.5).bits() == 0x3E00 &&
         convert<float16>(bfloat16(1.5)).bits() == 0x3E00 && convert<float16>(float16(1.5)).bits() == 0x3E00 &&
         convert<bfloat16>(1.5F).bits() == 0x3FC0 && convert<bfloat16>(1.5).bits() == 0x3FC0 &&
         convert<bfloat16>(float16(1.5)).bits() == 0x3FC0 && convert<float>(float16(1.5)) == 1.5F &&
         convert<float>(bfloat16(1.5)) == 1.5F && convert<float>(1.5) == 1.5F && convert<float>(1.5F) == 1.5F &&
         convert<double>(float16(1.5)) == 1.5 && convert<double>(bfloat16(1.5)) == 1.5 &&
         convert<double>(1.5F) == 1.5 && convert<double>(1.5) == 1.5;
}
static_assert(every_pair_converts());

constexpr bool narrows_once() {
  return from_double<float16>(0x3FB00200000000FF) == 0x2C01 && from_double<float>(0x3FF0000010000001) == 0x3F800001 &&
         bits_of(convert<bfloat16>(float16::from_bits(0x3C04))) == 0x3F80 &&
         bits_of(convert<bfloat16>(float16::from_bits(0x3C0C))) == 0x3F82;
}
static_assert(narrows_once());

constexpr bool subnormals_survive() {
  return bits_of(convert<float>(bfloat16::from_bits(1))) == 0x00010000 &&
         bits_of(convert<double>(from_bits<float>(1))) == 0x36A0000000000000 &&
         bits_of(convert<double>(from_bits<float>(0x807FFFFF))) == 0xB80FFFFFC0000000 &&
         bits_of(convert<double>(bfloat16::from_bits(1))) == 0x37A0000000000000 &&
         from_double<float>(0x36A0000000000000) == 1;
}
static_assert(subnormals_survive());

template <real To>
constexpr auto saturated(float value) {
  return bits_of(saturate<To>(value));
}

constexpr bool saturates() {
  const float infinity = from_bits<float>(0x7F800000);
  return saturated<float16>(65504.0F) == 0x7BFF && saturated<float16>(65519.0F) == 0x7BFF &&
         saturated<float16>(1e6F) == 0x7BFF && saturated<float16>(-1e6F) == 0xFBFF &&
         saturated<float16>(infinity) == 0x7BFF && saturated<float16>(-infinity) == 0xFBFF &&
         saturated<float16>(0.1F) == 0x2E66 && saturated<bfloat16>(infinity) == 0x7F7F &&
         saturated<bfloat16>(3.4e38F) == 0x7F7F && saturated<float16>(from_bits<float>(0xFF800001)) == 0xFE00 &&
         saturated<bfloat16>(from_bits<float>(0x7F800001)) == 0x7FC0 && saturated<float>(infinity) == 0x7F7FFFFF &&
         saturated<float>(1.5F) == 0x3FC00000 && bits_of(saturate<float>(1e300)) == 0x7F7FFFFF &&
         bits_of(saturate<float16>(bfloat16(-1e30))) == 0xFBFF &&
         bits_of(saturate<double>(infinity)) == 0x7FEFFFFFFFFFFFFF &&
         bits_of(saturate<float>(float16::from_bits(0xFC00))) == 0xFF7FFFFF;
}
static_assert(saturates());

}  // namespace

TEST_CASE("every pair of types converts") { CHECK(every_pair_converts()); }

TEST_CASE("narrowing rounds to nearest even, once") { CHECK(narrows_once()); }

TEST_CASE("subnormals survive widening and narrowing") { CHECK(subnormals_survive()); }

TEST_CASE("saturation replaces overflow and infinity by the largest number and leaves NaN") { CHECK(saturates()); }

TEST_CASE("widening to float64 agrees with widening to float32 for every code") {
  int wrong = 0;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto half = float16::from_bits(static_cast<std::uint16_t>(code));
    const auto brain = bfloat16::from_bits(static_cast<std::uint16_t>(code));
    wrong += bits_of(convert<double>(half)) != bits_of(convert<double>(convert<float>(half)));
    wrong += bits_of(convert<double>(brain)) != bits_of(convert<double>(convert<float>(brain)));
    wrong += bits_of(convert<float16>(convert<double>(half))) != bits_of(convert<float16>(convert<float>(half)));
    wrong += bits_of(convert<bfloat16>(convert<double>(brain))) != bits_of(convert<bfloat16>(convert<float>(brain)));
  }
  CHECK(wrong == 0);
}
