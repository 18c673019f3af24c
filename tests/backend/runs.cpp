// SPDX-License-Identifier: MIT
#include <mezzo/backend/runs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace mezzo;

namespace {

// Not a multiple of eight, so that the remainder is taken too.
constexpr std::size_t count = 65536 + 5;

template <class T>
void check_runs() {
  std::vector<T> codes(count), again(count);
  for (std::size_t i = 0; i < count; ++i) codes[i] = T::from_bits(static_cast<typename T::storage>(i));
  std::vector<float> numbers(count);
  decode_run(codes.data(), numbers.data(), count);
  encode_run(numbers.data(), again.data(), count);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong += bits_of(numbers[i]) != bits_of(convert<float>(codes[i]));
    wrong += again[i].bits() != convert<T>(convert<float>(codes[i])).bits();
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("runs of every code convert to the bits of single conversions") {
  check_runs<float16>();
  check_runs<bfloat16>();
}

TEST_CASE("runs round as single conversions do, at ties, beyond the range and below it") {
  std::vector<float> numbers;
  for (std::uint32_t code = 0; code < 0xffff0000u; code += 0x3fff) numbers.push_back(from_bits<float>(code));
  for (std::uint32_t e = 0; e < 256; ++e)
    for (std::uint32_t m : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u, 0x7fffffu})
      for (std::uint32_t sign : {0u, 0x80000000u}) numbers.push_back(from_bits<float>(sign | e << 23 | m));
  std::vector<float16> codes(numbers.size());
  encode_run(numbers.data(), codes.data(), numbers.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) wrong += codes[i].bits() != convert<float16>(numbers[i]).bits();
  CHECK(wrong == 0);
}

TEST_CASE("operands enter and results leave as their precision says") {
  const float wide[] = {2049.0f, 1.0f / 3, -65520.0f};
  float entered[3];
  read_run<precision<float16, float, float16>>(wide, entered, 3);
  CHECK(entered[0] == 2048.0f);
  CHECK(entered[1] == static_cast<float>(float16(1.0f / 3)));
  const float16 low[] = {float16(1.5f), float16(-0.25f), float16(65504.0f)};
  read_run<precision<as_given, float, float>>(low, entered, 3);
  CHECK(entered[0] == 1.5f);
  CHECK(entered[2] == 65504.0f);
  float16 stored[3];
  store_run(wide, stored, 3);
  CHECK(stored[0].bits() == float16(2048.0f).bits());
  const double exact[] = {1.0 + 0x1p-11 + 0x1p-40, 0.5, -2.0};  // through float32 the first would tie to 1
  store_run(exact, stored, 3);
  CHECK(stored[0].bits() == 0x3c01);
}
