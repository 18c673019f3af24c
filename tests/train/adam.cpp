// SPDX-License-Identifier: MIT
#include <mezzo/train/adam.hpp>

#include <mezzo/number/convert.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace mezzo;

namespace {

/// Adam in double as in the paper, with corrected moments; the decay of weights either way.
struct plain_adam {
  double rate, beta1, beta2, epsilon, coupled, decoupled;
  double w, m = 0, v = 0;

  void step(double g, std::size_t t) {
    w -= rate * decoupled * w;
    g += coupled * w;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const double corrected_m = m / (1 - std::pow(beta1, double(t)));
    const double corrected_v = v / (1 - std::pow(beta2, double(t)));
    w -= rate * corrected_m / (std::sqrt(corrected_v) + epsilon);
  }
};

template <class Rule>
void compare(const Rule& rule, plain_adam plain) {
  plain.w = 1.5;
  float w = 1.5f;
  float m = 0;
  float v = 0;
  for (std::size_t step = 1; step <= 50; ++step) {
    const float g = std::sin(static_cast<float>(step)) * 3;
    w = Rule::update(rule.at(step), w, g, m, v);
    plain.step(double(g), step);
    // Moments are sums of 50 terms with two roundings each, all below 3 and 9; an update is at most some rates, known
    // to a hundred roundings of 2^-24, and the weight, below 4, is rounded twice a step.
    CHECK(std::fabs(double(m) - plain.m) <= 100 * 0x1p-24 * 3);
    CHECK(std::fabs(double(v) - plain.v) <= 100 * 0x1p-24 * 9);
    CHECK(std::fabs(double(w) - plain.w) <= double(step) * (2 * 0x1p-23 + 4 * plain.rate * 100 * 0x1p-24));
  }
}

template <class Rule>
constexpr float one_step(const Rule& rule, float w, float g, float m = 0, float v = 0) {
  return Rule::update(rule.at(1), w, g, m, v);
}

// Zero over zero is zero as long as the small number in the denominator is one: it is float32, and not 0 as 1e-8 is in
// float16.
static_assert(one_step(adam{}, 0.3f, 0) == 0.3f);
static_assert(one_step(adamw{.weight_decay = 0}, 0.3f, 0) == 0.3f);
static_assert(adam{}.at(1).epsilon == 1e-8f && convert<float>(convert<float16>(1e-8f)) == 0);

// The first step is the learning rate, whatever the size of the gradient.
static_assert(one_step(adam{.learning_rate = 0.5f, .epsilon = 1e-20f}, 1, 1e-6f) - 0.5f < 1e-6f);

// AdamW shrinks the weight by rate·decay without asking the gradient's size; Adam asks.
static_assert(one_step(adamw{.learning_rate = 0.5f, .weight_decay = 0.5f}, 4, 0) == 3);
static_assert(one_step(adam{.learning_rate = 0.5f, .weight_decay = 0.5f}, 4, 0) < 3.5001f);
static_assert(one_step(adam{.learning_rate = 0.5f, .weight_decay = 0.5f}, 4, 0) > 3.4999f);

static_assert(detail::power(0.5, 0) == 1 && detail::power(0.5, 10) == 0x1p-10 && detail::power(3, 5) == 243);

}  // namespace

TEST_CASE("steps follow the paper") {
  constexpr double rate = double(1e-2f);
  compare(adam{.learning_rate = 1e-2f}, {rate, 0.9, 0.999, double(1e-8f), 0, 0, 0});
  compare(adam{.learning_rate = 1e-2f, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 0.25f, .weight_decay = 0.125f},
          {rate, 0.5, 0.9, 0.25, 0.125, 0, 0});
  compare(adamw{.learning_rate = 1e-2f, .weight_decay = 0.125f}, {rate, 0.9, 0.999, double(1e-8f), 0, 0.125, 0});
}

TEST_CASE("the second moment decays although 0.999 is 1 in bfloat16") {
  REQUIRE(convert<float>(convert<bfloat16>(0.999f)) == 1.0f);
  float m = 0;
  float v = 1;
  for (std::size_t step = 1; step <= 1000; ++step) static_cast<void>(adam::update(adam{}.at(step), 0, 0, m, v));
  // 0.999^1000 = 0.36770 in double; float32 rounds the factor and a thousand products.
  CHECK(std::fabs(double(v) - 0.36770) < 1e-4);
}

TEST_CASE("squares of small gradients are kept although they are 0 in float16") {
  float m = 0;
  float v = 0;
  const float w = adam::update(adam{.epsilon = 1e-12f}.at(1), 0, 1e-4f, m, v);
  REQUIRE(convert<float>(convert<float16>(1e-8f)) == 0.0f);
  CHECK(std::fabs(double(v) - 1e-11) < 1e-17);
  CHECK(std::fabs(double(w) + 1e-3) < 1e-8);
}

TEST_CASE("corrections of late steps end at one") {
  const auto late = adam{}.at(1000000);
  CHECK(late.correction == 1.0f);
  CHECK(late.step == 1e-3f);
  CHECK(std::fabs(double(adam{}.at(1).step) - 1e-2) < 1e-9);
}
