// SPDX-License-Identifier: MIT
#include <mezzo/expr/bind.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

using floats = tensor<float, shape<3, 3>>;
using halves = tensor<float16, shape<3, 3>>;
using doubles = tensor<double, shape<3, 3>>;
using brains = tensor<bfloat16, shape<3, 3>>;
using labels = tensor<std::int32_t, shape<3>>;

template <class T>
T& a();

/// The precision that a policy gives to the node at the root.
template <class Policy, class Expression>
using of = typename decltype(autocast<Policy>(std::declval<Expression>()))::precision;
template <class Operand, class Compute, class Output, class Policy, class Expression>
constexpr bool is = std::is_same_v<of<Policy, Expression>, precision<Operand, Compute, Output>>;

using native = policies::native;
using O0 = policies::O0<>;
using O1 = policies::O1<float16>;
using O2 = policies::O2<float16>;
using O3 = policies::O3<float16>;

// Products: the low type in and out, float32 sums.
using product = decltype(matmul(a<floats>(), a<floats>()));
static_assert(is<as_given, float, float, native, product> && is<as_given, float, float, O0, product>);
static_assert(is<float16, float, float16, O1, product> && is<float16, float, float16, O2, product>);
static_assert(is<float16, float, float16, O3, product>);
static_assert(is<as_given, double, double, O2, decltype(matmul(a<doubles>(), a<floats>()))>);

// Exponentials and sums: float32 results under O1; element by element, O2 stores them low.
using exponential = decltype(exp(a<halves>()));
static_assert(is<as_given, float, float16, native, exponential> && is<as_given, float, float, O1, exponential>);
static_assert(is<float16, float, float16, O2, exponential>);
using total = decltype(sum(a<halves>()));
static_assert(is<as_given, float, float, O1, total> && is<as_given, float, float, O2, total>);
static_assert(is<float16, float, float16, O3, total>);

// Losses: float32 at every level; integers take no part in promotion.
using loss = decltype(cross_entropy(a<halves>(), a<labels>()));
static_assert(is<as_given, float, float, native, loss> && is<as_given, float, float, O2, loss>);
static_assert(is<as_given, float, float, O3, loss>);

// Arithmetic: the widest operand; program numbers promote nothing; two 16-bit types meet in float32.
static_assert(is<as_given, float, float16, O1, decltype(a<halves>() + 2.0)>);
static_assert(is<as_given, float, float, O1, decltype(a<halves>() + a<floats>())>);
static_assert(is<as_given, float, float, O1, decltype(a<halves>() + a<brains>())>);
static_assert(is<as_given, float, float16, O1, decltype(relu(a<halves>()))>);

// Overrides are heard before levels.
using kept = policies::O2<float16, keep<float, op::matmul>, lower<op::sum>>;
static_assert(is<float, float, float, kept, product> && is<float16, float, float16, kept, total>);

// A bias belongs to its product: one operation, resolved with the product's operands, over an unrounded accumulator.
using layer = decltype(linear(a<floats>(), a<floats>(), a<floats>()));
static_assert(is<float16, float, float16, O1, layer>);
template <class Policy>
using under_bias = pack_element_t<0, decltype(decltype(autocast<Policy>(std::declval<layer>()))::children)>;
static_assert(std::is_same_v<typename under_bias<O1>::precision, precision<float16, float, float>>);
static_assert(std::is_same_v<typename under_bias<O0>::precision, precision<as_given, float, float>>);

// What an inner autocast has bound stays as it is, and hands its own result type on.
using inner = decltype(relu(autocast<O1>(std::declval<product>())));
static_assert(is<as_given, float, float, O0, inner>);
static_assert(is<as_given, float, float16, native, inner>);
static_assert(
    std::is_same_v<pack_element_t<0, decltype(decltype(autocast<O0>(std::declval<inner>()))::children)>::precision,
                   precision<float16, float, float16>>);

// Policies that agree on an operation leave one type behind: its code is shared.
static_assert(
    std::is_same_v<decltype(autocast<O1>(std::declval<product>())), decltype(autocast<O2>(std::declval<product>()))>);

}  // namespace

TEST_CASE("a bound expression has the sizes and values of the expression") {
  const floats x(shape<3, 3>{}, 2);
  const auto e = autocast<O1>(matmul(x, x));
  CHECK(e.extents() == shape<3, 3>{});
  floats y;
  reference on;
  into(on, y) = e + 1;
  CHECK(y(2, 2) == 13);
}

TEST_CASE("accumulators stay float32 in the middle of a low expression") {
  // 2048 + 1 - 2048 in float16 sums is 0.
  const tensor<float16, shape<1, 3>> x{float16(2048.0f), float16(1.0f), float16(-2048.0f)};
  const tensor<float16, shape<3, 1>> ones(shape<3, 1>{}, float16(1.0f));
  tensor<float16, shape<1, 1>> y;
  reference on;
  into(on, y) = autocast<O3>(matmul(x, ones));
  CHECK(static_cast<float>(y(0, 0)) == 1);
}
