// SPDX-License-Identifier: MIT
#include <mezzo/base/config.hpp>

#include <doctest/doctest.h>

#include <type_traits>

TEST_CASE("the inline namespace is named after the version") {
  static_assert(std::is_same_v<mezzo::version, mezzo::v0_1::version>);
  static_assert(mezzo::version::major == 0 && mezzo::version::minor == 1 && mezzo::version::patch >= 0);
  CHECK(mezzo::version::minor == 1);
}
