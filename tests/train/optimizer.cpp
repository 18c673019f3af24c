// SPDX-License-Identifier: MIT
// not under -Ofast: the plain loops would round in another order.
#include <mezzo/train/optimizer.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

using namespace mezzo;

namespace {

template <class T>
bool same_bits(const heap_array<T>& a, const heap_array<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a[i]) != bits_of(b[i])) return false;
  return true;
}
template <class T>
heap_array<T> drawn(std::size_t size, std::uint64_t seed, float low, float high) {
  heap_array<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = convert<T>(low + (high - low) * counter_uniform(seed, i));
  return values;
}

/// Parameters with all that an optimizer keeps for them.
template <class P>
struct state {
  heap_array<P> parameters;
  heap_array<float> masters, first, second;

  explicit state(std::size_t size)
      : parameters(drawn<P>(size, 1, -1, 1)),
        masters(drawn<float>(size, 1, -1, 1)),
        first(drawn<float>(size, 2, -1, 1)),
        second(drawn<float>(size, 3, 0, 1)) {}

  friend bool operator==(const state& a, const state& b) {
    return same_bits(a.parameters, b.parameters) && same_bits(a.masters, b.masters) && same_bits(a.first, b.first) &&
           same_bits(a.second, b.second);
  }
};

template <class Optimizer>
float updated(const typename Optimizer::coefficients& c, float w, float g, float& m, float& v) {
  if constexpr (Optimizer::moments == 2)
    return Optimizer::update(c, w, g, m, v);
  else
    return Optimizer::update(c, w, g, m);
}

/// What the kernel does, element after element.
template <class Optimizer, bool Masters, class P, class G>
void plain_step(const Optimizer& rule, state<P>& s, const heap_array<G>& g, float factor) {
  for (std::size_t i = 0; i < g.size(); ++i) {
    const float w = Masters ? s.masters[i] : convert<float>(s.parameters[i]);
    const float next = updated<Optimizer>(rule.at(3), w, convert<float>(g[i]) * factor, s.first[i], s.second[i]);
    if (Masters) s.masters[i] = next;
    s.parameters[i] = convert<P>(next);
  }
}

template <class Optimizer, bool Masters, class P, class G, class Factor, class Backend>
void kernel_step(Backend& on, const Optimizer& rule, state<P>& s, const heap_array<G>& g, const Factor& factor) {
  const optimizer_kernel<Optimizer, P, G, Factor, Masters> kernel{
      rule.at(3), factor, g.size(), s.parameters.data(), s.masters.data(), g.data(), s.first.data(), s.second.data()};
  static_cast<void>(on.run(kernel));
}

/// Three steps of the kernel on a backend and of the plain loop agree bit for bit, with a factor and without one.
template <class Optimizer, class P, class G, bool Masters, class Backend>
void compare(Backend on, const Optimizer& rule) {
  for (const std::size_t size : {1u, 37u, 16384u + 5u}) {
    const auto g = drawn<G>(size, 4, -2, 2);
    state<P> factored(size);
    state<P> plain_factored(size);
    state<P> bare(size);
    state<P> plain_bare(size);
    for (int step = 0; step < 3; ++step) {
      kernel_step<Optimizer, Masters>(on, rule, factored, g, gradient_factor{0.3f});
      plain_step<Optimizer, Masters>(rule, plain_factored, g, 0.3f);
      kernel_step<Optimizer, Masters>(on, rule, bare, g, no_factor{});
      plain_step<Optimizer, Masters>(rule, plain_bare, g, 1.0f);
    }
    CHECK(factored == plain_factored);
    CHECK(bare == plain_bare);
    if (Masters) {
      heap_array<P> narrowed(size);
      for (std::size_t i = 0; i < size; ++i) narrowed[i] = convert<P>(factored.masters[i]);
      CHECK(same_bits(factored.parameters, narrowed));
    }
  }
}

static_assert(optimizer<sgd> && optimizer<adam> && optimizer<adamw> && !optimizer<int>);

}  // namespace

TEST_CASE("one pass is the loop over parameters, masters and moments") {
  const adam rule{.learning_rate = 0.1f, .weight_decay = 0.1f};
  compare<adam, float, float, false>(cpu{}, rule);
  compare<adam, float16, float16, true>(cpu{}, rule);
  compare<adam, bfloat16, bfloat16, false>(cpu{}, rule);
}

TEST_CASE("rules with one moment, and sums of gradients in float32") {
  const sgd rule{.learning_rate = 0.1f, .momentum = 0.9f, .nesterov = true};
  compare<sgd, float, float, false>(reference{}, rule);
  compare<sgd, bfloat16, float, true>(reference{}, rule);
  compare<sgd, float16, float, false>(reference{}, rule);
  compare<sgd, bfloat16, float, true>(cpu{}, rule);
}

TEST_CASE("a decay too small for bfloat16 acts on the masters") {
  constexpr sgd rule{.learning_rate = 1, .weight_decay = 1e-5f};
  const heap_array<bfloat16> zero(1);
  state<bfloat16> kept(1);
  state<bfloat16> lost(1);
  kept.masters[0] = 1;
  kept.first[0] = lost.first[0] = 0;
  kept.parameters[0] = lost.parameters[0] = bfloat16(1.0f);
  reference on;
  for (int step = 0; step < 10000; ++step) {
    kernel_step<sgd, true>(on, rule, kept, zero, no_factor{});
    kernel_step<sgd, false>(on, rule, lost, zero, no_factor{});
  }
  // (1 − 1e-5)^10000 = 0.90484; float32 rounds ten thousand times on the way.
  CHECK(std::fabs(double(kept.masters[0]) - 0.90484) < 2e-4);
  CHECK(float(kept.parameters[0]) == float(bfloat16(kept.masters[0])));
  CHECK(float(lost.parameters[0]) == 1.0f);
}

TEST_CASE("gradients that are all zero are a step like any other") {
  const heap_array<float16> zero(100);
  reference on;
  state<float16> s(100);
  const state<float16> before = s;
  s.first = heap_array<float>(100);
  s.second = heap_array<float>(100);
  kernel_step<adam, true>(on, adam{}, s, zero, gradient_factor{0x1p-16f});
  CHECK(same_bits(s.masters, before.masters));
  CHECK(same_bits(s.parameters, before.parameters));
}

TEST_CASE("a gradient below the smallest float16 survives with its scale") {
  // 2^-25 is 0 in float16; scaled by 2^16 it is 2^-9, and it is divided in float32 as it is read.
  const heap_array<float16> g = drawn<float16>(1, 0, 0x1p-9f, 0x1p-9f);
  REQUIRE(float(float16(0x1p-25f)) == 0.0f);
  state<float> s(1);
  s.parameters[0] = s.first[0] = 0;
  reference on;
  kernel_step<sgd, false>(on, sgd{.learning_rate = 1}, s, g, gradient_factor{0x1p-16f});
  CHECK(s.parameters[0] == -0x1p-25f);
}

TEST_CASE("sums over micro-batches are float32") {
  reference on;
  const auto sum_of = [&](float first, float other, int count) {
    float sum = 0;
    const auto add = [&](float value, bool is_first) {
      const bfloat16 g(value);
      const tally seen = on.run(accumulate_kernel<bfloat16>{1, &sum, &g, 1.0f, is_first, inspection::finite_and_norm});
      CHECK(seen.squares == double(sum) * double(sum));
      CHECK(!seen.non_finite);
    };
    add(first, true);
    for (int i = 0; i < count; ++i) add(other, false);
    return sum;
  };
  CHECK(sum_of(1, 1, 511) == 512.0f);
  CHECK(sum_of(1, 0x1p-9f, 1000) == 2.953125f);
  CHECK(sum_of(0.01f, 0.01f, 255) == 2.5625f);
}

TEST_CASE("a sum that leaves float32 is seen, and the first micro-batch overwrites the last step's sum") {
  reference on;
  float sum = std::bit_cast<float>(0x7fc00000u);
  const float g = 0x1p127f;
  const auto add = [&](bool first) {
    return on.run(accumulate_kernel<float>{1, &sum, &g, 1, first, inspection::finite});
  };
  CHECK(!add(true).non_finite);
  CHECK(sum == 0x1p127f);
  CHECK(add(false).non_finite);
}
