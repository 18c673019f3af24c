// SPDX-License-Identifier: MIT
#include <mezzo/nn/model.hpp>

#include "networks.hpp"

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace mezzo;

namespace {

using O0 = policies::O0<>;
using O2 = policies::O2<float16>;
using rectified = sequential<input<1, 6, 6>, conv2d<2, 3, same>, relu_layer, max_pool<2>, flatten, dense<3>>;

/// The same network as one expression over the same parameters.
constexpr auto whole(const auto& x, const auto& w, const auto& b, const auto& v, const auto& c) {
  return linear(flatten_rows(max_pool2d<2>(relu(convolve2d<same>(x, w, b)))), transpose(v), c);
}

tensor<float, rectified::batch_type> samples(std::size_t batch) {
  tensor<float, rectified::batch_type> x{rectified::batch_type(batch)};
  fill_drawn(x, 5);
  return x;
}

/// Forward and backward of the model equal the store of the whole expression and of its gradient, bit for bit.
template <class Policy, class Backend>
void compare_with_expression() {
  constexpr std::size_t batch = 3;
  model<rectified, Policy, Backend> m(batch, 1);
  using value = typename model<rectified, Policy, Backend>::output_value;
  fill_drawn(m.parameters().low(), 2);
  fill_drawn(m.parameters().full(), 2);
  const auto& parameters = std::as_const(m).parameters();
  const auto w = parameters.template get<0>();
  const auto b = parameters.template get<1>();
  const auto v = parameters.template get<2>();
  const auto c = parameters.template get<3>();
  const auto x = samples(batch);
  using input_value = typename model<rectified, Policy, Backend>::input_value;
  tensor<input_value, rectified::batch_type> rounded(x.extents());
  for (std::size_t i = 0; i < x.size(); ++i) rounded.data()[i] = convert<input_value>(x.data()[i]);

  Backend on;
  tensor<value, shape<batch, 3>> y;
  into(on, y) = autocast<Policy>(whole(rounded, w, b, v, c));
  const auto given = m.infer(x);
  REQUIRE(given.size() == y.size());
  CHECK(same_bits(given, y));

  tensor<value, shape<batch, 3>> g;
  fill_drawn(g, 7);
  weights<rectified, Policy> wanted;
  auto dw = wanted.template get<0>();
  auto db = wanted.template get<1>();
  auto dv = wanted.template get<2>();
  auto dc = wanted.template get<3>();
  into(on, dw, db, dv, dc) = autocast<Policy>(gradient(whole(rounded, w, b, v, c), g, wrt(w, b, v, c)));
  weights<rectified, Policy> derived;
  std::size_t bad = 99;
  const tally seen = m.backward(batch, g.data(), derived, inspection::finite_and_norm, bad);
  CHECK(same_bits(derived.low(), wanted.low()));
  CHECK(same_bits(derived.full(), wanted.full()));
  CHECK(bad == 99);
  CHECK(!seen.non_finite);
  double squares = 0;
  for (const auto one : derived.low()) squares += double(convert<float>(one)) * double(convert<float>(one));
  for (const float one : derived.full()) squares += double(one) * double(one);
  // Sums of at most 64 squares in double, in another order.
  CHECK(std::fabs(seen.squares - squares) <= 64 * 0x1p-52 * squares);
}

}  // namespace

TEST_CASE("a model is its expression, bit for bit") {
  compare_with_expression<O0, reference>();
  compare_with_expression<O2, reference>();
}

TEST_CASE("a model on the processor is its expression there") { compare_with_expression<O2, cpu>(); }

TEST_CASE("a smaller batch gives the rows of the larger one") {
  model<rectified, O2, reference> m(4, 1);
  const auto x = samples(4);
  tensor<float16, shape<4, 3>> all;
  const auto y = m.infer(x);
  for (std::size_t i = 0; i < y.size(); ++i) all.data()[i] = y.data()[i];
  const auto first = m.forward(2);
  CHECK(first.extent(0) == 2);
  CHECK(same_bits(first.data(), all.data(), first.size()));
}

TEST_CASE("room is made where there was less, and kept") {
  model<rectified, O2, reference> m;
  CHECK(m.max_batch() == 0);
  static_cast<void>(m.infer(samples(3)));
  CHECK(m.max_batch() == 3);
  const auto* const at = m.inputs();
  m.reserve(2);
  static_cast<void>(m.infer(samples(1)));
  CHECK(m.max_batch() == 3);
  CHECK(m.inputs() == at);
}

TEST_CASE("a batch outside what the model was made for is refused") {
  model<rectified, O2, reference> m(2);
  const char* const too_many =
      "mezzo::model: a batch must hold at least one sample and at most those the model was made for, 2; given 3; make the model "
      "with a larger batch";
  CHECK_THROWS_WITH_AS(m.forward(3), too_many, error);
  CHECK_THROWS_AS(m.forward(0), error);
}

TEST_CASE("the first gradient that is not finite is named, in the order of the backward pass") {
  model<rectified, O2, reference> m(1, 1);
  const auto x = samples(1);
  m.load(x.as_view());
  weights<rectified, O2> to;
  static_cast<void>(m.forward(1));
  // The last product's bias gradient is g itself.
  const float16 g[] = {float16(0.0f), std::numeric_limits<float16>::infinity(), float16(0.0f)};
  std::size_t bad = 99;
  CHECK(m.backward(1, g, to, inspection::finite, bad).non_finite);
  CHECK(bad == rectified::stage_count - 1);
  // Large weights let the gradient overflow on its way to the convolution.
  for (float16& one : m.parameters().low()) one = float16(60000.0f);
  for (std::size_t i = 0; i < 36; ++i) m.inputs()[i] = float16(0x1p-12f);
  static_cast<void>(m.forward(1));
  const float16 fits[] = {float16(2.0f), float16(2.0f), float16(2.0f)};
  bad = 99;
  CHECK(m.backward(1, fits, to, inspection::finite, bad).non_finite);
  CHECK(bad == 0);
  // Nobody asked.
  bad = 99;
  CHECK(!m.backward(1, fits, to, inspection::nothing, bad).non_finite);
  CHECK(bad == 99);
}
