// SPDX-License-Identifier: MIT
//
// A model against the one expression it stands for.
#pragma once

#include "networks.hpp"

#include <mezzo/nn/model.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

using namespace mezzo;

using rectified = sequential<input<1, 6, 6>, conv2d<2, 3, same>, relu_layer, max_pool<2>, flatten, dense<3>>;

/// The same network as one expression over the same parameters.
constexpr auto whole(const auto& x, const auto& w, const auto& b, const auto& v, const auto& c) {
  return linear(flatten_rows(max_pool2d<2>(relu(convolve2d<same>(x, w, b)))), transpose(v), c);
}

inline tensor<float, rectified::batch_type> samples(std::size_t batch) {
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
