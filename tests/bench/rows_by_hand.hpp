// SPDX-License-Identifier: MIT
//
// Loops over rows of 1,024 as one writes them by hand for AVX-512, compiled for the machine at hand: what a library
// has to reach. Null where the machine has no AVX-512 BF16.
#pragma once

#include <cstdint>

namespace by_hand {

constexpr int length = 1024;

/// Row r of each; bfloat16 as its bits.
template <class T>
struct loops {
  void (*softmax)(const T* x, T* y) = nullptr;
  void (*softmax_gradient)(const T* y, const T* dy, T* dx) = nullptr;
  void (*layer_norm)(const T* x, T* y, const float* gain, const float* shift, float* mean, float* scale) = nullptr;
  void (*layer_norm_gradient)(const T* x, const T* dy, T* dx, const float* gain, float mean, float scale, float* dgain,
                              float* dshift) = nullptr;
  void (*gelu)(const T* x, T* y) = nullptr;
  void (*gelu_gradient)(const T* x, const T* dy, T* dx) = nullptr;
  void (*gelu_tanh)(const T* x, T* y) = nullptr;
  float (*cross_entropy)(const T* x, int label, T* dx, float factor) = nullptr;
};

loops<float> float32_loops();
loops<std::uint16_t> bfloat16_loops();

}  // namespace by_hand
