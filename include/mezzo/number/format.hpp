// SPDX-License-Identifier: MIT
//
// A number format is a type that describes it: the widths of its fields, its bias, what its topmost codes mean. All
// conversions, limits and texts follow from the description, so that a further format is a further descriptor.
#pragma once

#include <mezzo/base/config.hpp>

#include <concepts>  // unsigned_integral
#include <cstdint>   // uint16_t, uint32_t, uint64_t

namespace mezzo::inline MEZZO_ABI {

/// What the codes above the largest finite number mean.
enum class specials {
  ieee,  ///< the highest exponent holds infinity and the NaNs (IEEE 754-2019, 3.4)
  nan    ///< no infinity: the code of ones alone is NaN, the rest of the highest exponent is finite (OCP OFP8, E4M3)
};

/// IEEE 754-2019 binary16.
struct binary16 {
  using storage = std::uint16_t;
  static constexpr int exponent_bits = 5;
  static constexpr int mantissa_bits = 10;
  static constexpr int bias = 15;
  static constexpr specials special = specials::ieee;
  static constexpr const char* name = "float16";
};

/// The upper half of binary32 (bfloat16): its range, 8 bits of precision.
struct brain16 {
  using storage = std::uint16_t;
  static constexpr int exponent_bits = 8;
  static constexpr int mantissa_bits = 7;
  static constexpr int bias = 127;
  static constexpr specials special = specials::ieee;
  static constexpr const char* name = "bfloat16";
};

/// IEEE 754-2019 binary32, the format of `float`.
struct binary32 {
  using storage = std::uint32_t;
  using native = float;
  static constexpr int exponent_bits = 8;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
  static constexpr specials special = specials::ieee;
  static constexpr const char* name = "float32";
};

/// IEEE 754-2019 binary64, the format of `double`.
struct binary64 {
  using storage = std::uint64_t;
  using native = double;
  static constexpr int exponent_bits = 11;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
  static constexpr specials special = specials::ieee;
  static constexpr const char* name = "float64";
};

/// A descriptor whose sign, exponent and mantissa fill its storage.
template <class T>
concept format = std::unsigned_integral<typename T::storage> &&
                 1 + T::exponent_bits + T::mantissa_bits == 8 * static_cast<int>(sizeof(typename T::storage)) &&
                 T::bias > 0 && (T::special == specials::ieee || T::special == specials::nan);

/// The codes that follow from a descriptor. All but `sign` have the sign bit clear.
template <format Format>
struct layout {
  using word = typename Format::storage;

  static constexpr word sign = static_cast<word>(word{1} << (Format::exponent_bits + Format::mantissa_bits));
  static constexpr word magnitude = static_cast<word>(sign - 1);
  static constexpr word mantissa = static_cast<word>((word{1} << Format::mantissa_bits) - 1);
  static constexpr word exponent = static_cast<word>(magnitude - mantissa);
  /// The topmost bit of the mantissa, set in a quiet NaN.
  static constexpr word quiet = static_cast<word>(word{1} << (Format::mantissa_bits - 1));

  static constexpr bool has_infinity = Format::special == specials::ieee;
  /// The lowest code that is not a finite number: infinity, or the NaN of a format without.
  static constexpr word overflow = has_infinity ? exponent : magnitude;
  static constexpr word largest = static_cast<word>(overflow - 1);
  static constexpr word quiet_nan = has_infinity ? static_cast<word>(exponent | quiet) : magnitude;
  static constexpr word smallest_normal = static_cast<word>(mantissa + 1);
  static constexpr word one = static_cast<word>(static_cast<word>(Format::bias) << Format::mantissa_bits);

  static constexpr bool is_finite(word code) { return static_cast<word>(code & magnitude) < overflow; }
  static constexpr bool is_nan(word code) {
    return static_cast<word>(code & magnitude) > static_cast<word>(has_infinity ? exponent : largest);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
