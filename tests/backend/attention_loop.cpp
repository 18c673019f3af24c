// SPDX-License-Identifier: MIT
#include <mezzo/backend/attention_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace mezzo;

TEST_CASE("weights of seen keys sum to 1, others are 0, whatever their scores were") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  float scores[] = {5, inf, inf, 1, 1, inf, -inf, -inf, -inf};
  reference plain;
  plain.run(attention_weights_kernel<float, causal_mask>{scores, 3, 0, 3, 0.5f});
  CHECK(scores[0] == 1);
  CHECK(scores[1] == 0);
  CHECK(scores[2] == 0);
  CHECK(scores[3] == 0.5f);
  CHECK(scores[4] == 0.5f);
  CHECK(scores[5] == 0);
  for (int i = 6; i < 9; ++i) CHECK(scores[i] == 0);  // nothing to attend to
}

TEST_CASE("gradients of scores leave out what moves all weights of a row together") {
  const float weights[] = {0.25f, 0.75f, 0.5f, 0.5f};
  float g[] = {4, 8, 3, 3};
  reference plain;
  plain.run(attention_scores_gradient_kernel<float>{weights, g, 2, 2, 2.0f});
  // Σ p·g = 7: 2·¼·(4 − 7) and 2·¾·(8 − 7).
  CHECK(g[0] == -1.5f);
  CHECK(g[1] == 1.5f);
  CHECK(g[2] == 0);
  CHECK(g[3] == 0);
}
