// SPDX-License-Identifier: MIT
//
// Training while the program is compiled: a convolutional network in float16 with masters and a dynamic loss scale. Its
// first step overflows and is skipped; then it learns.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/train/trainer.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace mezzo;

namespace {

using net = sequential<input<1, 4, 4>, conv2d<2, 3>, relu_layer, flatten, dense<2>>;
using policy = policies::O2<float16>;
constexpr std::size_t parameters = net::parameters::elements;
constexpr std::size_t most_steps = 5;

struct course {
  std::array<float, most_steps> losses{};
  std::array<float, most_steps> scales{};  // after each step
  std::array<bool, most_steps> ran{};
  bool untouched = true;  // by the first step: weights, masters and the number of steps
  short_name overflowed{};
  std::array<std::uint16_t, parameters> weights{};
};

/// A few steps on two images, an upright and a lying stripe, from a scale that is twice too large.
constexpr course train(std::size_t steps) {
  const tensor<float, shape<2, 1, 4, 4>> images{0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0,  //
                                                0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  const tensor<std::int32_t, shape<2>> labels{0, 1};
  trainer<net, cross_entropy_loss, sgd, policy, reference> t({.learning_rate = 0.01f}, {},
                                                             {.scale = {.scale = 0x1p15f, .interval = 3}, .seed = 1});
  const auto& values = t.network().parameters().low();
  std::array<std::uint16_t, parameters> low{};
  std::array<std::uint32_t, parameters> full{};
  for (std::size_t i = 0; i < parameters; ++i) {
    low[i] = bits_of(values[i]);
    full[i] = bits_of(t.masters()[i]);
  }

  course seen;
  for (std::size_t step = 0; step < steps; ++step) {
    const step_outcome outcome = t.step(unscale(t.backward(images, labels)));
    t.update(outcome);
    seen.losses[step] = outcome.loss;
    seen.scales[step] = t.scale().value();
    seen.ran[step] = outcome.ran();
    if (step > 0) continue;
    seen.overflowed = t.non_finite_stage();
    seen.untouched = t.steps() == 0;
    for (std::size_t i = 0; i < parameters; ++i)
      seen.untouched = seen.untouched && bits_of(values[i]) == low[i] && bits_of(t.masters()[i]) == full[i];
  }
  for (std::size_t i = 0; i < parameters; ++i) seen.weights[i] = bits_of(values[i]);
  return seen;
}

constexpr course constant = train(most_steps);

// The step that overflows changes nothing but the scale, and is named.
static_assert(!constant.ran[0] && constant.scales[0] == 0x1p14f && constant.untouched);
static_assert(constant.overflowed.text[0] == 'd' && constant.overflowed.text[4] == 'e', "dense");
static_assert(constant.losses[1] == constant.losses[0]);

// The steps after it run, and lower the loss; the third of them lets the scale grow again.
static_assert(constant.ran[1] && constant.ran[2] && constant.ran[3] && constant.ran[4]);
static_assert(constant.losses[2] < constant.losses[1] && constant.losses[3] < constant.losses[2] &&
              constant.losses[4] < constant.losses[3]);
static_assert(constant.scales[2] == 0x1p14f && constant.scales[3] == 0x1p15f);

}  // namespace

TEST_CASE("a program's training is the compiler's, bit for bit") {
  const volatile std::size_t steps = most_steps;
  const course now = train(steps);
  for (std::size_t i = 0; i < most_steps; ++i) {
    CHECK(bits_of(now.losses[i]) == bits_of(constant.losses[i]));
    CHECK(now.scales[i] == constant.scales[i]);
    CHECK(now.ran[i] == constant.ran[i]);
  }
  CHECK(now.untouched);
  CHECK(now.weights == constant.weights);
  CHECK(std::string(now.overflowed.text) == "dense, module 4");
}
