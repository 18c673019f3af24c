// SPDX-License-Identifier: MIT
#include <mezzo/train/loss.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/expr/gradient.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace mezzo;

namespace {

using O2 = policies::O2<float16>;

template <class Policy, class T, std::size_t Size, std::size_t Rows>
constexpr float loss_of(const T (&logits)[Size], const std::int32_t (&labels)[Rows], float scale, T* g) {
  reference on;
  return cross_entropy_loss::evaluate<Policy>(on, logits, labels, Rows, Size / Rows, scale, g);
}

// Two rows without a preference: log 2, and gradients of plus and minus a half over the batch of two, times the scale.
constexpr bool loss_and_gradient() {
  const float16 logits[4]{};
  const std::int32_t labels[]{0, 1};
  float16 g[4]{};
  const float loss = loss_of<O2>(logits, labels, 1024, g);
  return loss > 0.693147f && loss < 0.693148f && g[0] == float16(-256.0f) && g[1] == float16(256.0f) &&
         g[2] == float16(256.0f) && g[3] == float16(-256.0f);
}
static_assert(loss_and_gradient());

// The first of equal logits is the answer.
constexpr float16 three[] = {float16(1.0f), float16(2.0f), float16(2.0f)};
static_assert(cross_entropy_loss::right(three, 3, 1) && !cross_entropy_loss::right(three, 3, 2));
static_assert(!cross_entropy_loss::right(three, 3, 0) && !cross_entropy_loss::right(three, 3, -1));

}  // namespace

TEST_CASE("the loss is float32 although the logits are low") {
  // A hundred equal logits: log 100 = 4.60517, which bfloat16 would round to 4.59375.
  const bfloat16 logits[100]{};
  const std::int32_t label[]{42};
  const float loss = loss_of<policies::O3<bfloat16>>(logits, label, 1.0f, static_cast<bfloat16*>(nullptr));
  CHECK(std::fabs(double(loss) - std::log(100.0)) < 1e-6);
}

TEST_CASE("the scale multiplies in float32, and leaves the loss alone") {
  // Four equal logits: the gradient at the label is −3/4 of the scale.
  const float16 logits[] = {float16(0.0f), float16(0.0f), float16(0.0f), float16(0.0f)};
  const std::int32_t labels[]{3};
  float16 g[4];
  float16 scaled[4];
  const float loss = loss_of<O2>(logits, labels, 1.0f, g);
  CHECK(loss_of<O2>(logits, labels, 0x1p16f, scaled) == loss);
  for (int i = 0; i < 4; ++i) CHECK(float(scaled[i]) == float(g[i]) * 0x1p16f);
  // Beyond the range of float16 it is infinite, not the largest number.
  static_cast<void>(loss_of<O2>(logits, labels, 0x1p17f, scaled));
  CHECK(bits_of(scaled[3]) == 0xfc00);
}

TEST_CASE("every number of classes and rows") {
  for (std::size_t classes = 1; classes < 20; ++classes) {
    float logits[60]{};
    float g[60]{};
    for (std::size_t i = 0; i < 3 * classes; ++i) logits[i] = static_cast<float>(i % 5) / 4;
    const std::int32_t labels[]{0, static_cast<std::int32_t>(classes - 1), static_cast<std::int32_t>(classes / 2)};
    reference on;
    const float loss = cross_entropy_loss::evaluate<policies::O0<>>(on, logits, labels, 3, classes, 1.0f, g);
    double expected = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      const float* x = logits + row * classes;
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(double(x[c]));
      expected += (std::log(sum) - double(x[labels[row]])) / 3;
      for (std::size_t c = 0; c < classes; ++c) {
        const double target = static_cast<std::size_t>(labels[row]) == c ? 1.0 : 0.0;
        CHECK(std::fabs(double(g[row * classes + c]) - (std::exp(double(x[c])) / sum - target) / 3) < 1e-7);
      }
    }
    CHECK(std::fabs(double(loss) - expected) < 1e-6);
  }
}

TEST_CASE("a label that is no class is refused") {
  const float logits[2]{};
  float g[2];
  const std::int32_t too_large[]{2};
  const std::int32_t negative[]{-1};
  CHECK_THROWS_AS(loss_of<policies::O0<>>(logits, too_large, 1.0f, g), error);
  CHECK_THROWS_AS(loss_of<policies::O0<>>(logits, negative, 1.0f, g), error);
}
