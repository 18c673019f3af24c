// SPDX-License-Identifier: MIT
//
// Elementwise results for every code of a 16-bit type: the same bits on the reference backend and on every instruction
// set, forward and backward.
#pragma once

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

template <class T>
using codes = mezzo::tensor<T, mezzo::shape<65536>>;

template <class T>
codes<T> every_code() {
  codes<T> x;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = T::from_bits(static_cast<std::uint16_t>(i));
  return x;
}

template <class T>
std::size_t different(const codes<T>& a, const codes<T>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a.data()[i].bits() != b.data()[i].bits();
  return count;
}

template <class T, class Make>
void check_bits(const Make& make) {
  using namespace mezzo;
  const codes<T> x = every_code<T>();
  codes<T> dy;
  for (std::size_t i = 0; i < dy.size(); ++i) dy.data()[i] = T(0.5f + static_cast<float>(i % 7));
  reference plain;
  codes<T> y;
  codes<T> dx;
  into(plain, y) = make(x);
  into(plain, dx) = gradient(make(x), dy, wrt(x));
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    CAPTURE(static_cast<int>(level));
    cpu fast{.isa = level};
    codes<T> other;
    into(fast, other) = make(x);
    CHECK(different(y, other) == 0);
    into(fast, other) = gradient(make(x), dy, wrt(x));
    CHECK(different(dx, other) == 0);
  }
}

template <class T>
void check_exponentials() {
  check_bits<T>([](auto& x) { return gelu(x); });
  check_bits<T>([](auto& x) { return silu(x); });
  check_bits<T>([](auto& x) { return sigmoid(x); });
  check_bits<T>([](auto& x) { return tanh(x); });
  check_bits<T>([](auto& x) { return exp(x); });
}

template <class T>
void check_other_functions() {
  check_bits<T>([](auto& x) { return relu(x); });
  check_bits<T>([](auto& x) { return -x; });
  check_bits<T>([](auto& x) { return log(x); });
  check_bits<T>([](auto& x) { return sqrt(x); });
  check_bits<T>([](auto& x) { return x * x + 1.5f * x; });
}
