// SPDX-License-Identifier: MIT
//
// Several backward passes that make one step, and the loss scale through all of them.
#include "stripes.hpp"

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using namespace mezzo;

namespace {

using O0 = policies::O0<>;
using full = trainer<stripes_net, cross_entropy_loss, sgd, O0, reference>;
using scaled = trainer<stripes_net, cross_entropy_loss, sgd, O0, reference, static_scale>;

constexpr sgd rule{.learning_rate = 1};

/// Largest difference of two trainers' float32 weights.
template <class A, class B>
double difference(const A& a, const B& b) {
  double most = 0;
  const auto& x = a.network().parameters().full();
  const auto& y = b.network().parameters().full();
  for (std::size_t i = 0; i < x.size(); ++i) most = std::fmax(most, std::fabs(double(x[i]) - double(y[i])));
  return most;
}

}  // namespace

TEST_CASE("every sample counts the same, whatever the sizes of the micro-batches") {
  const stripes<4> task(3);
  full whole({rule});
  full parts({rule});
  full means({rule});
  const auto all = whole.backward(task.images(0, 4), task.labels(0, 4));
  CHECK(whole.step(unscale(all)).ran());

  const auto first = parts.accumulate(parts.backward(task.images(0, 1), task.labels(0, 1)));
  const auto sum = parts.accumulate(first, parts.backward(task.images(1, 3), task.labels(1, 3)));
  CHECK(sum.samples == 4);
  CHECK(std::fabs(double(sum.mean_loss()) - double(all.mean_loss())) < 1e-6);
  CHECK(parts.step(unscale(sum)).ran());
  // Gradients are sums of a few tens of products below 1, each rounded to 2^-24.
  CHECK(difference(whole, parts) < 50 * 0x1p-24);

  // A step for each micro-batch is another thing.
  CHECK(means.step(unscale(means.backward(task.images(0, 1), task.labels(0, 1)))).ran());
  CHECK(difference(whole, means) > 1e-3);
}

TEST_CASE("four equal micro-batches carry the scale together and lose it once") {
  const stripes<1> task(3);
  full once({rule});
  scaled fourfold({rule}, {}, {.scale = {1024}});
  CHECK(once.step(unscale(once.backward(task.images(0, 1), task.labels(0, 1)))).ran());
  const auto micro = [&] { return fourfold.backward(task.images(0, 1), task.labels(0, 1)); };
  auto sum = fourfold.accumulate(micro());
  for (int i = 0; i < 3; ++i) sum = fourfold.accumulate(sum, micro());
  CHECK(sum.scale == 1024);
  const auto free = unscale(sum);
  CHECK(free.factor == 0x1p-12f);
  CHECK(fourfold.step(free).ran());
  // Powers of two: not a bit differs.
  CHECK(same_state(once, fourfold));
}

TEST_CASE("a loss scale that is a power of two leaves no trace in float32") {
  const stripes<4> task(3);
  full plain({rule});
  scaled with({rule}, {}, {.scale = {1024}});
  for (int i = 0; i < 3; ++i) {
    CHECK(plain.step(unscale(plain.backward(task.images(0, 4), task.labels(0, 4)))).ran());
    CHECK(with.step(unscale(with.backward(task.images(0, 4), task.labels(0, 4)))).ran());
  }
  CHECK(same_state(plain, with));
  // Clipping sees the norm without the scale.
  const auto g = plain.backward(task.images(0, 4), task.labels(0, 4), track_norm);
  const auto h = with.backward(task.images(0, 4), task.labels(0, 4), track_norm);
  CHECK(unscale(g).norm() == unscale(h).norm());
  CHECK(plain.step(clip_norm(unscale(g), 0.01f)).ran());
  CHECK(with.step(clip_norm(unscale(h), 0.01f)).ran());
  CHECK(same_state(plain, with));
}

TEST_CASE("a norm over micro-batches is the norm of their mean") {
  const stripes<4> task(3);
  full whole({rule});
  full parts({rule});
  const auto all = unscale(whole.backward(task.images(0, 4), task.labels(0, 4), track_norm));
  const auto first = parts.accumulate(parts.backward(task.images(0, 2), task.labels(0, 2), track_norm));
  const auto sum = unscale(parts.accumulate(first, parts.backward(task.images(2, 2), task.labels(2, 2), track_norm)));
  CHECK(std::fabs(double(sum.norm()) / double(all.norm()) - 1) < 1e-5);
}

TEST_CASE("one overflow among the micro-batches skips the step, whichever it is") {
  stripes<2> task(3);
  task.pixels[16] = std::numeric_limits<float>::infinity();
  for (const std::size_t bad_first : {1u, 0u}) {
    scaled t({rule});
    const scaled before = t;
    const auto a = t.backward(task.images(bad_first, 1), task.labels(bad_first, 1));
    CHECK(a.finite() == (bad_first == 0));
    const auto sum = t.accumulate(a);
    const auto both = t.accumulate(sum, t.backward(task.images(1 - bad_first, 1), task.labels(1 - bad_first, 1)));
    CHECK(!both.finite());
    CHECK(t.step(unscale(both)).reason == step_reason::non_finite);
    CHECK(same_state(t, before));
  }
}

TEST_CASE("gradients of no samples are no step, and the scale does not mind") {
  trainer<stripes_net, cross_entropy_loss, sgd, O0, reference, dynamic_scale> t(
      {rule}, {}, {.scale = {.scale = 64, .interval = 1}});
  const step_outcome outcome = t.step(gradients<is_unscaled, false, false>{});
  CHECK(outcome.reason == step_reason::no_gradients);
  CHECK(!outcome.ran());
  t.update(outcome);
  CHECK(t.scale().value() == 64);
  CHECK(t.steps() == 0);
}

TEST_CASE("micro-batches from before and after an update do not mix") {
  const stripes<2> task(3);
  trainer<stripes_net, cross_entropy_loss, sgd, O0, reference, dynamic_scale> t(
      {rule}, {}, {.scale = {.scale = 64, .interval = 1}});
  const auto sum = t.accumulate(t.backward(task.images(0, 1), task.labels(0, 1)));
  t.update(step_outcome{step_reason::stepped, 0});
  const auto g = t.backward(task.images(1, 1), task.labels(1, 1));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(t.accumulate(sum, g)),
      "mezzo::accumulate: micro-batches of one step must share a loss scale; given gradients from before an update; "
      "accumulate all of them, then step, then update",
      error);
}
