// SPDX-License-Identifier: MIT
//
// What the AdamW programs share: bfloat16 weights and gradients, float32 masters and moments, many steps on few
// parameters, so that little but steps is counted. The sum of the weights' codes shows that all did the same.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

/// `T` is a bfloat16, or the integer of its code.
template <class T>
struct adamw_state {
  static constexpr std::size_t size = 65536;
  static constexpr std::size_t steps = 200;

  std::vector<float> masters = std::vector<float>(size, 0.5f);
  std::vector<float> first = std::vector<float>(size, 0.0f);
  std::vector<float> second = std::vector<float>(size, 0.0f);
  std::vector<T> weights = std::vector<T>(size, std::bit_cast<T>(std::uint16_t{0x3f00}));
  std::vector<T> gradients = std::vector<T>(size);

  adamw_state() {
    for (std::size_t i = 0; i < size; ++i)
      gradients[i] = std::bit_cast<T>(static_cast<std::uint16_t>(0x3c00 + i % 512 + (i & 1) * 0x8000));
  }
  void print() const {
    std::uint64_t sum = 0;
    for (const T& w : weights) sum = sum * 31 + std::bit_cast<std::uint16_t>(w);
    std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  }
};
