// SPDX-License-Identifier: MIT
#include <mezzo/expr/node.hpp>

#include <mezzo/expr/product.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

using matrix = tensor<float, shape<2, 3>>;
using writable = view<float, shape<2, 3>>;
using readable = view<const float, shape<2, 3>>;

// A tensor with a name, a view, and an expression are operands; a temporary tensor is not, nor is a foreign type.
template <class T>
concept accepted = requires(T&& value) {
  as_expression(std::forward<T>(value));
};
static_assert(accepted<matrix&> && accepted<const matrix&> && accepted<writable> && accepted<readable&>);
static_assert(accepted<float> && accepted<int>);
static_assert(!accepted<matrix> && !accepted<const matrix> && !accepted<const char*>);

// Two numbers are no operands of an expression, and operators of foreign types are left alone.
static_assert(operands<matrix&, float> && !operands<float, float>);
struct foreign {};
static_assert(!operands<matrix&, foreign>);

// Leaves are seen for reading.
static_assert(std::is_same_v<expression_t<matrix&>, leaf<readable>>);
static_assert(std::is_same_v<expression_t<writable>, leaf<readable>>);
static_assert(std::is_same_v<expression_t<double>, scalar>);

// An expression is a value over views: copied freely, owning nothing.
using layer = decltype(std::declval<matrix&>() * 2 + std::declval<readable>());
static_assert(std::is_trivially_copyable_v<layer> && std::is_trivially_destructible_v<layer>);
static_assert(std::is_same_v<expression_t<layer&>, layer>);
static_assert(std::is_same_v<layer::extents_type, shape<2, 3>>);

// It can be combined or stored, not indexed.
template <class T>
concept indexed = requires(T t) {
  t(0, 0);
}
|| requires(T t) { t[0]; };
static_assert(!indexed<layer>);

static_assert(as_expression(0.1).as_float == 0.1f && as_expression(0.1).as_double == 0.1);

}  // namespace

TEST_CASE("an expression refers to its operands and nothing else") {
  matrix x{1, 2, 3, 4, 5, 6};
  const auto e = x + 1;
  const auto copy = e;
  CHECK(get<0>(copy.children).source.data() == x.data());
  x(0, 0) = 7;
  CHECK(get<0>(copy.children).source(0, 0) == 7);
}

TEST_CASE("sizes that do not fit are found when the expression is written") {
  const tensor<float, shape<dynamic_extent>> a(shape<dynamic_extent>(2));
  const tensor<float, shape<dynamic_extent>> b(shape<dynamic_extent>(3));
  CHECK_THROWS_AS(static_cast<void>(a + b), error);
}
