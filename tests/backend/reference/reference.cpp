// SPDX-License-Identifier: MIT
#include <mezzo/backend/reference/reference.hpp>

#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

// Everything runs in constant evaluation.
constexpr bool layer() {
  const floats<2, 3> x{1, 2, 3, 4, 5, 6};
  const floats<3, 2> w{1, 0, 0, 1, 1, 1};
  const tensor<float16, shape<2>> b{float16(1.0f), float16(-20.0f)};
  const floats<2, 2> dy(shape<2, 2>{}, 1);
  floats<2, 2> y;
  floats<3, 2> dw;
  floats<2> db;
  reference on;
  using policy = policies::O2<float16>;
  into(on, y) = autocast<policy>(relu(matmul(x, w) + b));
  into(on, dw, db) = autocast<policy>(gradient(relu(matmul(x, w) + b), dy, wrt(w, b)));
  return y(0, 0) == 5 && y(0, 1) == 0 && y(1, 0) == 11 && y(1, 1) == 0 && dw(0, 0) == 5 && dw(2, 0) == 9 &&
         dw(0, 1) == 0 && db(0) == 2 && db(1) == 0;
}
static_assert(layer());

constexpr bool images() {
  const floats<1, 1, 3, 3> x{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const floats<1, 1, 2, 2> w{1, 0, 0, 1};
  const floats<1, 1, 1, 1> dy{1};
  floats<1, 1, 1, 1> y;
  floats<1, 1, 3, 3> dx;
  floats<1, 1, 2, 2> dw;
  reference on;
  into(on, y) = max_pool2d<2>(convolve2d(x, w));
  into(on, dx, dw) = gradient(max_pool2d<2>(convolve2d(x, w)), dy, wrt(x, w));
  return y(0, 0, 0, 0) == 14 && dx(0, 0, 1, 1) == 1 && dx(0, 0, 2, 2) == 1 && dx(0, 0, 0, 0) == 0 &&
         dw(0, 0, 0, 0) == 5 && dw(0, 0, 1, 1) == 9;
}
static_assert(images());

constexpr bool loss() {
  const floats<2, 2> x{0, 0, 0, 0};
  const tensor<std::int32_t, shape<2>> labels{0, 1};
  floats<> value;
  floats<2, 2> dx;
  floats<2> rows;
  reference on;
  into(on, value) = cross_entropy(x, labels);
  into(on, dx) = gradient(cross_entropy(x, labels), wrt(x));
  into(on, rows) = sum<1>(softmax(x)) + mean<0>(log_softmax<0>(x));
  return value() > 0.6931f && value() < 0.6932f && dx(0, 0) == -0.25f && dx(0, 1) == 0.25f && rows(0) > 0.306f &&
         rows(0) < 0.307f;
}
static_assert(loss());

// A window larger than the image reads nothing outside it.
constexpr bool padded() {
  const floats<1, 1, 2, 2> x{1, 2, 3, 4};
  const floats<1, 1, 5, 5> w(shape<1, 1, 5, 5>{}, 1);
  floats<1, 1, 2, 2> y;
  floats<1, 1, 2, 2> dx;
  reference on;
  into(on, y) = convolve2d<same>(x, w);
  into(on, dx) = gradient(convolve2d<same>(x, w), x, wrt(x));
  return y(0, 0, 0, 0) == 10 && dx(0, 0, 1, 1) == 10;
}
static_assert(padded());

static_assert(reference{}.native<float>() && !reference{}.native<float16>());

}  // namespace

TEST_CASE("constant evaluation and run time give the same bits") {
  constexpr auto value = [](float from) {
    const floats<1, 3> x{from, 0.5f, -0.7f};
    const floats<3, 1> w{0.9f, 1.7f, 0.3f};
    floats<1, 1> y;
    reference on;
    into(on, y) = autocast<policies::O1<bfloat16>>(gelu(matmul(x, w)) * 1.1f);
    return y(0, 0);
  };
  constexpr float constant = value(0.3f);
  const volatile float unknown = 0.3f;
  CHECK(bits_of(value(unknown)) == bits_of(constant));
}
