// SPDX-License-Identifier: MIT
#include <mezzo/policy/policies.hpp>

#include <mezzo/policy/ops.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <type_traits>

namespace {

namespace op = mezzo::op;
namespace policies = mezzo::policies;
using mezzo::autocast_policy;
using mezzo::bfloat16;
using mezzo::float16;
using mezzo::has_masters;
using mezzo::keep;
using mezzo::level;
using mezzo::lower;
using mezzo::wants_loss_scale;

static_assert(policies::native::level == level::native && std::same_as<policies::native::low_type, float>);
static_assert(policies::O0<>::level == level::O0 && std::same_as<policies::O0<>::low_type, float>);
static_assert(policies::O1<bfloat16>::level == level::O1 && std::same_as<policies::O1<bfloat16>::low_type, bfloat16>);
static_assert(policies::O2<float16>::level == level::O2 && std::same_as<policies::O2<float16>::low_type, float16>);
static_assert(policies::O3<float16>::level == level::O3 && std::same_as<policies::O3<float16>::low_type, float16>);

// The levels take their low type first, then overrides.
template <class... Ts>
concept an_O0 = requires { typename policies::O0<Ts...>; };
template <class... Ts>
concept an_O2 = requires { typename policies::O2<Ts...>; };
static_assert(an_O0<> && an_O0<keep<double, op::sum>, lower<op::gelu>> && !an_O0<float16>);
static_assert(an_O2<bfloat16> && an_O2<float16, keep<float, op::gelu>, lower<op::exp>, lower<>>);
static_assert(!an_O2<float> && !an_O2<double> && !an_O2<int> && !an_O2<keep<float, op::gelu>, float16>);
static_assert(!an_O2<float16, op::gelu> && !an_O2<float16, bfloat16>);

// A policy is an empty type, and one by another name is a policy.
struct house_policy : policies::O2<float16, lower<op::exp>> {};
static_assert(std::is_empty_v<policies::O2<float16, keep<float, op::gelu>>> && autocast_policy<house_policy>);
static_assert(autocast_policy<policies::native> && autocast_policy<policies::O0<>> &&
              autocast_policy<policies::O3<bfloat16>>);
static_assert(!autocast_policy<float> && !autocast_policy<keep<float, op::gelu>>);

static_assert(std::same_as<house_policy::override_of<op::exp>, lower<op::exp>>);
static_assert(std::same_as<house_policy::override_of<op::log>, mezzo::detail::no_override>);

static_assert(has_masters<policies::O2<float16>> && has_masters<house_policy> && has_masters<policies::O2<bfloat16>>);
static_assert(!has_masters<policies::native> && !has_masters<policies::O0<>> && !has_masters<policies::O1<float16>> &&
              !has_masters<policies::O3<float16>>);

static_assert(wants_loss_scale<policies::O1<float16>> && wants_loss_scale<policies::O2<float16>> &&
              wants_loss_scale<house_policy>);
static_assert(!wants_loss_scale<policies::O1<bfloat16>> && !wants_loss_scale<policies::O2<bfloat16>> &&
              !wants_loss_scale<policies::O3<float16>> && !wants_loss_scale<policies::O0<>> &&
              !wants_loss_scale<policies::native>);

}  // namespace

TEST_CASE("float16 is trained with masters and a loss scale at O2, bfloat16 with masters alone") {
  CHECK(has_masters<policies::O2<float16>>);
  CHECK(wants_loss_scale<policies::O2<float16>>);
  CHECK(has_masters<policies::O2<bfloat16>>);
  CHECK_FALSE(wants_loss_scale<policies::O2<bfloat16>>);
}
