// SPDX-License-Identifier: MIT
#include "network_peers.hpp"

#if defined(BENCH_LIBTORCH)

#include <ATen/autocast_mode.h>
#include <memory>
#include <torch/torch.h>

namespace bench {
namespace {

torch::Tensor forward(torch::nn::Sequential& model, const torch::Tensor& x) { return model->forward(x); }

struct step {
  torch::nn::Sequential model;
  torch::Tensor x, y;
  std::unique_ptr<torch::optim::Adam> adam;
  bool low;

  void run() {
    adam->zero_grad();
    torch::Tensor loss;
    if (low) {
      at::autocast::set_cpu_enabled(true);
      at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
      loss = torch::nn::functional::cross_entropy(forward(model, x), y);
      at::autocast::clear_cache();
      at::autocast::set_cpu_enabled(false);
    } else {
      loss = torch::nn::functional::cross_entropy(forward(model, x), y);
    }
    loss.backward();
    adam->step();
  }
};

}  // namespace

std::function<void()> libtorch_step(net which, bool bfloat16_autocast) {
  namespace nn = torch::nn;
  at::set_num_threads(1);
  auto s = std::make_shared<step>();
  const long batch = which == net::cnn ? 32 : 128;
  if (which == net::cnn) {
    s->model = nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 32, 3).padding(1)), nn::ReLU(), nn::Flatten(),
                              nn::Linear(25088, 10));
    s->x = torch::rand({batch, 1, 28, 28});
  } else {
    s->model = nn::Sequential(nn::Linear(784, 512), nn::ReLU(), nn::Linear(512, 512), nn::ReLU(), nn::Linear(512, 10));
    s->x = torch::rand({batch, 784});
  }
  s->y = torch::arange(batch) % 10;
  s->adam = std::make_unique<torch::optim::Adam>(s->model->parameters(), torch::optim::AdamOptions(1e-4));
  s->low = bfloat16_autocast;
  return [s] { s->run(); };
}

std::function<void()> libtorch_adamw(long count) {
  at::set_num_threads(1);
  auto w = std::make_shared<torch::Tensor>(torch::rand({count}).set_requires_grad(true));
  w->mutable_grad() = torch::rand({count}) * 1e-3;
  auto adamw = std::make_shared<torch::optim::AdamW>(std::vector<torch::Tensor>{*w}, torch::optim::AdamWOptions(1e-4));
  auto low = std::make_shared<torch::Tensor>(torch::empty({count}, torch::kBFloat16));
  return [=] {
    const torch::Tensor g = w->grad();
    g.mul_(1.0f);  // unscaled
    if (torch::isfinite(g.sum()).item<bool>()) adamw->step();
    torch::NoGradGuard off;
    low->copy_(*w);
  };
}

std::function<void()> libtorch_cross_entropy(bool bfloat16) {
  at::set_num_threads(1);
  auto x = std::make_shared<torch::Tensor>((3 * torch::randn({4096, 1024})).to(bfloat16 ? at::kBFloat16 : at::kFloat));
  x->set_requires_grad(true);
  auto labels = std::make_shared<torch::Tensor>(torch::arange(4096) % 1024);
  return [=] {
    const auto loss = torch::nn::functional::cross_entropy(*x, *labels);
    torch::autograd::grad({loss}, {*x});
  };
}

std::function<void()> libtorch_gelu_tanh(bool bfloat16) {
  at::set_num_threads(1);
  auto x = std::make_shared<torch::Tensor>((3 * torch::randn({4096, 1024})).to(bfloat16 ? at::kBFloat16 : at::kFloat));
  return [=] {
    torch::NoGradGuard off;
    torch::gelu(*x, "tanh");
  };
}

}  // namespace bench

#else

namespace bench {
std::function<void()> libtorch_step(net, bool) { return {}; }
std::function<void()> libtorch_adamw(long) { return {}; }
std::function<void()> libtorch_cross_entropy(bool) { return {}; }
std::function<void()> libtorch_gelu_tanh(bool) { return {}; }
}  // namespace bench

#endif
