// SPDX-License-Identifier: MIT
//
// HiFloat8 (Luo et al. 2024, arXiv:2409.16626): 8 bits in which a prefix, the dot, says how many of them count the
// exponent, so that precision tapers: 3 bits of mantissa around 1, 1 at the ends, none below. It stores and converts
// like a minifloat; having no fixed fields it has no descriptor, so that it is not `real`, nor an operand.
#pragma once

#include <mezzo/number/codec.hpp>

#include <bit>       // bit_cast, bit_width
#include <concepts>  // integral, same_as
#include <cstdint>   // uint8_t, uint32_t
#include <limits>    // numeric_limits, float_round_style

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// The codes of HiFloat8. There is one zero and, where other formats have its negative, one NaN.
struct hifloat8_codes {
  static constexpr std::uint8_t nan = 0x80;
  static constexpr std::uint8_t infinity = 0x6F;
  static constexpr std::uint8_t largest = 0x6E;          ///< 2^15
  static constexpr std::uint8_t smallest_normal = 0x7E;  ///< 2^-15
  static constexpr std::uint8_t smallest = 0x01;         ///< 2^-22
  static constexpr int largest_exponent = 15;
  static constexpr int denormal_bias = 23;  ///< a code from 1 to 7, which has no dot, is 2^(code - 23)
};

/// How the 7 bits below the sign are shared where the exponent's magnitude is `width` bits wide: the dot, 0001, 001,
/// 01, 10 or 11 for widths of 0 to 4; the exponent's sign; its magnitude without the topmost bit, which is 1; the
/// mantissa.
struct hifloat8_fields {
  unsigned width;
  [[nodiscard]] constexpr unsigned mantissa_bits() const { return width < 3 ? 3 : 5 - width; }
  [[nodiscard]] constexpr unsigned dot() const { return width < 2 ? 1 : width - 1; }
  /// The topmost bit of the magnitude, and the place of the sign.
  [[nodiscard]] constexpr unsigned top() const { return (1U << width) / 2; }
};

/// The float32 code of a HiFloat8 code.
constexpr std::uint32_t decode_hifloat8(std::uint8_t code) {
  using codes = hifloat8_codes;
  using single = layout<binary32>;
  const unsigned magnitude = code & 0x7FU;
  const std::uint32_t sign = code >= 0x80 ? single::sign : 0;
  if (code == codes::nan) return single::quiet_nan;
  if (magnitude == 0) return 0;
  if (magnitude == codes::infinity) return sign | single::exponent;
  int exponent = static_cast<int>(magnitude) - codes::denormal_bias;
  std::uint32_t mantissa = 0;
  if (magnitude >= 0x08) {
    const hifloat8_fields fields{magnitude >= 0x20 ? (magnitude >> 5) + 1 : magnitude >> 4};
    const unsigned bits = fields.mantissa_bits();
    const unsigned top = fields.top();
    const unsigned upper = magnitude >> bits;  // the dot and the exponent
    const int size = static_cast<int>(top == 0 ? 0 : top | (upper & (top - 1)));
    exponent = (upper & top) != 0 ? -size : size;
    mantissa = (magnitude & ((1U << bits) - 1)) << (binary32::mantissa_bits - static_cast<int>(bits));
  }
  return sign | static_cast<std::uint32_t>(exponent + binary32::bias) << binary32::mantissa_bits | mantissa;
}

/// The HiFloat8 code nearest to a float32 code, of two equally near the one further from zero (TA in the paper). From
/// 1.25·2^15 on, half way to what would come after the largest number, values are infinite; from 2^-23 on, half the
/// smallest number, they are not zero.
template <overflow Overflow = overflow::to_infinity>
constexpr std::uint8_t encode_hifloat8(std::uint32_t code) {
  using codes = hifloat8_codes;
  using single = layout<binary32>;
  const std::uint32_t magnitude = code & single::magnitude;
  if (magnitude > single::exponent) return codes::nan;
  const auto exponent_of = [](std::uint32_t word) {
    return static_cast<int>(word >> binary32::mantissa_bits) - binary32::bias;
  };
  const auto size_of = [](int exponent) { return static_cast<unsigned>(exponent < 0 ? -exponent : exponent); };
  const auto width_of = [&](int exponent) { return static_cast<unsigned>(std::bit_width(size_of(exponent))); };

  const int given = exponent_of(magnitude);
  if (given < -codes::denormal_bias) return 0;
  const bool denormal = size_of(given) > static_cast<unsigned>(codes::largest_exponent);
  const unsigned kept = denormal ? 0 : hifloat8_fields{width_of(given)}.mantissa_bits();
  const std::uint32_t dropped = static_cast<std::uint32_t>(binary32::mantissa_bits) - kept;
  // A carry into the next power of two leaves a mantissa of zeros, however many bits that one keeps.
  const std::uint32_t rounded = rounded_up<rounding::half_away>(magnitude, dropped, false) >> dropped << dropped;
  const int exponent = exponent_of(rounded);
  const std::uint32_t mantissa = rounded & single::mantissa;
  const bool too_large = exponent > codes::largest_exponent || (exponent == codes::largest_exponent && mantissa != 0);
  unsigned result = Overflow == overflow::saturate ? codes::largest : codes::infinity;
  if (given == -codes::denormal_bias) {
    result = codes::smallest;
  } else if (exponent < -codes::largest_exponent) {
    result = static_cast<unsigned>(exponent + codes::denormal_bias);
  } else if (!too_large) {
    const hifloat8_fields fields{width_of(exponent)};
    const unsigned bits = fields.mantissa_bits();
    const unsigned low = size_of(exponent) & ~fields.top();
    const unsigned upper = fields.dot() << fields.width | (exponent < 0 ? fields.top() : 0) | low;
    result = upper << bits | mantissa >> (binary32::mantissa_bits - static_cast<int>(bits));
  }
  return static_cast<std::uint8_t>(result | ((code & single::sign) != 0 ? 0x80U : 0U));
}

/// The same of a double or an integer, by way of float32: odd where anything is lost, which the second rounding does
/// not notice.
template <class T>
constexpr std::uint8_t hifloat8_by_odd(T value) {
  return encode_hifloat8(encode<binary32, overflow::to_infinity, rounding::odd>(value));
}

}  // namespace detail

/// A number of the format HiFloat8, from 2^-22 to 2^15 in magnitude, with infinities, one NaN, and one zero. Trivial;
/// `hifloat8()` is left uninitialised, `hifloat8{}` is 0. From a wider number it rounds to nearest, ties away from
/// zero, once; NaN loses its sign and zero has none.
class hifloat8 {
 public:
  using storage = std::uint8_t;

  hifloat8() = default;
  explicit constexpr hifloat8(float value) : bits_(detail::encode_hifloat8(std::bit_cast<std::uint32_t>(value))) {}
  explicit constexpr hifloat8(double value) : bits_(detail::hifloat8_by_odd(value)) {}
  explicit constexpr hifloat8(long double value) : bits_(detail::hifloat8_by_odd(detail::to_odd(value))) {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && sizeof(Integer) <= 8)
  explicit constexpr hifloat8(Integer value) : bits_(detail::hifloat8_by_odd(value)) {}

  /// The nearest finite number: infinity and all beyond the largest number give that; NaN stays NaN.
  [[nodiscard]] static constexpr hifloat8 saturated(float value) {
    return from_bits(detail::encode_hifloat8<overflow::saturate>(std::bit_cast<std::uint32_t>(value)));
  }

  [[nodiscard]] static constexpr hifloat8 from_bits(storage code) {
    hifloat8 result{};
    result.bits_ = code;
    return result;
  }
  [[nodiscard]] constexpr storage bits() const { return bits_; }

  /// The same value: every number of HiFloat8 is a float32.
  constexpr operator float() const { return std::bit_cast<float>(detail::decode_hifloat8(bits_)); }

  /// The other sign; zero and NaN have none.
  [[nodiscard]] constexpr hifloat8 operator-() const {
    return from_bits((bits_ & 0x7F) == 0 ? bits_ : static_cast<storage>(bits_ ^ 0x80));
  }

 private:
  storage bits_;
};

}  // namespace mezzo::inline MEZZO_ABI

/// Precision is that around 1, the finest; at either end of the range one bit of mantissa is left.
template <>
class std::numeric_limits<mezzo::hifloat8> {
  using number = mezzo::hifloat8;
  using codes = mezzo::detail::hifloat8_codes;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool is_iec559 = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;

  static constexpr int radix = 2;
  static constexpr int digits = 4;
  static constexpr int digits10 = 0;
  static constexpr int max_digits10 = 3;
  static constexpr int max_exponent = 16;
  static constexpr int min_exponent = -14;
  static constexpr int max_exponent10 = 4;
  static constexpr int min_exponent10 = -4;

  /// The smallest number with a mantissa.
  static constexpr number(min)() noexcept { return number::from_bits(codes::smallest_normal); }
  static constexpr number(max)() noexcept { return number::from_bits(codes::largest); }
  static constexpr number lowest() noexcept { return -(max)(); }
  static constexpr number epsilon() noexcept { return number(0.125F); }
  static constexpr number round_error() noexcept { return number(0.5F); }
  static constexpr number denorm_min() noexcept { return number::from_bits(codes::smallest); }
  static constexpr number infinity() noexcept { return number::from_bits(codes::infinity); }
  static constexpr number quiet_NaN() noexcept { return number::from_bits(codes::nan); }
  static constexpr number signaling_NaN() noexcept { return quiet_NaN(); }
};
