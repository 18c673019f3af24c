// SPDX-License-Identifier: MIT
#include <mezzo/train/gradients.hpp>

#include <mezzo/number/limits.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <type_traits>

using namespace mezzo;

namespace {

using scaled = gradients<carries_scale, true, false>;
using unscaled = gradients<is_unscaled, true, false>;
using clipped = gradients<is_clipped, true, false>;

/// What is known of stored gradients of type `T`.
template <class T, std::size_t Size>
constexpr tally seen(const T (&g)[Size]) {
  tally sum;
  inspect(inspection::finite_and_norm, g, Size, sum);
  return sum;
}

// The order is in the types.
static_assert(std::is_same_v<decltype(unscale(scaled{})), unscaled>);
static_assert(std::is_same_v<decltype(clip_norm(unscale(scaled{}), 1.0f)), clipped>);
static_assert(
    std::is_same_v<decltype(unscale(gradients<carries_scale, false, true>{})), gradients<is_unscaled, false, true>>);

template <class G>
concept unscales = requires(const G& g) {
  unscale(g);
};
template <class G>
concept clips = requires(const G& g) {
  clip_norm(g, 1.0f);
};
template <class G>
concept has_readable_norm = requires(const G& g) {
  g.norm();
};
template <class State>
concept may_step = detail::ready_to_step<State>;
static_assert(unscales<scaled> && !unscales<unscaled> && !unscales<clipped>);
static_assert(!clips<scaled> && clips<unscaled> && !clips<gradients<is_unscaled, false, false>>);
static_assert(!has_readable_norm<scaled> && has_readable_norm<unscaled> && has_readable_norm<clipped>);
static_assert(!may_step<carries_scale> && may_step<is_unscaled> && may_step<is_clipped>);

// g = [3, 4] carries the scale 1024; the norm is 5, and with a limit of 1 the optimizer reads [0.6, 0.8].
constexpr bool clips_after_unscaling() {
  const float g[] = {3 * 1024.0f, 4 * 1024.0f};
  const auto free = unscale(scaled{.seen = seen(g), .scale = 1024});
  const auto limited = clip_norm(free, 1);
  return free.norm() == 5 && free.factor == 0x1p-10f && g[0] * limited.factor == 0.6f &&
         g[1] * limited.factor == 0.8f && limited.norm() == 1;
}
static_assert(clips_after_unscaling());

// Below the limit nothing is changed, not even a bit.
static_assert(clip_norm(unscaled{.seen = {false, 25}, .factor = 0x1p-3f}, 5).factor == 0x1p-3f);
static_assert(clip_norm(unscaled{.seen = {false, 0}}, 1).factor == 1);

// The sum of squares of [300, 400] is past float16, and past its largest number again when they carry a scale.
constexpr float16 of_float16[] = {float16(300.0f), float16(400.0f)};
static_assert(unscale(scaled{.seen = seen(of_float16)}).norm() == 500);
constexpr float16 largest[] = {float16(65504.0f), float16(65504.0f)};
static_assert(unscale(scaled{.seen = seen(largest), .scale = 0x1p16f}).norm() > 1.413f);

// A sum over micro-batches still divides by the samples.
static_assert(unscale(gradients<carries_scale, true, true>{.scale = 8, .factor = 0.25f}).factor == 0x1p-5f);

// No samples, no loss.
static_assert(scaled{}.mean_loss() == 0 && scaled{.loss = 3, .samples = 2}.mean_loss() == 1.5f);
static_assert(scaled{}.finite() && !scaled{.seen = {true, 0}}.finite());

static_assert(step_outcome{step_reason::stepped, 1}.ran() && !step_outcome{step_reason::non_finite, 1}.ran());
static_assert(!step_outcome{}.ran() && step_outcome{}.reason == step_reason::no_gradients);

}  // namespace

TEST_CASE("any power of two as a scale leaves the bits of a gradient alone") {
  for (int exponent = -126; exponent <= 126; ++exponent) {
    const float scale = std::ldexp(1.0f, exponent);
    const auto free = unscale(scaled{.seen = {false, 1}, .scale = scale});
    CHECK(1.4142135f * scale * free.factor == 1.4142135f);
  }
}

TEST_CASE("a bad gradient among many is seen, in whatever type it is stored") {
  float16 g[100]{};
  CHECK(unscale(scaled{.seen = seen(g)}).finite());
  g[57] = std::numeric_limits<float16>::infinity();
  CHECK(!unscale(scaled{.seen = seen(g)}).finite());
  // Two that cancel in a sum are two bad ones.
  float wide[] = {0, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  CHECK(!clip_norm(unscale(scaled{.seen = seen(wide)}), 1).finite());
}

TEST_CASE("clipping reaches its limit whatever the norm") {
  for (const double squares : {1.0001, 4.0, 1e6, 1e30, 1e60}) {
    const auto limited = clip_norm(unscaled{.seen = {false, squares}}, 1);
    CHECK(std::fabs(double(limited.norm()) - 1) < 1e-6);
  }
}
