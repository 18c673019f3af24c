// SPDX-License-Identifier: MIT
#include <mezzo/number/format.hpp>

#include <doctest/doctest.h>

namespace descriptors {

struct eight_bits_in_sixteen {
  using storage = std::uint16_t;
  static constexpr int exponent_bits = 4;
  static constexpr int mantissa_bits = 3;
  static constexpr int bias = 7;
  static constexpr mezzo::specials special = mezzo::specials::nan;
  static constexpr const char* name = "nothing";
};

}  // namespace descriptors

namespace {

static_assert(mezzo::format<mezzo::binary16> && mezzo::format<mezzo::brain16>);
static_assert(mezzo::format<mezzo::binary32> && mezzo::format<mezzo::binary64>);
static_assert(!mezzo::format<descriptors::eight_bits_in_sixteen> && !mezzo::format<float> && !mezzo::format<int>);

using half = mezzo::layout<mezzo::binary16>;
static_assert(half::sign == 0x8000 && half::exponent == 0x7c00 && half::mantissa == 0x03ff && half::quiet == 0x0200);
static_assert(half::largest == 0x7bff && half::overflow == 0x7c00 && half::quiet_nan == 0x7e00);
static_assert(half::smallest_normal == 0x0400 && half::one == 0x3c00);

using brain = mezzo::layout<mezzo::brain16>;
static_assert(brain::sign == 0x8000 && brain::exponent == 0x7f80 && brain::mantissa == 0x007f &&
              brain::quiet == 0x0040);
static_assert(brain::largest == 0x7f7f && brain::overflow == 0x7f80 && brain::quiet_nan == 0x7fc0);
static_assert(brain::smallest_normal == 0x0080 && brain::one == 0x3f80);

template <class Format>
bool codes_are_ordered_by_kind() {
  using codes = mezzo::layout<Format>;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const unsigned magnitude = code % 0x8000;
    const auto word = static_cast<typename Format::storage>(code);
    if (codes::is_finite(word) != (magnitude < codes::exponent)) return false;
    if (codes::is_nan(word) != (magnitude > codes::exponent)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("finite codes, infinity and NaNs follow each other") {
  CHECK(codes_are_ordered_by_kind<mezzo::binary16>());
  CHECK(codes_are_ordered_by_kind<mezzo::brain16>());
}
