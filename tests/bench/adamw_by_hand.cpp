// SPDX-License-Identifier: MIT
//
// AdamW as a loop that its author wrote for this one case: no scaler, no library, the same arithmetic with the same
// roundings, compiled for the instruction set that the library chooses under valgrind.
#include "adamw.hpp"

#include <bit>
#include <cmath>

namespace {

#if defined(__clang__)
#define TARGET [[gnu::target("avx2,fma,bmi2")]]
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TARGET \
  [[gnu::target("avx2,fma,bmi2"), gnu::optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")]]
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

struct coefficients {
  float beta1, rest1, beta2, rest2, step, correction, epsilon, kept;
};

TARGET void update(const coefficients c, const std::size_t size, float* w, float* m, float* v, std::uint16_t* p,
                   const std::uint16_t* g) {
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
  INDEPENDENT
  for (std::size_t i = 0; i < size; ++i) {
    const float gradient = std::bit_cast<float>(static_cast<std::uint32_t>(g[i]) << 16);
    const float m1 = c.beta1 * m[i] + c.rest1 * gradient;
    const float v1 = c.beta2 * v[i] + c.rest2 * (gradient * gradient);
    m[i] = m1;
    v[i] = v1;
    const float w1 = w[i] * c.kept - c.step * (m1 / (std::sqrt(v1) * c.correction + c.epsilon));
    w[i] = w1;
    const auto code = std::bit_cast<std::uint32_t>(w1);
    const std::uint32_t rounded = (code + 0x7fff + ((code >> 16) & 1)) >> 16;
    const std::uint32_t quiet = code >> 16 | 0x40;
    p[i] = static_cast<std::uint16_t>((code & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
  }
}

}  // namespace

int main() {
  using state = adamw_state<std::uint16_t>;
  state s;
  double power1 = 1, power2 = 1;
  for (std::size_t step = 1; step <= state::steps; ++step) {
    power1 *= 0.9;
    power2 *= 0.999;
    const double rate = static_cast<double>(1e-3f), decay = static_cast<double>(0.01f);
    update({0.9f, static_cast<float>(1 - 0.9), 0.999f, static_cast<float>(1 - 0.999),
            static_cast<float>(rate / (1 - power1)), static_cast<float>(1 / std::sqrt(1 - power2)), 1e-8f,
            static_cast<float>(1 - rate * decay)},
           state::size, s.masters.data(), s.first.data(), s.second.data(), s.weights.data(), s.gradients.data());
  }
  s.print();
}
