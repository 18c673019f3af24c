// SPDX-License-Identifier: MIT
#include <mezzo/train/sgd.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace mezzo;

namespace {

/// The rule in double, as it stands in the comment of the header.
struct plain_sgd {
  double rate, momentum, decay;
  bool nesterov;
  double w, v = 0;

  void step(double g) {
    g += decay * w;
    v = momentum * v + g;
    w -= rate * (nesterov ? g + momentum * v : v);
  }
};

void compare(const sgd& rule) {
  plain_sgd plain{double(rule.learning_rate), double(rule.momentum), double(rule.weight_decay), rule.nesterov, 1.5};
  float w = 1.5f;
  float v = 0;
  for (std::size_t step = 1; step <= 20; ++step) {
    const float g = std::sin(static_cast<float>(step));
    w = sgd::update(rule.at(step), w, g, v);
    plain.step(double(g));
    // Values stay below 4 and each step rounds at most six of them: 6 · 20 half units in the last place of 4.
    const double bound = 6 * 20 * 0x1p-22 / 2;
    CHECK(std::fabs(double(w) - plain.w) <= bound);
    CHECK(std::fabs(double(v) - plain.v) <= bound);
  }
}

// One step each, by hand, in numbers that float32 holds.
constexpr float one_step(const sgd& rule, float w, float g, float v) { return sgd::update(rule.at(1), w, g, v); }
static_assert(one_step({.learning_rate = 0.5f}, 1, 2, 0) == 0);
static_assert(one_step({.learning_rate = 0.5f, .momentum = 0.5f}, 1, 2, 4) == -1);
static_assert(one_step({.learning_rate = 0.5f, .momentum = 0.5f, .nesterov = true}, 1, 2, 4) == -1);
static_assert(one_step({.learning_rate = 0.5f, .momentum = 0.5f, .nesterov = true}, 1, 2, 0) == -0.5f);
static_assert(one_step({.learning_rate = 0.5f, .weight_decay = 0.25f}, 4, 0, 0) == 3.5f);

// Without a gradient nothing moves.
static_assert(one_step({.learning_rate = 1, .momentum = 0.9f, .nesterov = true}, 0.3f, 0, 0) == 0.3f);

}  // namespace

TEST_CASE("steps follow the rule") {
  compare({.learning_rate = 0.1f});
  compare({.learning_rate = 0.1f, .momentum = 0.5f});
  compare({.learning_rate = 0.1f, .momentum = 0.5f, .weight_decay = 0.01f});
  compare({.learning_rate = 0.1f, .momentum = 0.5f, .weight_decay = 0.01f, .nesterov = true});
}

TEST_CASE("weight decay acts on the gradient, so momentum carries it on") {
  const sgd rule{.learning_rate = 0.5f, .momentum = 0.5f, .weight_decay = 0.5f};
  float v = 0;
  const float once = sgd::update(rule.at(1), 4, 0, v);
  CHECK(once == 3);
  CHECK(v == 2);
  CHECK(sgd::update(rule.at(2), once, 0, v) == 1.75f);
}
