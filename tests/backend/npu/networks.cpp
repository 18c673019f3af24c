// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
// not under -fsanitize: what it would find is found in cube.cpp and model.cpp, in less time
//
// Everything the library can run runs on the model, near to what the cpu backend gives.
#include <mezzo/backend/npu/model.hpp>
#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/nn/attention.hpp>
#include <mezzo/nn/layers.hpp>
#include <mezzo/nn/normalizations.hpp>
#include <mezzo/train/trainer.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

/// Losses of `count` steps on some images.
template <class Net, class Policy, class Backend>
void train(const Backend& on, float (&losses)[4]) {
  using batch = typename Net::batch_type;
  constexpr std::size_t samples = 8;
  const auto sizes = [&]<class Index, std::size_t First, std::size_t... Sizes>(
                         std::type_identity<extents<Index, First, Sizes...>>) {
    return batch(samples);
  }(std::type_identity<batch>{});
  tensor<float, batch> images(sizes);
  tensor<std::int32_t, shape<samples>> labels;
  for (std::size_t i = 0; i < images.size(); ++i)
    images.data()[i] = static_cast<float>(i * 7919 % 1021) / 1021 - 0.5f;
  for (std::size_t i = 0; i < samples; ++i) labels(i) = static_cast<std::int32_t>(i * 7 % 4);
  trainer<Net, cross_entropy_loss, adam, Policy, Backend, no_scale> t{{.learning_rate = 1e-2f}, on};
  for (float& loss : losses) {
    const auto outcome = t.step(unscale(t.backward(images.as_view(), labels.as_view())));
    CHECK(outcome.ran());
    loss = outcome.loss;
  }
}

template <class Net, class Policy, class Backend>
void near_to_cpu(const Backend& on, double share) {
  float here[4], there[4];
  train<Net, Policy>(on, here);
  train<Net, Policy>(cpu{}, there);
  for (int i = 0; i < 4; ++i)
    CHECK(static_cast<double>(here[i]) == doctest::Approx(static_cast<double>(there[i])).epsilon(share));
  CHECK(here[3] < here[0]);
}

using images = sequential<input<3, 8, 8>, conv2d<8, 3, same>, group_norm_layer<2>, gelu_layer, max_pool<2>,
                          depthwise_conv2d<3, same>, silu_layer, flatten, layer_norm_layer<>, dense<4>>;
using times = sequential<input<8, 16>, residual<layer_norm_layer<>, self_attention_layer<2, causal_mask>>,
                         residual<rms_norm_layer<>, time_dense<32>, gelu_layer, time_dense<16>>, flatten, dense<4>>;

// Orders of addition differ in the last digits of float32, and so do results by units of the low type here and there.
constexpr double of_low = 2e-2;

}  // namespace

TEST_CASE("convolutions, normalisations, pooling and smooth functions") {
  near_to_cpu<images, policies::O2<float16>>(npu::model<npu::ascend910a>{}, of_low);
}

TEST_CASE("attention and residuals, with float32 products in HF32") {
  near_to_cpu<times, policies::O1<bfloat16>>(npu::model<npu::ascend910b1>{.hf32 = true}, of_low);
}
