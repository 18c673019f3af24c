// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/softmax.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

using namespace mezzo;

namespace {

using doubles = tensor<double, shape<3, 4>>;
using labels = tensor<std::int32_t, shape<3>>;

}  // namespace

TEST_CASE("softmax keeps its sizes, cross-entropy is one number") {
  const doubles x;
  const labels of;
  static_assert(std::is_same_v<decltype(softmax(x))::extents_type, shape<3, 4>>);
  static_assert(std::is_same_v<decltype(log_softmax<0>(x))::extents_type, shape<3, 4>>);
  static_assert(std::is_same_v<decltype(cross_entropy(x, of))::extents_type, shape<>>);
  const tensor<std::int32_t, shape<dynamic_extent>> few(shape<dynamic_extent>(2));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(cross_entropy(x, few)),
      "mezzo::cross_entropy: there must be one label for each row of logits; given 2 labels and 3 rows; check the "
      "batch",
      error);
}

TEST_CASE("gradients of softmax and its logarithm over the last and another axis") {
  auto x = uniform<doubles>(1, -2, 2);
  check_gradient([](auto& x_) { return softmax(x_); }, x);
  check_gradient([](auto& x_) { return softmax<0>(x_); }, x);
  check_gradient([](auto& x_) { return log_softmax(x_); }, x);
  check_gradient([](auto& x_) { return log_softmax<-2>(x_); }, x);
}

TEST_CASE("gradients of cross-entropy") {
  auto x = uniform<doubles>(1, -2, 2);
  const labels of{2, 0, 3};
  check_gradient([&](auto& x_) { return cross_entropy(x_, of); }, x);
  check_gradient([&](auto& x_) { return 3.0 * cross_entropy(2.0 * x_, of) + sum(x_); }, x);
}

TEST_CASE("a label outside the classes fails when the loss is stored") {
  const doubles x;
  labels of{2, 4, 0};
  double loss = 0;
  const view<double, shape<>> y(&loss, shape<>{});
  reference plain;
  CHECK_THROWS_WITH_AS(
      into(plain, y) = cross_entropy(x, of),
      "mezzo::cross_entropy: labels must lie in [0, classes); given 4 in row 1 for 4 classes; check the data", error);
  of(1) = -1;
  CHECK_THROWS_WITH_AS(
      into(plain, y) = cross_entropy(x, of),
      "mezzo::cross_entropy: labels must lie in [0, classes); given -1 in row 1 for 4 classes; check the data", error);
}
