// SPDX-License-Identifier: MIT
//
// What bias, GELU (both forms) and narrowing cost behind a product of 512×768×3072: time of the fused expression as a
// multiple of the bare product's, side by side in one run.
#include "timing.hpp"

#include <mezzo/mezzo.hpp>

namespace {

using namespace mezzo;

constexpr std::size_t m = 512, k = 768, n = 3072;
constexpr double work = 2e-9 * m * k * n;

template <class T>
void fill(T& to, std::uint64_t seed, float scale = 1) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to.data()[i] = std::remove_cvref_t<decltype(to.data()[i])>(bench::number(i, seed) * scale);
}

template <class T>
void measure(const char* name, bench::ratios& against) {
  tensor<T, shape<m, k>> x;
  tensor<T, shape<k, n>> w;
  tensor<T, shape<n>> b;
  tensor<float, shape<m, n>> sums;
  tensor<T, shape<m, n>> same;
  tensor<bfloat16, shape<m, n>> narrow;
  fill(x, 1), fill(w, 2, 0.1f), fill(b, 3);  // results about 1 large, as activations are
  cpu on;
  using policy = std::conditional_t<std::same_as<T, float>, policies::native, policies::O2<bfloat16>>;
  bench::round_robin bench("epilogue", "512x768x3072 " + std::string(name), 1, "gflops");
  bench.add("bare product", work, [&] { into(on, same) = autocast<policy>(matmul(x, w)); });
  bench.add("bias, gelu, narrowing", work, [&] { into(on, narrow) = autocast<policy>(gelu(linear(x, w, b))); });
  bench.add("bias, gelu_tanh, narrowing", work,
            [&] { into(on, narrow) = autocast<policy>(gelu_tanh(linear(x, w, b))); });
  bench.add("bias, relu, narrowing", work, [&] { into(on, narrow) = autocast<policy>(relu(linear(x, w, b))); });
  bench.measure(3);
  for (const bench::contender& c : bench.entries())
    if (c.name != "bare product")
      against.add(std::string(name) + " " + c.name + ", time", bench.best("bare product") / c.best());
}

}  // namespace

int main() {
  bench::ratios against;
  measure<float>("float32", against);
  measure<bfloat16>("bfloat16", against);
  measure<float16>("float16", against);
  against.print("mezzo, best samples");
}
