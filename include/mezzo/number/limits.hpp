// SPDX-License-Identifier: MIT
//
// std::numeric_limits of every minifloat, computed from its descriptor. Without it the primary template would answer
// zero to each question.
#pragma once

#include <mezzo/number/minifloat.hpp>

#include <limits>  // numeric_limits, float_round_style

template <class Format>
class std::numeric_limits<mezzo::minifloat<Format>> {
  using number = mezzo::minifloat<Format>;
  using codes = mezzo::layout<Format>;
  using word = typename codes::word;

  // floor(n log10(2)) for |n| < 1000, by the convergent 30103 / 100000.
  static constexpr int floor_log10_of_2_to(int n) {
    return n >= 0 ? n * 30103 / 100000 : -((-n * 30103 + 99999) / 100000);
  }
  static constexpr int top_exponent = (codes::largest >> Format::mantissa_bits) - Format::bias;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool is_iec559 = codes::has_infinity;
  static constexpr bool has_infinity = codes::has_infinity;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = codes::has_infinity && Format::mantissa_bits > 1;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;

  static constexpr int radix = 2;
  static constexpr int digits = Format::mantissa_bits + 1;
  static constexpr int digits10 = floor_log10_of_2_to(digits - 1);
  static constexpr int max_digits10 = floor_log10_of_2_to(digits) + 2;
  static constexpr int max_exponent = top_exponent + 1;
  static constexpr int min_exponent = 2 - Format::bias;
  static constexpr int max_exponent10 = floor_log10_of_2_to(max_exponent);
  static constexpr int min_exponent10 = floor_log10_of_2_to(min_exponent - 1) + 1;

  /// The smallest normal number.
  static constexpr number(min)() noexcept { return number::from_bits(codes::smallest_normal); }
  static constexpr number(max)() noexcept { return number::from_bits(codes::largest); }
  static constexpr number lowest() noexcept { return -(max)(); }
  static constexpr number epsilon() noexcept { return number(1.0 / (1 << Format::mantissa_bits)); }
  static constexpr number round_error() noexcept { return number(0.5F); }
  static constexpr number denorm_min() noexcept { return number::from_bits(1); }
  static constexpr number infinity() noexcept {
    return number::from_bits(codes::has_infinity ? codes::exponent : word{0});
  }
  static constexpr number quiet_NaN() noexcept { return number::from_bits(codes::quiet_nan); }
  static constexpr number signaling_NaN() noexcept {
    return number::from_bits(has_signaling_NaN ? static_cast<word>(codes::exponent | codes::quiet >> 1)
                                               : codes::quiet_nan);
  }
};
