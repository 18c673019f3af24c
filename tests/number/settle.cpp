// SPDX-License-Identifier: MIT
#include <mezzo/number/settle.hpp>

#include <doctest/doctest.h>
#include <mezzo/expr/activation.hpp>

#include "reference.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace mezzo;

constexpr float single(std::uint32_t code) { return std::bit_cast<float>(code); }

// A stored code and whether the flag went up, in either mode.
struct outcome {
  unsigned saturated, exact;
  bool flag;
  friend constexpr bool operator==(const outcome&, const outcome&) = default;
};

template <real T>
constexpr outcome of(float value) {
  bool first = false, second = false;
  const auto saturated = bits_of(settled<T>(value, first));
  const auto exact = bits_of(settled<T, overflow::to_infinity>(value, second));
  return {saturated, exact, first && second};
}

// The rule once more: by the magnitude at which rounding overflows, and by bisection between midpoints below it.
template <class Format>
outcome expected(const std::vector<std::uint64_t>& middle, float value) {
  using codes = layout<Format>;
  const auto code = std::bit_cast<std::uint32_t>(value);
  const unsigned sign = code >> 31 != 0 ? codes::sign : 0;
  const std::uint32_t magnitude = code & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) {
    const unsigned nan = sign | codes::quiet_nan | ((magnitude >> (23 - Format::mantissa_bits)) & codes::mantissa);
    return {0, nan, true};
  }
  const unsigned nearest = reference::nearest<binary32, Format>(middle, magnitude);
  if (nearest > codes::largest) return {sign | codes::largest, sign | codes::exponent, true};
  return {sign | nearest, sign | nearest, false};
}

constexpr auto negate = [](float x) { return neg_fn::apply(x); };
constexpr auto absolute = [](float x) { return math::abs(x); };
constexpr auto reciprocal = [](float x) { return div_fn::apply(1.0F, x); };
constexpr auto twice = [](float x) { return add_fn::apply(x, x); };
constexpr auto square = [](float x) { return mul_fn::apply(x, x); };
constexpr auto minus_itself = [](float x) { return sub_fn::apply(x, x); };
constexpr auto over_itself = [](float x) { return div_fn::apply(x, x); };

template <class Fn>
struct applied {
  constexpr float operator()(float x) const { return Fn::apply(x); }
};

// Results of `f` on every number of `T`, as float32 has them, that are stored otherwise than the rule says.
template <real T, class F>
int wrong_results(const F& f) {
  static const auto middle = reference::midpoints<binary32, format_of<T>>();
  int wrong = 0;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const float result = f(float(T::from_bits(static_cast<std::uint16_t>(code))));
    wrong += !(of<T>(result) == expected<format_of<T>>(middle, result));
  }
  return wrong;
}

template <real T>
int wrong_results_of_all() {
  return wrong_results<T>(applied<exp_fn>{}) + wrong_results<T>(applied<log_fn>{}) +
         wrong_results<T>(applied<sqrt_fn>{}) + wrong_results<T>(applied<relu_fn>{}) +
         wrong_results<T>(applied<tanh_fn>{}) + wrong_results<T>(applied<sigmoid_fn>{}) +
         wrong_results<T>(applied<gelu_fn>{}) + wrong_results<T>(applied<gelu_tanh_fn>{}) +
         wrong_results<T>(applied<silu_fn>{}) + wrong_results<T>(negate) + wrong_results<T>(absolute) +
         wrong_results<T>(reciprocal) + wrong_results<T>(twice) + wrong_results<T>(square) +
         wrong_results<T>(minus_itself) + wrong_results<T>(over_itself);
}

constexpr bool rounds_then_settles() {
  return of<float16>(65504) == outcome{0x7BFF, 0x7BFF, false} &&
         of<float16>(65519.99F) == outcome{0x7BFF, 0x7BFF, false} &&
         of<float16>(65520) == outcome{0x7BFF, 0x7C00, true} && of<float16>(-1e30F) == outcome{0xFBFF, 0xFC00, true} &&
         of<float16>(single(0xFFC00000)) == outcome{0, 0xFE00, true} && of<float16>(0x1p-26F) == outcome{0, 0, false} &&
         of<bfloat16>(3e38F) == outcome{0x7F62, 0x7F62, false} &&
         of<bfloat16>(single(0x7F7FFFFF)) == outcome{0x7F7F, 0x7F80, true} &&
         of<bfloat16>(single(0xFF800000)) == outcome{0xFF7F, 0xFF80, true} &&
         of<bfloat16>(single(0x7F800001)) == outcome{0, 0x7FC0, true};
}
static_assert(rounds_then_settles());

constexpr bool float32_is_never_saturated() {
  return of<float>(single(0x7F7FFFFF)) == outcome{0x7F7FFFFF, 0x7F7FFFFF, false} &&
         of<float>(single(0x7F800000)) == outcome{0x7F800000, 0x7F800000, true} &&
         of<float>(single(0xFF800000)) == outcome{0xFF800000, 0xFF800000, true} &&
         of<float>(single(0x7FC00000)) == outcome{0x7FC00000, 0x7FC00000, true};
}
static_assert(float32_is_never_saturated());

template <real T, overflow Mode>
constexpr unsigned stored_abs(std::uint32_t code) {
  bool flag = false;
  const auto stored = bits_of(settled_abs<T, Mode>(single(code), flag));
  const bool special = (code & 0x7FFFFFFF) >= 0x7F800000;
  return flag == special ? stored : 0xFFFFFFFF;
}

constexpr bool the_exception() {
  constexpr auto saturate = overflow::saturate, to_infinity = overflow::to_infinity;
  return stored_abs<float, saturate>(0xFFC00000) == 0 && stored_abs<float, to_infinity>(0xFFC00000) == 0x7FC00000 &&
         stored_abs<float16, saturate>(0x7FC00000) == 0 && stored_abs<float16, to_infinity>(0xFFC00000) == 0x7E00 &&
         stored_abs<float, saturate>(0xFF800000) == 0x7F800000 &&
         stored_abs<float16, saturate>(0xFF800000) == 0x7BFF && stored_abs<float16, saturate>(0xBF800000) == 0x3C00 &&
         stored_abs<float, saturate>(0x80000000) == 0 && stored_abs<bfloat16, saturate>(0xC0000000) == 0x4000;
}
static_assert(the_exception());

constexpr bool the_flag_stays_up() {
  bool flag = false;
  static_cast<void>(settled<float16>(1e9F, flag));
  static_cast<void>(settled<float16>(1.0F, flag));
  return flag;
}
static_assert(the_flag_stays_up());

}  // namespace

TEST_CASE("every result of every function on every 16-bit number is stored by the rule, in both modes") {
  CHECK(wrong_results_of_all<float16>() == 0);
  CHECK(wrong_results_of_all<bfloat16>() == 0);
}

TEST_CASE("results are rounded first") { CHECK(rounds_then_settles()); }

TEST_CASE("float32 shows its infinities and NaNs in either mode") { CHECK(float32_is_never_saturated()); }

TEST_CASE("the absolute value of NaN is the exception") { CHECK(the_exception()); }

TEST_CASE("a flag that is up stays up") { CHECK(the_flag_stays_up()); }

#if !defined(__FAST_MATH__)
namespace {

// The results that documentation and people quote, for float16 operands.
struct example {
  float result;
  outcome stored;
};
const float infinite = std::numeric_limits<float>::infinity();
const example examples[] = {
    {exp_fn::apply(12.0F), {0x7BFF, 0x7C00, true}},
    {exp_fn::apply(11.0F), {0x7B4F, 0x7B4F, false}},
    {exp_fn::apply(-20.0F), {0x0000, 0x0000, false}},
    {exp_fn::apply(infinite), {0x7BFF, 0x7C00, true}},
    {exp_fn::apply(-infinite), {0x0000, 0x0000, false}},
    {sqrt_fn::apply(65504.0F), {0x5BFF, 0x5BFF, false}},
    {log_fn::apply(0.0F), {0xFBFF, 0xFC00, true}},
    {log_fn::apply(1.0F), {0x0000, 0x0000, false}},
    {add_fn::apply(40000.0F, 40000.0F), {0x7BFF, 0x7C00, true}},
    {add_fn::apply(-40000.0F, -40000.0F), {0xFBFF, 0xFC00, true}},
    {mul_fn::apply(256.0F, 256.0F), {0x7BFF, 0x7C00, true}},
    {mul_fn::apply(256.0F, 255.0F), {0x7BF8, 0x7BF8, false}},
    {div_fn::apply(1.0F, 0.0F), {0x7BFF, 0x7C00, true}},
    {div_fn::apply(1.0F, -0.0F), {0xFBFF, 0xFC00, true}},
    {div_fn::apply(1.0F, infinite), {0x0000, 0x0000, false}},
    {neg_fn::apply(infinite), {0xFBFF, 0xFC00, true}},
    {relu_fn::apply(-infinite), {0x0000, 0x0000, false}},
    {tanh_fn::apply(-infinite), {0xBC00, 0xBC00, false}},
    {sigmoid_fn::apply(infinite), {0x3C00, 0x3C00, false}},
    {gelu_fn::apply(65504.0F), {0x7BFF, 0x7BFF, false}},
    {silu_fn::apply(infinite), {0x7BFF, 0x7C00, true}},
};

// Operations without a result: 0 where saturated, NaN otherwise, the flag up.
const float nothing[] = {sqrt_fn::apply(-1.0F),
                         log_fn::apply(-1.0F),
                         div_fn::apply(0.0F, 0.0F),
                         sub_fn::apply(infinite, infinite),
                         mul_fn::apply(0.0F, infinite),
                         exp_fn::apply(single(0x7FC00000))};

// Where each function of <cmath> on every float16 overflows or has no result, and only there, so does what is stored;
// elsewhere the two modes agree within one code of it.
template <class F, class G>
int wrong_classes(const F& f, const G& g) {
  static const auto middle = reference::midpoints<binary32, binary16>();
  int wrong = 0;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto x = float16::from_bits(static_cast<std::uint16_t>(code));
    const outcome got = of<float16>(f(float(x)));
    const double y = g(static_cast<double>(float(x)));
    const unsigned sign = std::signbit(y) ? 0x8000 : 0;
    if (std::isnan(y)) {
      wrong += got.saturated != 0 || (got.exact & 0x7FFF) <= 0x7C00 || !got.flag;
    } else if (std::fabs(y) >= 65520) {
      wrong += !(got == outcome{sign | 0x7BFF, sign | 0x7C00, true});
    } else {
      const auto wide = std::bit_cast<std::uint32_t>(std::fabs(static_cast<float>(y)));
      const unsigned nearest = sign | reference::nearest<binary32, binary16>(middle, wide);
      const unsigned apart = got.exact > nearest ? got.exact - nearest : nearest - got.exact;
      wrong += got.saturated != got.exact || got.flag || apart > 1;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("results that people quote") {
  for (const example& e : examples) {
    CAPTURE(e.result);
    CHECK(of<float16>(e.result) == e.stored);
  }
  for (const float result : nothing) {
    const outcome got = of<float16>(result);
    CHECK(got.saturated == 0);
    CHECK((got.exact & 0x7FFF) > 0x7C00);
    CHECK(got.flag);
  }
}

TEST_CASE("float16 results overflow and vanish where those of <cmath> do") {
  CHECK(wrong_classes(applied<exp_fn>{}, [](double x) { return std::exp(x); }) == 0);
  CHECK(wrong_classes(applied<log_fn>{}, [](double x) { return std::log(x); }) == 0);
  CHECK(wrong_classes(applied<sqrt_fn>{}, [](double x) { return std::sqrt(x); }) == 0);
  CHECK(wrong_classes(applied<tanh_fn>{}, [](double x) { return std::tanh(x); }) == 0);
  CHECK(wrong_classes(applied<sigmoid_fn>{}, [](double x) { return 1 / (1 + std::exp(-x)); }) == 0);
  CHECK(wrong_classes(negate, [](double x) { return -x; }) == 0);
  CHECK(wrong_classes(absolute, [](double x) { return std::fabs(x); }) == 0);
  CHECK(wrong_classes(reciprocal, [](double x) { return 1 / x; }) == 0);
  CHECK(wrong_classes(twice, [](double x) { return 2 * x; }) == 0);
  CHECK(wrong_classes(square, [](double x) { return x * x; }) == 0);
}
#endif
