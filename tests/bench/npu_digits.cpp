// SPDX-License-Identifier: MIT
//
// The digits, trained in float16 O2 on the NPU model: in both overflow modes and all orders of addition, beside the cpu
// backend; and the steps that a scaler skips which starts at 2^24 and grows after 50 clean ones. Prints bench, peer,
// shape, threads, metric and value.
#include "../../examples/optdigits.hpp"

#include <mezzo/mezzo.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace mezzo;

namespace {

using net = sequential<input<1, 8, 8>, conv2d<16, 3, same>, relu_layer, max_pool<2>, flatten, dense<10>>;
using policy = policies::O2<float16>;
using digits = array_dataset<std::uint8_t, std::uint8_t>;

struct split {
  std::vector<std::uint8_t> pixels, labels;
  [[nodiscard]] digits data() const {
    return {pixels.data(), labels.data(), labels.size(), optdigits::pixels, 1.0f / 16};
  }
};

/// Of each class every fifth is for testing.
split part(bool testing) {
  split s;
  int seen[10] = {};
  for (const auto& sample : optdigits::samples) {
    const int digit = sample[optdigits::pixels] - '0';
    if ((seen[digit]++ % 5 == 4) != testing) continue;
    for (int p = 0; p < optdigits::pixels; ++p) s.pixels.push_back(static_cast<std::uint8_t>(sample[p] - 'a'));
    s.labels.push_back(static_cast<std::uint8_t>(digit));
  }
  return s;
}

void print(const std::string& name, const char* metric, double value) {
  std::printf("npu_digits\t%s\t1797x8x8\t1\t%s\t%.4f\n", name.c_str(), metric, value);
  std::fflush(stdout);
}

/// Trains with a scale; returns the accuracy in per cent, and the outcomes of the first steps.
template <class Backend>
double train(const Backend& on, const dynamic_scale& scale, std::uint64_t seed, std::size_t epochs,
             std::string* outcomes = nullptr) {
  static const split training = part(false), testing = part(true);
  using trainer_type = trainer<net, cross_entropy_loss, adam, policy, Backend>;
  typename trainer_type::setup how{.seed = seed};
  how.scale = scale;
  trainer_type t{{.learning_rate = 2e-3f}, on, how};
  static_cast<void>(t.fit(training.data(), {.epochs = epochs, .batch = 32, .seed = seed}, [&](const step_progress& p) {
    if (outcomes != nullptr && outcomes->size() < 20) *outcomes += p.outcome.ran() ? 'r' : 's';
  }));
  return 100 * t.evaluate(testing.data(), 32).accuracy();
}

template <class Backend>
double mean_accuracy(const Backend& on, const dynamic_scale& scale, std::size_t seeds, std::size_t epochs) {
  double sum = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) sum += train(on, scale, seed, epochs);
  return sum / static_cast<double>(seeds);
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t seeds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 2;
  const std::size_t epochs = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 30;
  const double on_cpu = mean_accuracy(cpu{}, {}, seeds, epochs);
  print("cpu", "accuracy", on_cpu);
  std::string expected;
  static_cast<void>(train(cpu{}, {.scale = 0x1p24f, .interval = 50}, 0, 1, &expected));
  std::printf("npu_digits\tcpu\t20 steps\t1\toutcomes\t%s\n", expected.c_str());

  using chip = npu::model<npu::ascend910b1>;
  bool fine = true;
  const char* const orders[] = {"exact", "pairwise", "sequential"};
  for (int o = 0; o < 3; ++o)
    for (const npu::overflow_mode mode : {npu::overflow_mode::infinity, npu::overflow_mode::saturation}) {
      const chip on{.order = static_cast<npu::summation>(o), .mode = mode};
      const std::string name =
          std::string(orders[o]) + (mode == npu::overflow_mode::infinity ? " INF/NAN" : " saturation");
      const auto start = std::chrono::steady_clock::now();
      const double accuracy = mean_accuracy(on, {}, seeds, epochs);
      print(name, "accuracy", accuracy);
      print(name, "seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      std::string outcomes;
      static_cast<void>(train(on, {.scale = 0x1p24f, .interval = 50}, 0, 1, &outcomes));
      std::printf("npu_digits\t%s\t20 steps\t1\toutcomes\t%s\n", name.c_str(), outcomes.c_str());
      fine = fine && accuracy > on_cpu - 0.5 && outcomes == expected;
    }
  return fine ? 0 : 1;
}
