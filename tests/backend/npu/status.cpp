// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/status.hpp>

#include <mezzo/expr/activation.hpp>
#include <mezzo/number/limits.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace mezzo;
using npu::observed;
using npu::overflow_mode;

namespace {

/// The rule by itself: the IEEE result rounded to nearest even; then in saturation mode infinities become the largest
/// number and NaNs +0.
template <class T>
T by_rule(float exact, overflow_mode mode) {
  const T value = convert<T>(exact);
  const float seen = static_cast<float>(value);
  if (mode == overflow_mode::infinity) return value;
  if (seen != seen) return T{};
  if (seen > static_cast<float>((std::numeric_limits<T>::max)())) return (std::numeric_limits<T>::max)();
  if (seen < static_cast<float>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
  return value;
}

template <class Fn, class T>
void all_inputs() {
  for (const overflow_mode mode : {overflow_mode::infinity, overflow_mode::saturation})
    for (unsigned code = 0; code < 65536; ++code) {
      const float x = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(code)));
      const float y = Fn::apply(x);
      observed seen(mode);
      const T stored = seen.settled(convert<T>(y));
      REQUIRE(stored.bits() == by_rule<T>(y, mode).bits());
      REQUIRE(seen.raised == non_finite(convert<T>(y)));
      observed again(mode);
      REQUIRE(convert<T>(again.settled(exact<T>{static_cast<float>(convert<T>(y))}).value).bits() == stored.bits());
      REQUIRE(again.raised == seen.raised);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("every 16-bit input of every unary operation ends by the rule of the mode", T, float16, bfloat16) {
  all_inputs<exp_fn, T>();
  all_inputs<log_fn, T>();
  all_inputs<sqrt_fn, T>();
  all_inputs<neg_fn, T>();
  all_inputs<relu_fn, T>();
  all_inputs<tanh_fn, T>();
  all_inputs<sigmoid_fn, T>();
  all_inputs<silu_fn, T>();
  all_inputs<gelu_fn, T>();
  all_inputs<gelu_tanh_fn, T>();
}

TEST_CASE("results that are known of the chips") {
  observed saturating(overflow_mode::saturation), keeping(overflow_mode::infinity);
  CHECK(saturating.settled(float16(exp_fn::apply(12.0f))) == float16(65504));
  CHECK(saturating.raised);
  CHECK(std::numeric_limits<float16>::infinity() == keeping.settled(float16(exp_fn::apply(12.0f))));
  CHECK(keeping.raised);
  observed root(overflow_mode::saturation);
  CHECK(root.settled(float16(sqrt_fn::apply(-1.0f))).bits() == 0);
  CHECK(root.raised);
  observed sum(overflow_mode::saturation);
  CHECK(sum.settled(float16(40000.0f + 40000.0f)) == float16(65504));
  CHECK(sum.raised);
  observed fine(overflow_mode::saturation);
  CHECK(fine.settled(float16(65504)) == float16(65504));
  CHECK(!fine.raised);
}

TEST_CASE("float32 is never saturated, but seen") {
  observed seen(overflow_mode::saturation);
  CHECK(seen.settled(std::numeric_limits<float>::infinity()) == std::numeric_limits<float>::infinity());
  CHECK(seen.raised);
}

TEST_CASE("runs end as single results do") {
  float16 run[] = {float16(1), std::numeric_limits<float16>::infinity(), -std::numeric_limits<float16>::infinity(),
                   std::numeric_limits<float16>::quiet_NaN()};
  observed seen(overflow_mode::saturation);
  seen.settle_run(run, 4);
  CHECK(run[0] == float16(1));
  CHECK(run[1] == float16(65504));
  CHECK(run[2] == float16(-65504));
  CHECK(run[3].bits() == 0);
  CHECK(seen.raised);
}

TEST_CASE("an instruction on 16-bit lanes takes numbers of 16 bits") {
  CHECK(observed::number<float16>(1e-8f) == 0);
  CHECK(observed::number<float16>(0.1f) == static_cast<float>(float16(0.1f)));
  CHECK(observed::number<float>(1e-8f) == 1e-8f);
}
