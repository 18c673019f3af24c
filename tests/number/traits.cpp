// SPDX-License-Identifier: MIT
#include <mezzo/number/traits.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string_view>

namespace {

using namespace mezzo;

static_assert(low_precision<float16> && low_precision<bfloat16> && !low_precision<float> && !low_precision<double>);
static_assert(real<float16> && real<bfloat16> && real<float> && real<double>);
static_assert(!real<int> && !real<long double> && !real<const float> && !real<bool> && !low_precision<std::uint16_t>);

static_assert(std::same_as<compute_t<float16>, float> && std::same_as<compute_t<bfloat16>, float>);
static_assert(std::same_as<compute_t<float>, float> && std::same_as<compute_t<double>, double>);

static_assert(std::same_as<promote_t<float16, float16>, float16> &&
              std::same_as<promote_t<bfloat16, bfloat16>, bfloat16>);
static_assert(std::same_as<promote_t<float16, bfloat16>, float> && std::same_as<promote_t<bfloat16, float16>, float>);
static_assert(std::same_as<promote_t<float16, float>, float> && std::same_as<promote_t<float, bfloat16>, float>);
static_assert(std::same_as<promote_t<float, float>, float> && std::same_as<promote_t<double, double>, double>);
static_assert(std::same_as<promote_t<float, double>, double> && std::same_as<promote_t<double, float16>, double>);

static_assert(std::string_view(type_name<float16>) == "float16" && std::string_view(type_name<bfloat16>) == "bfloat16");
static_assert(std::string_view(type_name<float>) == "float32" && std::string_view(type_name<double>) == "float64");

static_assert(bits_of(float16(1)) == 0x3C00 && bits_of(1.0F) == 0x3F800000 && bits_of(-1.0) == 0xBFF0000000000000);
static_assert(bits_of(from_bits<bfloat16>(0x1234)) == 0x1234 && from_bits<float>(0x3F800000) == 1.0F);

template <real T>
constexpr bool tells_non_finite(T largest) {
  using codes = layout<format_of<T>>;
  using word = typename codes::word;
  const auto with_sign = [](word code) { return non_finite(from_bits<T>(static_cast<word>(code | codes::sign))); };
  return !non_finite(largest) && !non_finite(T(0)) && !non_finite(from_bits<T>(1)) &&
         non_finite(from_bits<T>(codes::exponent)) &&
         non_finite(from_bits<T>(static_cast<word>(codes::exponent | 1))) &&
         non_finite(from_bits<T>(codes::quiet_nan)) && with_sign(codes::exponent) && with_sign(codes::magnitude) &&
         !with_sign(codes::largest);
}
static_assert(tells_non_finite(float16(65504)) && tells_non_finite(bfloat16(3e38)));
static_assert(tells_non_finite(3.4e38F) && tells_non_finite(1.7e308));

}  // namespace

TEST_CASE("infinity and NaN are told by their bits, under any compiler flag") {
  CHECK(tells_non_finite(float16(65504)));
  CHECK(tells_non_finite(bfloat16(3e38)));
  CHECK(tells_non_finite(3.4e38F));
  CHECK(tells_non_finite(1.7e308));
}
