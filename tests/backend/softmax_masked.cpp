// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and NaN are its undefined behaviour
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace mezzo;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("a fully masked row gives zeros, and its gradient is 0") {
  const tensor<float, shape<2, 3>> x{-inf, -inf, -inf, -inf, 1, -inf};
  const tensor<float, shape<2, 3>> dy(shape<2, 3>{}, 1);
  tensor<float, shape<2, 3>> y;
  tensor<float, shape<2, 3>> dx;
  reference plain;
  into(plain, y) = softmax(x);
  into(plain, dx) = gradient(softmax(x), dy, wrt(x));
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(y.data()[i] == (i == 4 ? 1 : 0));
    CHECK(dx.data()[i] == 0);
  }
  into(plain, y) = log_softmax(x);
  for (std::size_t i = 0; i < 6; ++i) CHECK(y.data()[i] == (i == 4 ? 0 : -inf));
}

TEST_CASE("a mask added to float16 logits overflows, and the row is masked, not NaN") {
  const tensor<float16, shape<1, 2>> logits(shape<1, 2>{}, float16(-16.0f));
  const tensor<float16, shape<1, 2>> mask(shape<1, 2>{}, float16(-65504.0f));
  tensor<float, shape<1, 2>> y;
  reference plain;
  into(plain, y) = softmax(logits + mask);
  CHECK(y(0, 0) == 0);  // -65520 is the tie that rounds to infinity
  CHECK(y(0, 1) == 0);
}

TEST_CASE("NaN is not lost in a row") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  reference plain;
  for (std::size_t at = 0; at < 3; ++at) {
    tensor<float, shape<1, 3>> x{1, 2, 3};
    x(0, at) = nan;
    tensor<float, shape<1, 3>> y;
    into(plain, y) = softmax(x);
    CHECK(y(0, at) != y(0, at));
    tensor<float, shape<>> largest;
    into(plain, largest) = sum(maximum(x, 0.0f));
    CHECK(largest() != largest());
  }
}
