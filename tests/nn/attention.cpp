// SPDX-License-Identifier: MIT
#include <mezzo/nn/attention.hpp>

#include "networks.hpp"

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/nn/model.hpp>
#include <mezzo/nn/normalizations.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

using namespace mezzo;

namespace {

// A transformer block over 5 points in time of width 4.
using block = sequential<input<5, 4>, residual<layer_norm_layer<>, self_attention_layer<2, causal_mask>>,
                         residual<layer_norm_layer<>, time_dense<6>, gelu_layer, time_dense<4>>, flatten, dense<2>>;
static_assert(block::parameters::elements == 8 + (12 * 4 + 12 + 4 * 4 + 4) + 8 + (6 * 4 + 6 + 4 * 6 + 4) + 2 * 20 + 2);
static_assert(block::stage_count == 3);

}  // namespace

TEST_CASE("gradients of a transformer block agree with differences of its results") {
  using O0 = policies::O0<>;
  constexpr std::size_t batch = 2;
  model<block, O0, reference> m(batch, 3);
  tensor<float, shape<batch, 5, 4>> x;
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
  weights<block, O0> derived;
  std::size_t bad = 0;
  static_cast<void>(m.backward(batch, g.data(), derived, inspection::nothing, bad));

  // Each of four results, times at most 1.5 and below 4, is known to about 60 roundings of 2^-24, and so is the
  // difference, divided by 2h; third derivatives below 64 in each of four results add h²/6 of them.
  constexpr float h = 0x1p-7f;
  constexpr double tolerance = 4 * 1.5 * 4 * 60 * 0x1p-24 / double(h) + 4 * 1.5 * 64 / 6 * double(h) * double(h);
  auto& values = m.parameters().full();
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float kept = values[i];
    values[i] = kept + h;
    const double above = value();
    values[i] = kept - h;
    const double below = value();
    values[i] = kept;
    CAPTURE(i);
    CHECK(std::fabs(double(derived.full()[i]) - (above - below) / (2 * double(h))) <= tolerance);
    largest = std::fmax(largest, std::fabs(double(derived.full()[i])));
  }
  CHECK(largest > 100 * tolerance);
}
