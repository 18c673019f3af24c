// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of store and backend
#include <mezzo/expr/attention.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using doubles = tensor<double, shape<Sizes...>>;

static_assert(causal_mask::visible(0, 5) == 1 && causal_mask::visible(4, 5) == 5 && causal_mask::visible(7, 5) == 5);
static_assert(no_mask::visible(0, 5) == 5);

}  // namespace

TEST_CASE("a result for each query, as wide as the values") {
  const doubles<2, 3, 4> q;
  const doubles<2, 5, 4> k;
  const doubles<2, 5, 6> v;
  static_assert(std::is_same_v<decltype(attention<2>(q, k, v))::extents_type, shape<2, 3, 6>>);
  static_assert(std::is_same_v<decltype(self_attention<2>(v))::extents_type, shape<2, 5, 2>>);
  const tensor<double, shape<2, dynamic_extent, 6>> fewer(shape<2, dynamic_extent, 6>(4));
  CHECK_THROWS_WITH_AS(static_cast<void>(attention(q, k, fewer)),
                       "mezzo::attention: batches must agree, keys must be as many as values and as wide as queries; "
                       "given queries 2x3x4, keys 2x5x4, values 2x4x6; check their shapes",
                       error);
  const tensor<double, shape<2, 5, dynamic_extent>> odd(shape<2, 5, dynamic_extent>(3));
  CHECK_THROWS_WITH_AS(static_cast<void>(attention<2>(q, k, odd)),
                       "mezzo::attention: the widths of queries, keys and values must be multiples of the number of "
                       "heads; given 4 and 3 for 2 heads; choose another number of heads",
                       error);
}

TEST_CASE("attention of a tensor to itself is that of its thirds") {
  const auto x = uniform<doubles<2, 5, 12>>(1);
  doubles<2, 5, 4> q, k, v, expected, y;
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t c = 0; c < 4; ++c) {
        q(n, t, c) = x(n, t, c);
        k(n, t, c) = x(n, t, 4 + c);
        v(n, t, c) = x(n, t, 8 + c);
      }
  reference plain;
  into(plain, expected) = attention<2, causal_mask>(q, k, v);
  into(plain, y) = self_attention<2, causal_mask>(x);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y.data()[i] == expected.data()[i]);
  const tensor<double, shape<2, 5, dynamic_extent>> odd(shape<2, 5, dynamic_extent>(9));
  CHECK_THROWS_WITH_AS(static_cast<void>(self_attention<2>(odd)),
                       "mezzo::self_attention: the last axis must hold queries, keys and values of equal width for "
                       "every head; given a width of 9 for 2 heads; check the projection",
                       error);
}

TEST_CASE("gradients of attention: heads, masks, and a tensor that is queries, keys and values") {
  auto q = uniform<doubles<2, 3, 4>>(1);
  auto k = uniform<doubles<2, 5, 4>>(2);
  auto v = uniform<doubles<2, 5, 6>>(3);
  check_gradient([](auto& q_, auto& k_, auto& v_) { return attention<2>(q_, k_, v_, 0.7); }, q, k, v);
  check_gradient([](auto& x_) { return attention<2, causal_mask>(x_, x_ * x_, x_); }, q);
  auto all = uniform<doubles<2, 3, 12>>(4);
  check_gradient([](auto& x_) { return self_attention<2, causal_mask>(x_); }, all);
}
