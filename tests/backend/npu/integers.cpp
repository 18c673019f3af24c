// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/integers.hpp>

#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <class Model>
void check(std::size_t m, std::size_t k, std::size_t n) {
  using matrix = dextents<std::size_t, 2>;
  tensor<std::int8_t, matrix> a(matrix(m, k)), b(matrix(k, n));
  tensor<std::int32_t, matrix> y(matrix(m, n));
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<std::int8_t>(counter_bits(1, i));
  for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = static_cast<std::int8_t>(counter_bits(2, i));
  Model on;
  npu::multiply_integers(on, a, b, y);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      std::int32_t sum = 0;
      for (std::size_t q = 0; q < k; ++q) sum += a(i, q) * b(q, j);
      REQUIRE(y(i, j) == sum);
    }
  CHECK(on.profile[0].product.in == npu::element::int8);
}

}  // namespace

TEST_CASE_TEMPLATE("integer products are exact", Model, npu::model<npu::ascend910a>, npu::model<npu::ascend910b4>) {
  check<Model>(1, 1, 1);
  check<Model>(40, 70, 33);
  check<Model>(130, 300, 270);
}

TEST_CASE("in constant evaluation too") {
  constexpr bool as_said = [] {
    const tensor<std::int8_t, shape<2, 3>> a(shape<2, 3>{}, {127, -128, 3, 4, 5, 6});
    const tensor<std::int8_t, shape<3, 1>> b(shape<3, 1>{}, {127, -128, 1});
    tensor<std::int32_t, shape<2, 1>> y;
    npu::model<npu::ascend910b1> on;
    npu::multiply_integers(on, a, b, y);
    return y(0, 0) == 127 * 127 + 128 * 128 + 3 && y(1, 0) == 4 * 127 - 5 * 128 + 6;
  }();
  static_assert(as_said);
  CHECK(as_said);
}

TEST_CASE("sizes that do not fit are an error") {
  using matrix = dextents<std::size_t, 2>;
  const tensor<std::int8_t, matrix> a(matrix(2, 3)), b(matrix(4, 1));
  tensor<std::int32_t, matrix> y(matrix(2, 1));
  npu::model<npu::ascend910b1> on;
  CHECK_THROWS_WITH_AS(npu::multiply_integers(on, a, b, y),
                       "mezzo::npu::multiply_integers: a (M, K) times b (K, N) must fit y (M, N); given 2x3, 4x1 and "
                       "2x1; check their shapes",
                       error);
}

TEST_CASE("sums that could overflow are an error") {
  using matrix = dextents<std::size_t, 2>;
  const std::size_t k = std::size_t{1} << 17;
  tensor<std::int8_t, matrix> a(matrix(1, k)), b(matrix(k, 1));
  tensor<std::int32_t, matrix> y(matrix(1, 1));
  npu::model<npu::ascend910b1> on;
  CHECK_THROWS_WITH_AS(npu::multiply_integers(on, a, b, y),
                       "mezzo::npu::multiply_integers: sums of 32 bits hold at most 131071 products; given 131072; add "
                       "the products of parts",
                       error);
}
