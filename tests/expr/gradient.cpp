// SPDX-License-Identifier: MIT
#include <mezzo/expr/gradient.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

using floats = tensor<float, shape<2, 3>>;

// A request is a value over views.
using request =
    decltype(gradient(relu(std::declval<floats&>()), std::declval<floats&>(), wrt(std::declval<floats&>())));
static_assert(std::is_trivially_copyable_v<request>);

// Autocast rewrites the expression of a request, and nothing else.
using lowered = decltype(autocast<policies::O2<bfloat16>>(std::declval<request>()));
static_assert(std::is_same_v<decltype(lowered::wrt), decltype(request::wrt)>);
static_assert(std::is_same_v<decltype(lowered::expression),
                             decltype(autocast<policies::O2<bfloat16>>(relu(std::declval<floats&>())))>);

}  // namespace

TEST_CASE("the incoming gradient has the sizes of the expression") {
  const tensor<float, shape<dynamic_extent, 3>> x(shape<dynamic_extent, 3>(2));
  const tensor<float, shape<dynamic_extent, 3>> dy(shape<dynamic_extent, 3>(4));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(gradient(relu(x), dy, wrt(x))),
      "mezzo::gradient: the incoming gradient must have the sizes of the expression; given 12 elements for 6; check "
      "its shape",
      error);
}

TEST_CASE("a single number needs no incoming gradient") {
  const floats x{1, 2, 3, 4, 5, 6};
  floats dx;
  reference on;
  into(on, dx) = gradient(sum(x * x), wrt(x));
  CHECK(dx(1, 2) == 12);
  const tensor<double, shape<2>> d{1, 2};
  tensor<double, shape<2>> dd;
  into(on, dd) = gradient(0.1 * sum(d), wrt(d));
  CHECK(dd(0) == 0.1);  // in double, not through float32
}

TEST_CASE("the gradient of a gradient penalty is taken of the gradient unscaled") {
  // f = x², (f')² = 4x² at x = 3 is 36 with gradient 24.
  const tensor<float, shape<1>> x{3};
  const tensor<float, shape<1>> one{1};
  tensor<float, shape<1>> penalty;
  tensor<float, shape<1>> d;
  reference on;
  into(on, penalty) = (2 * x) * (2 * x);
  into(on, d) = gradient((2 * x) * (2 * x), one, wrt(x));
  CHECK(penalty(0) == 36);
  CHECK(d(0) == 24);
}
