// SPDX-License-Identifier: MIT
#include <mezzo/policy/override.hpp>

#include <mezzo/policy/ops.hpp>

#include <doctest/doctest.h>

#include <concepts>

namespace {

namespace op = mezzo::op;
using mezzo::bfloat16;
using mezzo::float16;
using mezzo::keep;
using mezzo::lower;

template <class T, class... Tags>
concept can_keep = requires { typename keep<T, Tags...>; };
template <class... Tags>
concept can_lower = requires { typename lower<Tags...>; };

using kept = keep<float, op::sigmoid, op::scaled_dot_product_attention>;
static_assert(kept::names<op::sigmoid> && kept::names<op::scaled_dot_product_attention> && !kept::names<op::gelu>);
static_assert(std::same_as<kept::type<float16>, float>);
static_assert(std::same_as<keep<bfloat16, op::exp>::type<float16>, bfloat16>);

using lowered = lower<op::gelu, op::exp>;
static_assert(lowered::names<op::gelu> && lowered::names<op::exp> && !lowered::names<op::sigmoid>);
static_assert(std::same_as<lowered::type<float16>, float16> && std::same_as<lowered::type<bfloat16>, bfloat16>);
static_assert(!lower<>::names<op::gelu> && !keep<float>::names<op::gelu>, "an override may be empty");

// Named twice in one override.
static_assert(can_keep<float, op::gelu, op::exp> && !can_keep<float, op::gelu, op::exp, op::gelu>);
static_assert(can_lower<op::gelu, op::exp> && !can_lower<op::gelu, op::gelu>);

// What is unsafe low may be kept wide, and only there.
static_assert(can_keep<float, op::binary_cross_entropy> && can_keep<double, op::binary_cross_entropy>);
static_assert(!can_keep<float16, op::binary_cross_entropy> && !can_keep<bfloat16, op::gelu, op::binary_cross_entropy>);
static_assert(!can_lower<op::binary_cross_entropy> && can_lower<op::binary_cross_entropy_with_logits>);

// Number types and tags only.
static_assert(!can_keep<int, op::gelu> && !can_keep<float, float> && !can_lower<float16>);

template <class Tag, class... Overrides>
using last = typename mezzo::detail::last_override<Tag, Overrides...>::type;
static_assert(std::same_as<last<op::gelu>, mezzo::detail::no_override>);
static_assert(std::same_as<last<op::gelu, kept>, mezzo::detail::no_override>);
static_assert(std::same_as<last<op::gelu, lowered>, lowered>);
static_assert(std::same_as<last<op::gelu, keep<float, op::gelu>, lowered>, lowered>);
static_assert(std::same_as<last<op::gelu, lowered, keep<float, op::gelu>>, keep<float, op::gelu>>);
static_assert(std::same_as<last<op::exp, lowered, keep<float, op::gelu>>, lowered>,
              "one that names others is no rival");

static_assert(mezzo::detail::policy_override<kept> && mezzo::detail::policy_override<lowered>);
static_assert(!mezzo::detail::policy_override<op::gelu> && !mezzo::detail::policy_override<float16>);

}  // namespace

TEST_CASE("an override says of the operations that it names, and of no other") {
  CHECK(kept::names<op::sigmoid>);
  CHECK_FALSE(kept::names<op::tanh>);
  CHECK(lowered::names<op::gelu>);
  CHECK_FALSE(lowered::names<op::tanh>);
}
