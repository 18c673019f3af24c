// SPDX-License-Identifier: MIT
#include <mezzo/train/trainer.hpp>

#include "stripes.hpp"

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace mezzo;
using doctest::Contains;

namespace {

using tested = trainer<stripes_net, cross_entropy_loss, sgd, policies::O2<bfloat16>, reference>;
using scaled = trainer<stripes_net, cross_entropy_loss, sgd, policies::O2<float16>, reference>;
using pixels = dextents<std::size_t, 4>;

struct batch {
  tensor<float, shape<4, 1, 4, 4>> images{shape<4, 1, 4, 4>{}, 0.5f};
  tensor<std::int32_t, shape<4>> labels;
};

}  // namespace

TEST_CASE("samples whose sizes are known only now are compared with the network's input") {
  tested t;
  const tensor<float, pixels> wide(pixels(5, 1, 4, 7), 1.0f), narrow(pixels(5, 1, 4, 3), 1.0f);
  CHECK_THROWS_WITH_AS(t.network().infer(wide), Contains("input after the batch, 16 elements each; given 140"), error);
  CHECK_THROWS_WITH_AS(t.network().infer(narrow), Contains("in 5 samples; check their shape"), error);
  const tensor<std::int32_t, shape<5>> labels;
  CHECK_THROWS_AS(t.backward(wide, labels), error);
}

TEST_CASE("a data set must have samples of the network's size") {
  tested t;
  const float features[64] = {};
  const std::int32_t labels[4] = {};
  const array_dataset<float, std::int32_t> wrong{features, labels, 2, 32};
  CHECK_THROWS_WITH_AS(t.fit(wrong), Contains("as many elements as the network's input, 16; given 32"), error);
  CHECK_THROWS_AS(static_cast<void>(t.evaluate(wrong)), error);
}

TEST_CASE("gradients serve one step, and only until the next pass") {
  tested t;
  const batch b;
  const auto old = unscale(t.backward(b.images, b.labels));
  const auto now = unscale(t.backward(b.images, b.labels));
  CHECK_THROWS_WITH_AS(static_cast<void>(t.step(old)),
                       Contains("gradients serve one step, before the next backward pass"), error);
  CHECK(t.step(now).ran());
  CHECK_THROWS_AS(static_cast<void>(t.step(now)), error);
  CHECK(t.steps() == 1);

  const auto first = t.accumulate(t.backward(b.images, b.labels));
  const auto second = t.accumulate(first, t.backward(b.images, b.labels));
  const auto more = t.backward(b.images, b.labels);
  CHECK_THROWS_WITH_AS(static_cast<void>(t.accumulate(first, more)), Contains("a sum goes on from the last one"),
                       error);
  CHECK(t.step(unscale(t.accumulate(second, more))).ran());
}

TEST_CASE("limits and scales that make no sense are refused") {
  tested t;
  const batch b;
  const auto g = unscale(t.backward(b.images, b.labels, track_norm));
  CHECK_THROWS_WITH_AS(static_cast<void>(clip_norm(g, -1.0f)), Contains("the largest norm must be above 0; given none"),
                       error);
  const float features[16] = {};
  const std::int32_t labels[1] = {};
  const array_dataset<float, std::int32_t> data{features, labels, 1, 16};
  CHECK_THROWS_WITH_AS(t.fit(data, {.clip_norm = -1.0f}), Contains("the largest norm of a fit must be above 0"), error);
  for (const float bad : {0.0f, -4.0f, std::numeric_limits<float>::infinity(), 0x1p-130f})
    CHECK_THROWS_WITH_AS(scaled({}, {}, {.scale = {.scale = bad}}), Contains("a loss scale must be finite and above 0"),
                         error);
  CHECK_THROWS_AS(scaled({}, {}, {.scale = {.backoff = 1.0f}}), error);
  CHECK(!dynamic_scale{.interval = 0}.valid());
  CHECK(static_scale{512.0f}.valid());
}

TEST_CASE("without a scale a step is skipped where the norm shows that a gradient is not finite") {
  tested t;
  batch b;
  b.images(1, 0, 2, 2) = std::numeric_limits<float>::infinity();
  const auto before = t.network().parameters().low()[0].bits();
  CHECK(t.step(unscale(t.backward(b.images, b.labels, track_norm))).reason == step_reason::non_finite);
  CHECK(t.network().parameters().low()[0].bits() == before);
}
