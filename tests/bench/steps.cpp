// SPDX-License-Identifier: MIT
//
// Whole training steps, forward, backward and Adam: a small convolutional network on batches of 32 and a perceptron on
// batches of 128, in float32 and in mixed bfloat16 and float16; the same by libtorch and dlib where they are installed.
#include "ceilings.hpp"
#include "network_peers.hpp"
#include "timing.hpp"

#include <mezzo/mezzo.hpp>
#include <mezzo/parallel/thread_pool.hpp>

#include <cstring>
#include <memory>

namespace {

using namespace mezzo;

using cnn = sequential<input<1, 28, 28>, conv2d<32, 3, same>, relu_layer, flatten, dense<10>>;
using perceptron = sequential<input<784>, dense<512>, relu_layer, dense<512>, relu_layer, dense<10>>;

/// Operations of one step, in 1e9: forward, and twice as many backward but for the gradient of the input.
constexpr double cnn_work(double batch) { return 2e-9 * batch * (2 * 9.0 * 32 * 784 + 3 * 25088.0 * 10); }
constexpr double perceptron_work(double batch) {
  return 2e-9 * batch * (2 * 784.0 * 512 + 3 * 512.0 * 512 + 3 * 512.0 * 10);
}

template <class Net, class Policy>
void add(bench::round_robin& bench, const char* name, const cpu& on, std::size_t batch, double work) {
  using trainer_type = trainer<Net, cross_entropy_loss, adam, Policy, cpu>;
  auto t = std::make_shared<trainer_type>(adam{.learning_rate = 1e-4f}, on);
  auto x = std::make_shared<std::vector<float>>(batch * model<Net, Policy, cpu>::sample_size);
  auto y = std::make_shared<std::vector<std::int32_t>>(batch);
  for (std::size_t i = 0; i < x->size(); ++i) (*x)[i] = bench::number(i, 3);
  for (std::size_t i = 0; i < batch; ++i) (*y)[i] = static_cast<std::int32_t>(i * 7 % 10);
  bench.add(name, work, [=] {
    using batch_type = typename Net::batch_type;
    const view<const float, batch_type> samples(x->data(), batch_type(batch));
    const view<const std::int32_t, shape<dynamic_extent>> labels(y->data(), shape<dynamic_extent>(batch));
    const auto outcome = t->step(unscale(t->backward(samples, labels)));
    t->update(outcome);
  });
}

template <class Net>
void measure(const char* name, bench::net which, std::size_t batch, double work, const cpu& on, int threads,
             bench::ratios& against) {
  bench::round_robin bench("step", name, threads, "gflops");
  add<Net, policies::O0<>>(bench, "mezzo O0", on, batch, work);
  add<Net, policies::O2<bfloat16>>(bench, "mezzo O2-bfloat16", on, batch, work);
  add<Net, policies::O2<float16>>(bench, "mezzo O2-float16", on, batch, work);
  const std::pair<const char*, std::function<void()>> peers[] = {
      {"libtorch", bench::libtorch_step(which, false)},
      {"libtorch bfloat16 autocast", bench::libtorch_step(which, true)},
      {"dlib", bench::dlib_step(which)}};
  for (const auto& [peer, run] : peers)
    if (run && threads == 1) bench.add(peer, work, run);
  bench.add("multiply-add ceiling", bench::multiply_add_loop::work(on.isa), [&] { bench::run_multiply_adds(on.isa); });
  bench.measure(2);
  for (const bench::contender& c : bench.entries()) {
    if (c.name.ends_with("ceiling")) continue;
    for (const auto& [peer, run] : peers)
      if (c.name.starts_with("mezzo") && bench.best(peer) > 0)
        against.add(std::string(name) + " " + c.name + " against " + peer, c.best() / bench.best(peer));
    bench.print(c.name, "ms_best", 1e3 * c.work / c.best());
    bench.print(c.name, "ms_med", 1e3 * c.work / c.median());
    const std::string what = std::string(name) + " " + c.name;
    against.add(what + " of multiply-add ceiling", c.best() / bench.best("multiply-add ceiling"));
    against.add(what + " against own O0", c.best() / bench.best("mezzo O0"));
  }
}

}  // namespace

int main(int count, char** arguments) {
  int threads = 1;
  for (int i = 1; i + 1 < count; i += 2)
    if (std::strcmp(arguments[i], "--threads") == 0) threads = std::atoi(arguments[i + 1]);
  thread_pool pool(static_cast<std::size_t>(threads > 1 ? threads : 1));
  cpu on;
  if (threads > 1) on.executor = pool;
  bench::ratios against;
  measure<cnn>("cnn_b32", bench::net::cnn, 32, cnn_work(32), on, threads, against);
  measure<perceptron>("mlp_b128", bench::net::perceptron, 128, perceptron_work(128), on, threads, against);
  against.print("mezzo, best samples");
}
