// SPDX-License-Identifier: MIT
//
// The programs of the README, word for word, with checks of what they claim.
#define MEZZO_WITH_REPORTS
#include <mezzo/mezzo.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>

using namespace mezzo;

namespace {

template <class Tensor>
void fill(Tensor& t, std::uint64_t seed) {
  std::uint64_t i = 0;
  for (auto& v : t) v = std::remove_cvref_t<decltype(v)>(counter_uniform(seed, i++) - 0.5f);
}

/// Four kinds of striped images, to train on in a moment.
struct stripes {
  tensor<float, shape<256, 1, 8, 8>> pixels;
  tensor<std::int32_t, shape<256>> labels;

  stripes() {
    for (std::size_t n = 0; n < 256; ++n) {
      labels(n) = static_cast<std::int32_t>(n % 4);
      for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j) {
          const std::size_t bands[] = {i, j, i + j, i + 8 - j};
          pixels(n, 0, i, j) = (bands[n % 4] / 2 % 2 == 0 ? 1.0f : 0.0f) + 0.3f * counter_uniform(n, i * 8 + j);
        }
    }
  }
  [[nodiscard]] array_dataset<float, std::int32_t> data() const { return {pixels.data(), labels.data(), 256, 64}; }
};

}  // namespace

TEST_CASE("an expression under a policy, and its gradient") {
  tensor<float, shape<32, 20>> x;
  tensor<float, shape<20, 10>> w, dw;
  tensor<float, shape<10>> b, db;
  tensor<float, shape<32, 10>> y, dy;
  fill(x, 1), fill(w, 2), fill(b, 3), fill(dy, 4);

  // A policy is a type: a level, a low-precision type, and the operations that differ from the level.
  using policy = policies::O2<float16, keep<float, op::sigmoid, op::scaled_dot_product_attention>, lower<op::gelu>>;

  // Casts, bias and activation are fused into the product. Nothing runs until the store.
  into(y) = autocast<policy>(relu(matmul(x, w) + b));

  // The gradient of the same expression, derived by the compiler, fused the same way.
  into(dw, db) = autocast<policy>(gradient(relu(matmul(x, w) + b), dy, wrt(w, b)));

  for (std::size_t j = 0; j < 10; ++j) {
    float sum = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      double z = static_cast<double>(b(j));
      for (std::size_t k = 0; k < 20; ++k) z += static_cast<double>(x(i, k)) * static_cast<double>(w(k, j));
      CHECK(static_cast<double>(y(i, j)) == doctest::Approx(z > 0 ? z : 0).epsilon(0.01));
      sum += y(i, j) > 0 ? dy(i, j) : 0.0f;
    }
    CHECK(db(j) == doctest::Approx(static_cast<double>(sum)).epsilon(1e-4));
  }
}

TEST_CASE("explain says what a policy does") {
  tensor<float, shape<32, 20>> x;
  tensor<float, shape<20, 10>> w;
  const auto text = explain<policies::O1<bfloat16>>(softmax(matmul(x, w)));
  CHECK(std::string(text.c_str()).find("bfloat16") != std::string::npos);
}

TEST_CASE("a network, trained") {
  const stripes striped;
  const auto training = striped.data();

  // A network is a flat list of modules; the compiler checks the shapes.
  using net = sequential<input<1, 8, 8>, conv2d<8, 3, same>, relu_layer, max_pool<2>, flatten, dense<4>>;

  trainer<net, cross_entropy_loss, adam, policies::O2<float16>, cpu> t{{.learning_rate = 5e-3f}};
  const auto report = t.fit(training, {.epochs = 8, .batch = 32});  // losses, skipped steps, scale history: returned
  const auto result = t.evaluate(training);

  CHECK(report.steps == 64);
  CHECK(result.accuracy() > 0.95);

  const auto logits = t.network().infer(striped.pixels);  // no labels, no gradients
  CHECK(logits.extent(0) == 256);
}

TEST_CASE("the explicit loop") {
  const stripes striped;
  using net = sequential<input<1, 8, 8>, conv2d<8, 3, same>, relu_layer, max_pool<2>, flatten, dense<4>>;
  trainer<net, cross_entropy_loss, adamw, policies::O2<float16>, cpu> t{{.learning_rate = 5e-3f}};
  const auto& [images, labels] = striped;

  for (int step = 0; step < 10; ++step) {
    const auto scaled = t.backward(images, labels, track_norm);  // carries the loss scale, as its type says
    const auto clipped = clip_norm(unscale(scaled), 1.0f);       // two factors, no pass over memory
    const step_outcome outcome = t.step(clipped);                // skipped, and nothing changed, if not finite
    t.update(outcome);                                           // the loss scale learns what became of the step
  }
  CHECK(t.steps() >= 8);  // the scale starts high and may overflow first
}

TEST_CASE("micro-batches") {
  const stripes striped;
  using net = sequential<input<1, 8, 8>, flatten, dense<4>>;
  trainer<net, cross_entropy_loss, sgd, policies::O1<bfloat16>, cpu> t{{.learning_rate = 0.1f, .momentum = 0.9f}};
  const auto& [images, labels] = striped;

  auto sum = t.accumulate(t.backward(images, labels));   // float32 sums
  sum = t.accumulate(sum, t.backward(images, labels));   // each sample counts the same
  t.update(t.step(unscale(sum)));

  CHECK(t.steps() == 1);
}

// A module is its parameters and its forward expression; the backward pass is derived.
struct scale_layer {
  template <class In>
  using parameters = parameter_list<parameter<In, op::mul, he_uniform<1>>>;

  template <class X, class W>
  static constexpr auto forward(const X& x, const W& w) {
    return x * w;
  }
};

TEST_CASE("a module of one's own") {
  const stripes striped;
  using net = sequential<input<1, 8, 8>, scale_layer, flatten, dense<4>>;
  trainer<net, cross_entropy_loss, adam, policies::O2<bfloat16>, cpu> t;
  const auto report = t.fit(striped.data(), {.epochs = 2});
  CHECK(report.recent_loss(8) < static_cast<double>(report.losses[0]));
}

namespace {

/// Sequences of 16 points of width 32; the class is where the first feature peaks.
struct sequences {
  [[nodiscard]] static std::size_t size() { return 320; }
  template <class T>
  void fetch(const std::uint32_t* rows, std::size_t count, T* x, std::int32_t* labels) const {
    for (std::size_t n = 0; n < count; ++n) {
      labels[n] = static_cast<std::int32_t>(rows[n] % 10);
      for (std::size_t i = 0; i < 16 * 32; ++i)
        x[n * 16 * 32 + i] = T(counter_uniform(rows[n], i) + (i == 32 * (rows[n] % 10) ? 3.0f : 0.0f));
    }
  }
};

}  // namespace

TEST_CASE("a transformer block") {
  // A transformer block on 16 points in time of width 32. A residual keeps its input only and computes the rest again.
  using block = sequential<input<16, 32>, residual<layer_norm_layer<>, self_attention_layer<4, causal_mask>>,
                           residual<layer_norm_layer<>, time_dense<64>, gelu_layer, time_dense<32>>, flatten, dense<10>>;
  trainer<block, cross_entropy_loss, adam, policies::O2<bfloat16>, cpu> t{{.learning_rate = 2e-3f}};
  t.fit(sequences{}, {.epochs = 12, .batch = 32});
  CHECK(t.evaluate(sequences{}).accuracy() > 0.9);
}

TEST_CASE("attention and its gradients") {
  using sequence = tensor<bfloat16, shape<2, 6, 16>>;
  sequence q(shape<2, 6, 16>{}, bfloat16(0.5f)), k = q, v = q, dy = q, y, dq, dk, dv;
  into(y) = autocast<policies::O2<bfloat16>>(attention<4, causal_mask>(q, k, v));  // (batch, time, heads·width)
  into(dq, dk, dv) = gradient(attention<4, causal_mask>(q, k, v), dy, wrt(q, k, v));
  // Equal values are their own mean, however they are weighted, and equal keys leave nothing to prefer.
  CHECK(y(1, 5, 15) == 0.5f);
  CHECK(dq(1, 5, 15) == 0.0f);
}

TEST_CASE("a chip that saturates") {
  using chip = npu::model<npu::ascend910a>;
  tensor<float16, shape<2>> v(shape<2>{}, {40000_f16, -40000_f16});
  chip saturating;
  into(saturating, v) = v + v;  // ±65504: the first generation saturates
  const bool seen = saturating.overflow();  // and only its sticky status flag says so

  CHECK(v(0) == 65504_f16);
  CHECK(v(1) == -65504_f16);
  CHECK(seen);
}

TEST_CASE("reports of what a chip would do") {
  tensor<float16, shape<64, 48>> x;
  tensor<float16, shape<48, 32>> w;
  tensor<float16, shape<32>> b;
  tensor<float16, shape<64, 32>> y;

  npu::model<npu::ascend910b1> on;
  into(on, y) = gelu(matmul(x, w) + b);
  const auto table = npu::kernel_table(on);                  // the kernels, for people; kernel_csv has every figure
  const auto trace = npu::chrome_trace().add(on).json();     // what each pipe does, for ui.perfetto.dev
  const auto plot = npu::roofline_svg(on);                   // kernels under the roofs of the chip
  const auto advice = npu::warning_text(on);                 // what practice warns of, a sentence each

  CHECK(table.find("matmul+add+gelu") != std::string::npos);
  CHECK(trace.find("\"ph\"") != std::string::npos);
  CHECK(plot.find("</svg>") != std::string::npos);
  CHECK(advice.empty());
}

TEST_CASE("numbers") {
  constexpr float16 half(1.0 / 3);                            // rounded once, from double
  static_assert(half.bits() == 0x3555);
  static_assert(1025.49995_f16 == float16(1025));             // from the digits, not through float
  static_assert(bfloat16(1e38f) > 1e37f && float(bfloat16(3.0f)) == 3.0f);
  static_assert(convert<bfloat16>(65504_f16) == bfloat16(65504.0f));
  CHECK(std::isinf(float(float16(65520.0f))));
}
