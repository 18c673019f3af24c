// SPDX-License-Identifier: MIT
#include <mezzo/backend/softmax_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

}  // namespace

TEST_CASE("softmax of large logits stays in range and sums to 1") {
  const floats<2, 3> x{1000, 1001, 1002, -1000, -1000, -1000};
  floats<2, 3> y;
  reference plain;
  into(plain, y) = softmax(x);
  CHECK(y(0, 2) == doctest::Approx(0.66524096));
  CHECK(y(0, 0) + y(0, 1) + y(0, 2) == doctest::Approx(1));
  CHECK(y(1, 0) == doctest::Approx(1 / 3.0));
  into(plain, y) = log_softmax(x);
  CHECK(y(0, 0) == doctest::Approx(-2.407606));
  const floats<3, 2> t{1000, -1000, 1001, -1000, 1002, -1000};
  floats<3, 2> z;
  into(plain, z) = softmax<0>(t);
  CHECK(z(2, 0) == doctest::Approx(0.66524096));
  CHECK(z(1, 1) == doctest::Approx(1 / 3.0));
}

TEST_CASE("cross-entropy is float32 whatever the logits are") {
  tensor<bfloat16, shape<2, 100>> x(shape<2, 100>{}, bfloat16(0.5f));
  const tensor<std::uint8_t, shape<2>> labels{3, 99};
  floats<> loss;
  reference plain;
  into(plain, loss) = autocast<policies::O3<bfloat16>>(cross_entropy(x, labels));
  CHECK(loss() == doctest::Approx(4.60517).epsilon(1e-6));  // log 100; 4.59375 in bfloat16
}

TEST_CASE("the gradient of cross-entropy keeps the difference that a product would round away") {
  const floats<1, 2> x{20, -20};
  const tensor<std::int64_t, shape<1>> labels{0};
  floats<1, 2> dx;
  reference plain;
  into(plain, dx) = gradient(cross_entropy(x, labels), wrt(x));
  CHECK(dx(0, 1) == doctest::Approx(std::exp(-40.0)));
}
