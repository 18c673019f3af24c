// SPDX-License-Identifier: MIT
#include <mezzo/number/decimal.hpp>

#include <doctest/doctest.h>

namespace {

using mezzo::detail::decimal;
using mezzo::detail::whole;

constexpr whole power_of_two(int exponent) {
  whole result(1);
  result.shift_left(exponent);
  return result;
}

constexpr bool whole_numbers_compute() {
  // 2^320 - 1 by doubling and adding, against one shift and one subtraction.
  whole counted(1);
  for (int i = 1; i < 320; ++i) counted.multiply_add(2, 1);
  whole shifted = power_of_two(320);
  shifted.subtract(whole(1));
  if (counted.compare(shifted) != 0 || counted.bit_width() != 320) return false;
  counted.add(whole(1));
  if (counted.compare(power_of_two(320)) != 0 || counted.bit_width() != 321 || counted.compare(shifted) <= 0)
    return false;
  counted.subtract(counted);
  whole zero(0);
  zero.shift_left(100);
  return counted.compare(whole(0)) == 0 && zero.bit_width() == 0 && power_of_two(64).compare(power_of_two(63)) > 0;
}
static_assert(whole_numbers_compute());

constexpr bool digits_become_odd_doubles() {
  decimal tenth;
  tenth.append(1);
  decimal quarter;
  quarter.append(2);
  quarter.append(5);
  decimal huge = tenth;
  huge.point = 1000;
  decimal tiny = tenth;
  tiny.point = -1000;
  // 0.1 lies between 0x1.9999999999999p-4 and 0x1.999999999999ap-4; the odd one stands for it.
  return mezzo::detail::to_odd(tenth) == 0x1.9999999999999p-4 && mezzo::detail::to_odd(quarter) == 0.25 &&
         mezzo::detail::to_odd(huge) > 1e300 && mezzo::detail::to_odd(tiny) == 0 &&
         mezzo::detail::to_odd(decimal{}) == 0;
}
static_assert(digits_become_odd_doubles());

}  // namespace

TEST_CASE("whole numbers of several words add, subtract, shift and compare") { CHECK(whole_numbers_compute()); }

TEST_CASE("digits become the double that rounds as they would") { CHECK(digits_become_odd_doubles()); }
