// SPDX-License-Identifier: MIT
//
// What tests of products and of threads share.
#pragma once

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/convert.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// A host that runs its calls one after another, the last first.
struct backwards_host {
  std::size_t lanes = 1;
  int calls = 0;

  [[nodiscard]] std::size_t concurrency() const { return lanes; }
  template <class F>
  void parallel(std::size_t count, F&& f) {
    ++calls;
    for (std::size_t i = count; i-- > 0;) f(i);
  }
};

/// Whole numbers in [-8, 8]: sums of a few thousand of their products are exact in float32, in any order.
template <class T>
std::vector<T> whole_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = mezzo::convert<T>(static_cast<float>(mezzo::counter_below(seed, i, 17)) - 8.0f);
  return values;
}
