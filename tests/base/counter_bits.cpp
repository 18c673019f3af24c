// SPDX-License-Identifier: MIT
#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <set>

using mezzo::counter_below;
using mezzo::counter_bits;
using mezzo::counter_uniform;
using mezzo::mix_bits;

// The finaliser keeps zero, and the SplitMix64 generator seeded with 0 begins with this word.
static_assert(mix_bits(0) == 0);
static_assert(mix_bits(0x9e3779b97f4a7c15ULL) == 0xe220a8397b1dcdafULL);

TEST_CASE("bits depend on the seed and on the counter, and on nothing else") {
  static_assert(counter_bits(7, 3) == counter_bits(7, 3));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed)
    for (std::uint64_t counter = 0; counter < 64; ++counter) seen.insert(counter_bits(seed, counter));
  CHECK(seen.size() == 64 * 64);
}

TEST_CASE("each bit is set in half of the draws, and neighbouring draws differ in half of their bits") {
  constexpr int draws = 4096;
  std::array<int, 64> set{};
  long flips = 0;
  for (std::uint64_t counter = 0; counter < draws; ++counter) {
    const std::uint64_t bits = counter_bits(42, counter);
    for (std::size_t i = 0; i < 64; ++i) set[i] += static_cast<int>(bits >> i & 1);
    flips += std::popcount(bits ^ counter_bits(42, counter + 1));
  }
  const auto half = doctest::Approx(draws / 2).epsilon(5 * 32 / 2048.0);  // five standard deviations
  for (int count : set) CHECK(count == half);
  CHECK(static_cast<double>(flips) / draws == doctest::Approx(32).epsilon(0.02));
}

TEST_CASE("uniform floats lie in [0, 1), are exact multiples of 2^-24, and average one half") {
  double sum = 0;
  for (std::uint64_t counter = 0; counter < 10000; ++counter) {
    const float value = counter_uniform(1, counter);
    REQUIRE(value >= 0.0f);
    REQUIRE(value < 1.0f);
    const float steps = value * 0x1p24f;
    REQUIRE(static_cast<float>(static_cast<std::uint32_t>(steps)) == steps);
    sum += static_cast<double>(value);
  }
  CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("whole numbers stay below their bound and reach every value") {
  for (std::uint32_t bound : {1u, 2u, 3u, 10u, 97u}) {
    std::set<std::uint32_t> seen;
    for (std::uint64_t counter = 0; counter < 2000; ++counter) {
      const std::uint32_t value = counter_below(5, counter, bound);
      REQUIRE(value < bound);
      seen.insert(value);
    }
    CHECK(seen.size() == bound);
  }
  static_assert(counter_below(5, 0, 0xffffffffu) < 0xffffffffu);
}
