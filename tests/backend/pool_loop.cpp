// SPDX-License-Identifier: MIT
#include <mezzo/backend/pool_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

using image = tensor<float16, shape<2, 3, 9, 7>>;
using pooled = tensor<float16, shape<2, 3, 4, 3>>;

image numbers() {
  image x;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = float16(static_cast<float>(counter_below(1, i, 9)) - 20);
  return x;
}

}  // namespace

TEST_CASE("pooling takes the largest of each window, also where all are negative") {
  const image x = numbers();
  pooled y;
  reference plain;
  into(plain, y) = max_pool2d<3, 2>(x);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          float largest = -1000;
          for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t s = 0; s < 3; ++s) {
              const float value = static_cast<float>(x(n, c, 2 * i + r, 2 * j + s));
              largest = value > largest ? value : largest;
            }
          REQUIRE(static_cast<float>(y(n, c, i, j)) == largest);
        }
}

TEST_CASE("pooling gives the same bits on every instruction set, forward and backward") {
  const image x = numbers();
  pooled dy;
  for (std::size_t i = 0; i < dy.size(); ++i) dy.data()[i] = float16(static_cast<float>(i));
  pooled y;
  image dx;
  reference plain;
  into(plain, y) = max_pool2d<3, 2>(x);
  into(plain, dx) = gradient(max_pool2d<3, 2>(x), dy, wrt(x));
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    cpu fast{.isa = level};
    pooled other;
    image other_dx;
    into(fast, other) = max_pool2d<3, 2>(x);
    into(fast, other_dx) = gradient(max_pool2d<3, 2>(x), dy, wrt(x));
    std::size_t different = 0;
    for (std::size_t i = 0; i < y.size(); ++i) different += y.data()[i].bits() != other.data()[i].bits();
    for (std::size_t i = 0; i < dx.size(); ++i) different += dx.data()[i].bits() != other_dx.data()[i].bits();
    CHECK(different == 0);
  }
}

TEST_CASE("windows that overlap add their gradients in float32") {
  tensor<float16, shape<1, 1, 3, 3>> x;
  x(0, 0, 1, 1) = float16(1.0f);  // the largest of all four windows
  tensor<float16, shape<1, 1, 2, 2>> dy;
  dy.data()[0] = float16(2048.0f);
  for (std::size_t i = 1; i < 4; ++i) dy.data()[i] = float16(1.0f);
  tensor<float16, shape<1, 1, 3, 3>> dx;
  reference plain;
  into(plain, dx) = gradient(max_pool2d<2, 1>(x), dy, wrt(x));
  CHECK(static_cast<float>(dx(0, 0, 1, 1)) == 2052);  // 2051 rounded to even; 2048 where each sum is float16
  CHECK(static_cast<float>(dx(0, 0, 0, 0)) == 0);
}
