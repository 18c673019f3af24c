// SPDX-License-Identifier: MIT
//
// How fast the NPU model computes values: a product of 512×768×3072 through tiles, layouts and the cube, in every order
// of addition. Prints bench, peer, shape, threads, metric and value.
#include <mezzo/mezzo.hpp>

#include <chrono>
#include <cstdio>

using namespace mezzo;

namespace {

using chip = npu::model<npu::ascend910b1>;
using left = tensor<float16, shape<512, 768>>;
using right = tensor<float16, shape<768, 3072>>;
using result = tensor<float16, shape<512, 3072>>;

template <class T>
void fill(T& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to.data()[i] = float16(static_cast<float>(static_cast<int>(i * 2654435761u >> 22) - 512) / 512);
}

double seconds_of(chip& on, const left& a, const right& b, result& y) {
  const auto start = std::chrono::steady_clock::now();
  into(on, y) = matmul(a, b);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  left a;
  right b;
  result y;
  fill(a);
  fill(b);
  const char* const names[] = {"exact", "pairwise", "sequential"};
  bool fine = true;
  for (int o = 0; o < 3; ++o) {
    chip on{.order = static_cast<npu::summation>(o)};
    double best = seconds_of(on, a, b, y);
    for (int again = 0; again < 2; ++again) {
      const double seconds = seconds_of(on, a, b, y);
      if (seconds < best) best = seconds;
    }
    const double gigaflops = 2e-9 * 512 * 768 * 3072 / best;
    std::printf("npu_values\t%s\t512x768x3072\t1\tGFLOP/s\t%.2f\n", names[o], gigaflops);
    fine = fine && gigaflops >= 0.2;
  }
  const auto start = std::chrono::steady_clock::now();
  const npu::product_task task{.m = 512, .n = 3072, .k = 768};
  const npu::kernel_cost cost = npu::cost_product(npu::ascend910b1, task);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("npu_values\tplan and cost\t512x768x3072\t1\tms\t%.3f\n", ms);
  return fine && ms < 10 && cost.microseconds > 0 ? 0 : 1;
}
