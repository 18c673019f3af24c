// SPDX-License-Identifier: MIT
//
// A number kept in few bits. It stores and converts, nothing more: it widens to float32 by itself, without loss, so
// that comparison and arithmetic happen there, and it narrows only where the program says so.
#pragma once

#include <mezzo/number/codec.hpp>

#include <bit>       // bit_cast
#include <concepts>  // integral, same_as

namespace mezzo::inline MEZZO_ABI {

/// A number of `Format`. Trivial, of the size of its storage; `minifloat()` is left uninitialised, `minifloat{}` is +0.
/// From a wider number it rounds to nearest, ties to even, once; beyond the largest finite number it is infinite.
template <format Format>
class minifloat {
 public:
  using format_type = Format;
  using storage = typename Format::storage;

  minifloat() = default;
  explicit constexpr minifloat(float value) : bits_(encode<Format>(value)) {}
  explicit constexpr minifloat(double value) : bits_(encode<Format>(value)) {}
  explicit constexpr minifloat(long double value) : bits_(encode<Format>(value)) {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && sizeof(Integer) <= 8)
  explicit constexpr minifloat(Integer value) : bits_(encode<Format>(value)) {}

  [[nodiscard]] static constexpr minifloat from_bits(storage code) {
    minifloat result{};
    result.bits_ = code;
    return result;
  }
  [[nodiscard]] MEZZO_INLINE constexpr storage bits() const { return bits_; }

  /// The same value: every number of `Format` is a float32.
  MEZZO_INLINE constexpr operator float() const { return decode<Format>(bits_); }

  /// Flips the sign bit, of NaN and zero too (IEEE 754-2019, 5.5.1).
  [[nodiscard]] constexpr minifloat operator-() const {
    return from_bits(static_cast<storage>(bits_ ^ layout<Format>::sign));
  }

#if defined(__STDCPP_FLOAT16_T__)
  explicit constexpr minifloat(decltype(0.0f16) value)
    requires std::same_as<Format, binary16>
      : bits_(std::bit_cast<storage>(value)) {}
  explicit constexpr operator decltype(0.0f16)() const
    requires std::same_as<Format, binary16>
  {
    return std::bit_cast<decltype(0.0f16)>(bits_);
  }
#endif
#if defined(__STDCPP_BFLOAT16_T__)
  explicit constexpr minifloat(decltype(0.0bf16) value)
    requires std::same_as<Format, brain16>
      : bits_(std::bit_cast<storage>(value)) {}
  explicit constexpr operator decltype(0.0bf16)() const
    requires std::same_as<Format, brain16>
  {
    return std::bit_cast<decltype(0.0bf16)>(bits_);
  }
#endif

 private:
  storage bits_;
};

using float16 = minifloat<binary16>;
using bfloat16 = minifloat<brain16>;

}  // namespace mezzo::inline MEZZO_ABI
