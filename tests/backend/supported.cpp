// SPDX-License-Identifier: MIT
// not under -Ofast: nothing in it computes with floating point
#include <mezzo/backend/supported.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/expr/bind.hpp>
#include <mezzo/expr/product.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

struct no_bfloat16 : reference {
  template <class Tag, class T>
  static constexpr bool supports = !std::same_as<T, bfloat16>;
};

using matrix = tensor<float, shape<4, 4>>;
template <class Policy>
using product = decltype(autocast<Policy>(matmul(std::declval<const matrix&>(), std::declval<const matrix&>())));

}  // namespace

TEST_CASE("operands and results are asked of the backend in the types of the policy") {
  static_assert(detail::supported<reference, product<policies::O1<bfloat16>>>::value);
  static_assert(!detail::supported<no_bfloat16, product<policies::O1<bfloat16>>>::value);
  static_assert(detail::supported<no_bfloat16, product<policies::O1<float16>>>::value);
  // Read as float32, stored as bfloat16.
  using sum = bound<add_fn, precision<as_given, float, bfloat16>, leaf<view<const float, shape<4>>>,
                    leaf<view<const float, shape<4>>>>;
  static_assert(!detail::supported<no_bfloat16, sum>::value);
  CHECK(check_support<reference, sum>::value);
}
