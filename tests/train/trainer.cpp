// SPDX-License-Identifier: MIT
#include <mezzo/train/trainer.hpp>

#include "stripes.hpp"

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <string>

using namespace mezzo;

namespace {

// A scale never leaves this trainer's default range by growth: the interval is longer than any test.
using tested = trainer<stripes_net, cross_entropy_loss, adam, policies::O2<float16>, reference>;

tested start(float scale = 1024, int patience = 60) {
  return tested({.learning_rate = 0.02f}, {}, {.scale = {.scale = scale, .patience = patience}, .seed = 1});
}

}  // namespace

TEST_CASE("training lowers the loss and finds the answers") {
  const stripes<21> task(3);
  tested t = start();
  const fit_report report = t.fit(task.data(), {.epochs = 60, .batch = 4});
  CHECK(report.skipped == 0);
  CHECK(report.recent_loss(6) < 0.4);  // log 2 = 0.69 knows nothing
  const evaluation result = t.evaluate(task.data());
  CHECK(result.samples == 21);
  CHECK(result.accuracy() > 0.9);
}

TEST_CASE("the last batch of an epoch may be smaller, and is trained") {
  const stripes<5> task(3);
  tested t = start();
  std::size_t seen = 0;
  const fit_report report = t.fit(task.data(), {.epochs = 3, .batch = 2}, [&](const step_progress& p) {
    ++seen;
    CHECK(p.step == seen);
    CHECK(p.total == 9);
    CHECK(p.epoch == (seen - 1) / 3);
    CHECK(p.outcome.ran());
    CHECK(p.scale == 1024);
  });
  CHECK(seen == 9);
  CHECK(report.steps == 9);
  CHECK(report.losses.size() == 9);
  CHECK(t.steps() == 9);
  // A batch larger than the data is the data.
  CHECK(t.fit(task.data(), {.batch = 100}).steps == 1);
}

TEST_CASE("a skipped step changes nothing but the scale") {
  // Bright images overflow the gradients of the last product at 2^15, and fit at 2^14.
  const stripes<4> bright(3, 6);
  tested overflows = start(0x1p15f);
  tested fits = start(0x1p14f);
  const fit_options epochs{.epochs = 4, .batch = 4, .shuffle = false};
  const linear_rate falling{.peak = 0.02f, .steps = 8};

  const fit_report longer = overflows.fit(bright.data(), epochs, no_progress{}, falling);
  REQUIRE(longer.skipped == 1);
  CHECK(longer.scales[0] == 0x1p15f);
  CHECK(longer.scales[1] == 0x1p14f);
  CHECK(overflows.steps() == 3);

  const fit_report report =
      fits.fit(bright.data(), {.epochs = 3, .batch = 4, .shuffle = false}, no_progress{}, falling);
  CHECK(report.skipped == 0);
  for (std::size_t i = 0; i < 3; ++i) CHECK(bits_of(longer.losses[i + 1]) == bits_of(report.losses[i]));
  CHECK(longer.losses[0] == longer.losses[1]);
  // Weights, masters and steps are those of a trainer that never saw the overflow; so are moments, or the next step
  // would tell.
  CHECK(same_state(overflows, fits));
  static_cast<void>(overflows.fit(bright.data(), {.batch = 4, .shuffle = false}));
  static_cast<void>(fits.fit(bright.data(), {.batch = 4, .shuffle = false}));
  CHECK(same_state(overflows, fits));
  CHECK(overflows.options().learning_rate == 0.02f);
}

TEST_CASE("an outcome says why, and where") {
  const stripes<4> bright(3, 6);
  tested t = start(0x1p15f);
  const tested before = t;
  const auto g = t.backward(bright.images(0, 4), bright.labels(0, 4));
  CHECK(!g.finite());
  const step_outcome outcome = t.step(unscale(g));
  CHECK(outcome.reason == step_reason::non_finite);
  CHECK(std::string(t.non_finite_stage().text) == "dense, module 4");
  CHECK(same_state(t, before));
  t.update(outcome);
  CHECK(t.scale().value() == 0x1p14f);
  const step_outcome next = t.step(unscale(t.backward(bright.images(0, 4), bright.labels(0, 4))));
  CHECK(next.reason == step_reason::stepped);
  CHECK(std::string(t.non_finite_stage().text).empty());
}

TEST_CASE("overflows that no scale cures end the training with the name of the module") {
  stripes<2> task(3);
  task.pixels[0] = 1e6f;  // is infinite in float16
  tested t = start(65536, 7);
  const tested before = t;
  const fit_report report = t.fit(task.data(), {.epochs = 100, .batch = 2});
  CHECK(report.gave_up);
  CHECK(report.steps == 7);
  CHECK(report.skipped == 7);
  CHECK(std::string(report.first_non_finite.text) == "dense, module 4");
  CHECK(report.final_scale == 512);
  CHECK(same_state(t, before));
}

TEST_CASE("the explicit loop is the fit, bit for bit") {
  const stripes<5> task(3);
  tested fitted = start();
  tested stepped = start();
  const fit_report report = fitted.fit(task.data(), {.epochs = 2, .batch = 2, .shuffle = false, .clip_norm = 0.25f});
  std::size_t step = 0;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const std::size_t first : {0u, 2u, 4u}) {
      const std::size_t count = first == 4 ? 1 : 2;
      const auto g = unscale(stepped.backward(task.images(first, count), task.labels(first, count), track_norm));
      const auto clipped = clip_norm(g, 0.25f);
      CHECK(clipped.norm() <= 0.2500001f);
      const step_outcome outcome = stepped.step(clipped);
      stepped.update(outcome);
      CHECK(bits_of(outcome.loss) == bits_of(report.losses[step++]));
    }
  CHECK(same_state(fitted, stepped));
}

TEST_CASE("one seed, one result") {
  const stripes<7> task(3);
  tested a = start();
  tested b = start();
  tested other({.learning_rate = 0.02f}, {}, {.scale = {.scale = 1024}, .seed = 2});
  const auto losses = a.fit(task.data(), {.epochs = 3, .batch = 2, .seed = 9}).losses;
  CHECK(same_bits(b.fit(task.data(), {.epochs = 3, .batch = 2, .seed = 9}).losses, losses));
  CHECK(same_state(a, b));
  static_cast<void>(other.fit(task.data(), {.epochs = 3, .batch = 2, .seed = 9}));
  CHECK(!same_state(a, other));
  // The seed of a fit changes the order of samples, nothing else.
  tested c = start();
  CHECK(!same_bits(c.fit(task.data(), {.epochs = 3, .batch = 2, .seed = 10}).losses, losses));
}

TEST_CASE("an evaluation does not depend on its batches, and changes nothing") {
  const stripes<7> task(3);
  tested t = start();
  static_cast<void>(t.fit(task.data(), {.epochs = 2, .batch = 3}));
  const tested before = t;
  const evaluation whole = t.evaluate(task.data());
  const evaluation parts = t.evaluate(task.data(), 3);
  CHECK(whole.right == parts.right);
  CHECK(std::fabs(whole.loss - parts.loss) < 1e-6);
  CHECK(same_state(t, before));
  // By hand: the largest output, and the loss that a backward pass reports.
  const auto y = t.network().infer(task.images(0, 7));
  std::size_t right = 0;
  for (std::size_t i = 0; i < 7; ++i) right += std::size_t{(float(y(i, 1)) > float(y(i, 0))) == (task.classes[i] == 1)};
  CHECK(whole.right == right);
  CHECK(std::fabs(whole.loss - double(t.backward(task.images(0, 7), task.labels(0, 7)).mean_loss())) < 1e-6);
}

TEST_CASE("masters are narrowed to the stored weights") {
  const stripes<4> task(3);
  tested t = start();
  static_cast<void>(t.fit(task.data(), {.epochs = 2, .batch = 2}));
  const auto& low = t.network().parameters().low();
  REQUIRE(t.masters().size() == low.size());
  bool finer = false;
  for (std::size_t i = 0; i < low.size(); ++i) {
    CHECK(bits_of(low[i]) == bits_of(float16(t.masters()[i])));
    finer = finer || float(low[i]) != t.masters()[i];
  }
  CHECK(finer);
}

TEST_CASE("what cannot be trained is refused") {
  const stripes<2> task(3);
  tested t = start();
  const array_dataset<float, int> empty{};
  CHECK_THROWS_WITH_AS(
      t.fit(empty),
      "mezzo::trainer: a fit needs samples and a batch of at least one; given none; check the data set and the options",
      error);
  CHECK_THROWS_AS(t.fit(task.data(), {.batch = 0}), error);
  CHECK_THROWS_WITH_AS(
      t.evaluate(empty),
      "mezzo::trainer: an evaluation needs samples and a batch of at least one; given none; check the data set", error);
  CHECK_THROWS_WITH_AS(
      t.backward(task.images(0, 2), task.labels(0, 1)),
      "mezzo::trainer: there must be one label for each sample; given 1 labels and 2 samples; check the batch", error);
  CHECK(t.fit(task.data(), {.epochs = 0}).steps == 0);
}
