// SPDX-License-Identifier: MIT
//
// Models of smooth modules: their gradients against differences, and what they keep.
#include "networks.hpp"

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/nn/model.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace mezzo;

namespace {

/// A module of the program's own: its input and its matrix occur several times.
struct residual_layer {
  template <class In>
  using parameters =
      parameter_list<parameter<shape<In::static_extent(0), In::static_extent(0)>, op::linear, he_uniform<4>>,
                     parameter<In, op::mul, zeros>>;
  static constexpr auto forward(const auto& x, const auto& w, const auto& s) {
    return x + silu(matmul(x, transpose(w))) * s + matmul(x, w);
  }
};
using smooth = sequential<input<3>, dense<4>, gelu_layer, residual_layer, dense<2>, tanh_layer>;
using O0 = policies::O0<>;

/// A module of numbers that meet twice: y = w·x + w, so dw = Σ g·(x + 1).
struct twice_layer {
  template <class In>
  using parameters = parameter_list<parameter<In, op::mul, zeros>>;
  static constexpr auto forward(const auto& x, const auto& w) { return x * w + w; }
};

}  // namespace

TEST_CASE("gradients of a model agree with differences of its results") {
  constexpr std::size_t batch = 2;
  model<smooth, O0, reference> m(batch, 3);
  fill_drawn(m.parameters().full(), 4);
  tensor<float, shape<batch, 3>> x;
  fill_drawn(x, 5);
  m.load(x.as_view());
  tensor<float, shape<batch, 2>> g;
  fill_drawn(g, 6, 0.5f, 1.5f);

  const auto value = [&] {
    const auto y = m.forward(batch);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += double(g.data()[i]) * double(y.data()[i]);
    return sum;
  };
  static_cast<void>(value());
  weights<smooth, O0> derived;
  std::size_t bad = 0;
  static_cast<void>(m.backward(batch, g.data(), derived, inspection::nothing, bad));

  // Each of four results, times at most 1.5, is known to about 30 roundings of 2^-24: the difference, divided by 2h, to
  // 4 · 1.5 · 30 · 2^-24 / h. The third derivatives, products of at most four factors below 4 in each of four results,
  // add h²/6 · 4 · 1.5 · 4^3.
  constexpr float h = 0x1p-7f;
  constexpr double tolerance = 6 * 30 * 0x1p-24 / double(h) + double(h) * double(h) * 64;
  auto& values = m.parameters().full();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float kept = values[i];
    values[i] = kept + h;
    const double above = value();
    values[i] = kept - h;
    const double below = value();
    values[i] = kept;
    CAPTURE(i);
    CHECK(std::fabs(double(derived.full()[i]) - (above - below) / (2 * double(h))) <= tolerance);
  }
}

TEST_CASE("low activations take about half the memory, whatever must be kept for the backward pass") {
  const auto ratio = [](const auto& low, const auto& full) {
    return double(low.activation_bytes()) / double(full.activation_bytes());
  };
  using O2 = policies::O2<bfloat16>;
  using relus = sequential<input<8>, dense<16>, relu_layer, dense<16>, relu_layer, dense<4>>;
  using gelus = sequential<input<8>, dense<16>, gelu_layer, dense<16>, gelu_layer, dense<4>>;
  const model<relus, O0, reference> relu_full(10);
  const model<relus, O2, reference> relu_low(10);
  const model<gelus, O0, reference> gelu_full(10);
  const model<gelus, O2, reference> gelu_low(10);
  CHECK(ratio(relu_low, relu_full) <= 0.55);
  CHECK(ratio(gelu_low, gelu_full) <= 0.55);
  // A rectifier's derivative is in its result; gelu's operand is kept beside it.
  CHECK(relu_full.activation_bytes() == 10 * 4 * (8 + 16 + 16 + 4));
  CHECK(relu_low.activation_bytes() == 10 * 2 * (8 + 16 + 16 + 4));
  CHECK(gelu_full.activation_bytes() == 10 * 4 * (8 + 2 * 16 + 2 * 16 + 4));
  CHECK(gelu_low.activation_bytes() == 10 * 2 * (8 + 2 * 16 + 2 * 16 + 4));
}

TEST_CASE("a parameter that occurs twice has its sum rounded once, and inspected") {
  using O2 = policies::O2<float16>;
  model<sequential<input<1>, twice_layer>, O2, reference> m(1);
  weights<sequential<input<1>, twice_layer>, O2> to;
  const auto gradient_of = [&](float x, float g, tally& seen) {
    m.inputs()[0] = float16(x);
    static_cast<void>(m.forward(1));
    const float16 incoming[] = {float16(g)};
    std::size_t bad = 0;
    seen = m.backward(1, incoming, to, inspection::finite_and_norm, bad);
    return float(to.low()[0]);
  };
  tally seen;
  // g·x + g = 2 + 2.5·2^-9 + 2^-19 is just above the middle between two numbers of float16; g·x, rounded by itself,
  // would put the sum in the middle and it would round down.
  CHECK(gradient_of(1 + 0x1p-10f, 1 + 0x1p-9f, seen) == 2 + 3 * 0x1p-9f);
  CHECK(gradient_of(3, 1, seen) == 4);
  CHECK(seen.squares == 16);
  CHECK(!seen.non_finite);
  CHECK(gradient_of(1, 40000, seen) > 65504);
  CHECK(seen.non_finite);
}
