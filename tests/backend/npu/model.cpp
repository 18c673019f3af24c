// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/model.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/backend/status_scope.hpp>
#include <mezzo/nn/layers.hpp>
#include <mezzo/store/into.hpp>
#include <mezzo/train/trainer.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

namespace {

using first = npu::model<npu::ascend910a>;
using second = npu::model<npu::ascend910b1>;

template <class T, class Extents>
tensor<T, Extents> whole_numbers(unsigned seed) {
  tensor<T, Extents> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.data()[i] = convert<T>(static_cast<float>(static_cast<int>(seed >> 29) - 4));
  }
  return values;
}

template <class A, class B>
bool equal(const A& a, const B& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a.data()[i]) != bits_of(b.data()[i])) return false;
  return true;
}

}  // namespace

static_assert(backend<first> && backend<second>);
static_assert(has_overflow_status<first>);
static_assert(first::supports<op::matmul, float16> && !first::supports<op::matmul, bfloat16>);
static_assert(second::supports<op::matmul, bfloat16> && !second::supports<op::matmul, double>);

TEST_CASE_TEMPLATE("expressions and gradients are those of the reference where sums are exact", Model, first, second) {
  const auto x = whole_numbers<float16, shape<19, 40>>(1);
  const auto w = whole_numbers<float16, shape<40, 21>>(2);
  const auto b = whole_numbers<float16, shape<21>>(3);
  const auto dy = whole_numbers<float16, shape<19, 21>>(4);
  for (const npu::summation order :
       {npu::summation::exact, npu::summation::pairwise, npu::summation::sequential}) {
    Model on{.order = order};
    reference ref;
    tensor<float16, shape<19, 21>> y, expected;
    into(on, y) = relu(linear(x, w, b));
    into(ref, expected) = relu(linear(x, w, b));
    CHECK(equal(y, expected));
    tensor<float16, shape<19, 40>> dx, dx_expected;
    tensor<float16, shape<40, 21>> dw, dw_expected;
    tensor<float16, shape<21>> db, db_expected;
    into(on, dx, dw, db) = gradient(relu(linear(x, w, b)), dy, wrt(x, w, b));
    into(ref, dx_expected, dw_expected, db_expected) = gradient(relu(linear(x, w, b)), dy, wrt(x, w, b));
    CHECK(equal(dx, dx_expected));
    CHECK(equal(dw, dw_expected));
    CHECK(equal(db, db_expected));
  }
}

TEST_CASE_TEMPLATE("convolutions too, in blocks of channels", Model, first, second) {
  const auto x = whole_numbers<float16, shape<2, 18, 7, 6>>(1);
  const auto w = whole_numbers<float16, shape<5, 18, 3, 3>>(2);
  const auto b = whole_numbers<float16, shape<5, 1, 1>>(3);
  const auto dy = whole_numbers<float16, shape<2, 5, 4, 3>>(4);
  using padded = padding<1>;
  Model on;
  reference ref;
  tensor<float16, shape<2, 5, 4, 3>> y, y_expected;
  into(on, y) = convolve2d<padded, stride<2>>(x, w, b);
  into(ref, y_expected) = convolve2d<padded, stride<2>>(x, w, b);
  CHECK(equal(y, y_expected));
  tensor<float16, shape<2, 18, 7, 6>> dx, dx_expected;
  tensor<float16, shape<5, 18, 3, 3>> dw, dw_expected;
  into(on, dx, dw) = gradient(convolve2d<padded, stride<2>>(x, w, b), dy, wrt(x, w));
  into(ref, dx_expected, dw_expected) = gradient(convolve2d<padded, stride<2>>(x, w, b), dy, wrt(x, w));
  CHECK(equal(dx, dx_expected));
  CHECK(equal(dw, dw_expected));
}

TEST_CASE("float32 on a chip whose cube has float16 only is three products") {
  first on;
  CHECK(!on.native<float>());
  CHECK(on.native<float16>());
  tensor<float, shape<8, 8>> a, b, y;
  for (std::size_t i = 0; i < 64; ++i) a.data()[i] = b.data()[i] = 1 + static_cast<float>(i) * 0x1p-14f;
  into(on, y) = matmul(a, b);
  double exact = 0;
  for (std::size_t k = 0; k < 8; ++k) exact += static_cast<double>(a(0, k)) * static_cast<double>(b(k, 0));
  CHECK(static_cast<double>(y(0, 0)) == doctest::Approx(exact).epsilon(0x1p-21));
  REQUIRE(on.profile.size() > 0);
  CHECK(on.profile[on.profile.size() - 1].product.terms == 3);
}

TEST_CASE("a first-generation chip saturates, and only its flag says so") {
  const tensor<float16, shape<2>> x(shape<2>{}, {float16(40000), float16(-40000)});
  tensor<float16, shape<2>> y;
  first on;
  CHECK(!on.overflow());
  into(on, y) = x + x;
  CHECK(y(0) == float16(65504));
  CHECK(y(1) == float16(-65504));
  CHECK(on.overflow());
  {
    const status_scope scope(on);
    CHECK(!scope.raised());
    into(on, y) = x - x;
    CHECK(!scope.raised());
    into(on, y) = x * x;
    CHECK(scope.overflowed());
    on.clear_overflow();
  }
  CHECK(on.overflow());  // what was raised before the scope

  second keeps, holds{.mode = npu::overflow_mode::saturation};
  into(keeps, y) = x + x;
  CHECK(non_finite(y(0)));
  into(holds, y) = x + x;
  CHECK(y(0) == float16(65504));
}

TEST_CASE("inner results of a fused loop saturate as they would by themselves") {
  const tensor<float16, shape<1>> x(shape<1>{}, {float16(60000)});
  tensor<float16, shape<1>> y;
  first on;
  into(on, y) = (x + x) - x;
  CHECK(y(0) == float16(65504.0f - 60000.0f));  // 65504 − 60000, not infinity − 60000
}

TEST_CASE("zeros that fill a repeat raise the flag if asked to") {
  const tensor<float16, shape<3>> x(shape<3>{}, {float16(1), float16(2), float16(3)});
  tensor<float16, shape<3>> y;
  first on, padded{.padded_lanes_raise = true};
  into(on, y) = log(x);
  CHECK(!on.overflow());
  into(padded, y) = log(x);
  CHECK(padded.overflow());  // log(0)
  first whole{.padded_lanes_raise = true};
  const tensor<float16, shape<128>> full(shape<128>{}, float16(1));
  tensor<float16, shape<128>> z;
  into(whole, z) = log(full);
  CHECK(!whole.overflow());
}

TEST_CASE("INF/NAN mode on a chip without it is an error") {
  first on{.mode = npu::overflow_mode::infinity};
  tensor<float16, shape<2>> x, y;
  CHECK_THROWS_WITH_AS(into(on, y) = x + x,
                       "mezzo::npu::model: the chip must have the overflow mode; given INF/NAN mode on ascend910a, "
                       "which saturates; leave the mode as it is",
                       error);
}

TEST_CASE("a program's numbers are numbers of the instruction's type") {
  const tensor<float16, shape<2>> x(shape<2>{}, {float16(0), float16(1)});
  tensor<float16, shape<2>> y;
  second on;
  into(on, y) = x / (x + 1e-8f);
  CHECK(non_finite(y(0)));  // 0/0: the epsilon is gone
  REQUIRE(on.profile.warnings() == 1);
  CHECK(on.profile.warned(0).what == npu::hazard::vanishing_constant);
  CHECK(on.profile.warned(0).operation.text == std::string("add"));
  into(on, y) = x / (x + 1e-8f);
  CHECK(on.profile.warnings() == 1);  // each once
}

TEST_CASE("a kernel is planned, run and costed in constant evaluation") {
  constexpr bool as_said = [] {
    const tensor<float16, shape<3, 5>> x(shape<3, 5>{}, float16(2));
    const tensor<float16, shape<5, 4>> w(shape<5, 4>{}, float16(3));
    tensor<float16, shape<3, 4>> y;
    second on;
    into(on, y) = relu(matmul(x, w) + 1.0f);
    return y(2, 3) == float16(31) && on.profile.size() == 1 && on.profile[0].product.m == 3 &&
           on.profile[0].tile.m >= 16 && on.profile[0].each.microseconds > 0 &&
           on.profile[0].each.flops == 2 * 3 * 4 * 5;
  }();
  static_assert(as_said);
  CHECK(as_said);
}

TEST_CASE("a network trains as on the cpu, skipped steps included: by value, or by the flag") {
  using net = sequential<input<1, 8, 8>, conv2d<4, 3, same>, relu_layer, max_pool<2>, flatten, dense<10>>;
  using policy = policies::O2<float16>;
  tensor<float, shape<16, 1, 8, 8>> images;
  tensor<std::int32_t, shape<16>> labels;
  for (std::size_t i = 0; i < images.size(); ++i) images.data()[i] = static_cast<float>(i * 7919 % 256) / 256;
  for (std::size_t i = 0; i < 16; ++i) labels(i) = static_cast<std::int32_t>(i * 7 % 10);
  const auto skipped = [&]<class Backend>(const Backend& on, float& loss) {
    typename trainer<net, cross_entropy_loss, adam, policy, Backend>::setup how{};
    how.scale = {.scale = 0x1p24f, .interval = 50};
    trainer<net, cross_entropy_loss, adam, policy, Backend> t{{}, on, how};
    std::string steps;
    for (int i = 0; i < 20; ++i) {
      const auto outcome = t.step(unscale(t.backward(images, labels)));
      t.update(outcome);
      steps += outcome.ran() ? 'r' : 's';
      loss = outcome.loss;
    }
    return steps;
  };
  float on_cpu = 0, by_value = 0, by_flag = 0, saturated = 0;
  const std::string expected = skipped(cpu{}, on_cpu);
  CHECK(expected.find('s') != std::string::npos);
  CHECK(expected.find('r') != std::string::npos);
  CHECK(skipped(second{}, by_value) == expected);
  CHECK(skipped(second{.mode = npu::overflow_mode::saturation}, by_flag) == expected);
  CHECK(skipped(first{}, saturated) == expected);
  CHECK(by_value == doctest::Approx(on_cpu).epsilon(0.01));
  CHECK(by_flag == doctest::Approx(on_cpu).epsilon(0.01));
  CHECK(saturated == doctest::Approx(on_cpu).epsilon(0.01));
}

TEST_CASE("values that saturate are not worth asking, unless the program knows the flag") {
  tensor<float16, shape<4, 4>> x(shape<4, 4>{}, float16(1)), w(shape<4, 4>{}, float16(1)), y;
  first on;
  const store_sink<float16> asks{y.data(), inspection::finite};
  using operand = matrix_operand<precision<as_given, float, float16>, float16>;
  const operand a{x.data(), 4, 1}, b{w.data(), 4, 1};
  static_cast<void>(on.multiply(a, b, product_shape{4, 4, 4}, matrix_sink<store_sink<float16>>{asks, 4}));
  REQUIRE(on.profile.warnings() == 1);
  CHECK(on.profile.warned(0).what == npu::hazard::hidden_overflow);
  first knows;
  knows.clear_overflow();
  static_cast<void>(knows.multiply(a, b, product_shape{4, 4, 4}, matrix_sink<store_sink<float16>>{asks, 4}));
  CHECK(knows.profile.warnings() == 0);
}

TEST_CASE("tiles of a program's own are checked and used") {
  tensor<float16, shape<64, 64>> x(shape<64, 64>{}, float16(1)), w(shape<64, 64>{}, float16(1)), y;
  second on{.tile = {.m = 32, .n = 48, .k = 16, .l1_k = 32}};
  into(on, y) = matmul(x, w);
  CHECK(y(63, 63) == float16(64));
  CHECK(on.profile[0].tile.n == 48);
  second wrong{.tile = {.m = 4096, .n = 4096, .k = 64, .l1_k = 64}};
  CHECK_THROWS_AS(into(wrong, y) = matmul(x, w), error);
}

TEST_CASE("HF32 on a chip without it is an error") {
  first on{.hf32 = true};
  tensor<float, shape<2, 2>> x, y;
  CHECK_THROWS_WITH_AS(into(on, y) = matmul(x, x),
                       "mezzo::npu::model: the chip must have HF32; given ascend910a, whose cube has float16; leave "
                       "hf32 as it is",
                       error);
}

TEST_CASE("float32 in float16 parts overflows as float16 does") {
  const tensor<float, shape<1, 1>> large(shape<1, 1>{}, {70000.0f}), one(shape<1, 1>{}, {1.0f});
  tensor<float, shape<1, 1>> y;
  first on;
  into(on, y) = matmul(large, one);
  CHECK(on.overflow());
  CHECK(!non_finite(y(0, 0)));
}

TEST_CASE("a tensor that an expression names twice is read once, and moves have names") {
  const tensor<float16, shape<1024>> x;
  tensor<float16, shape<1024>> y;
  tensor<float, shape<1024>> wide;
  second on;
  into(on, y) = x * x + x;
  CHECK(on.profile[0].each.bytes_in == 2048);
  into(on, y) = x;
  CHECK(on.profile[1].name.text == std::string("copy"));
  into(on, wide) = x;
  CHECK(on.profile[2].name.text == std::string("cast"));
}
