// SPDX-License-Identifier: MIT
#include <mezzo/nn/model.hpp>

#include "compare_model.hpp"

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using O2 = policies::O2<float16>;

}  // namespace

TEST_CASE("a model is its expression, bit for bit") { compare_with_expression<O2, reference>(); }

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
      "mezzo::model: a batch must hold at least one sample and at most those the model was made for, 2; given 3; make "
      "the model "
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
  for (std::size_t i = 0; i < 2; ++i) m.parameters().get<1>()(i, 0, 0) = float16(0.0f);
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
