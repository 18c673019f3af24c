// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/cpu.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <thread>
#include <vector>

using namespace mezzo;

namespace {

/// One thread for each call.
struct threads {
  std::size_t lanes;

  [[nodiscard]] std::size_t concurrency() const { return lanes; }
  template <class F>
  void parallel(std::size_t count, const F& f) {
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < count; ++i) running.emplace_back([&f, i] { f(i); });
    for (std::thread& t : running) t.join();
  }
};

using inputs = tensor<float, shape<130, 40>>;
using weights = tensor<float, shape<40, 150>>;
using outputs = tensor<float, shape<130, 150>>;
using bias = tensor<float, shape<150>>;

template <class Tensor>
Tensor random(std::uint64_t seed) {
  Tensor t;
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = counter_uniform(seed, i) - 0.5f;
  return t;
}
template <class Tensor>
bool same(const Tensor& a, const Tensor& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a.data()[i]) != bits_of(b.data()[i])) return false;
  return true;
}

/// Everything that a step does: a fused product, gradients that are summed over rows, a reduction.
struct step {
  inputs x = random<inputs>(1);
  weights w = random<weights>(2);
  bias b = random<bias>(3);
  outputs dy = random<outputs>(4);
  outputs y{};
  inputs dx{};
  weights dw{};
  bias db{};
  bias sums{};

  void run(cpu& on) {
    into(on, y) = relu(linear(x, w, b));
    into(on, dx, dw, db) = gradient(relu(linear(x, w, b)), dy, wrt(x, w, b));
    into(on, sums) = sum<0>(y);
  }
  [[nodiscard]] bool equals(const step& other) const {
    return same(y, other.y) && same(dx, other.dx) && same(dw, other.dw) && same(db, other.db) && same(sums, other.sums);
  }
};

}  // namespace

TEST_CASE("any number of threads gives the same bits") {
  for (isa level : {isa::baseline, isa::avx512}) {
    step alone;
    cpu one{.isa = level};
    alone.run(one);
    for (std::size_t lanes : {1u, 2u, 3u, 64u}) {
      threads host{lanes};
      cpu several{.executor = host, .isa = level};
      step shared;
      shared.run(several);
      CAPTURE(lanes);
      CHECK(shared.equals(alone));
    }
  }
}

TEST_CASE("products agree with the reference within the bound of their sums") {
  step s;
  cpu fast;
  s.run(fast);
  outputs y;
  reference plain;
  into(plain, y) = relu(linear(s.x, s.w, s.b));
  // Two orders of 40 terms below 1/4 and a bias: at most 2·41 roundings of 2^-24 times a sum below 41/4.
  for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(std::fabs(y.data()[i] - s.y.data()[i]) <= 82 * 0x1p-24f * 10.25f);
}

TEST_CASE("after warm-up a step takes no memory") {
  step s;
  cpu on;
  s.run(on);
  s.run(on);
  const std::size_t warm = on.memory.capacity();
  for (int i = 0; i < 3; ++i) s.run(on);
  CHECK(on.memory.capacity() == warm);
  CHECK(cpu(on).memory.capacity() == 0);
}

TEST_CASE("a cap above the machine is the machine, and 16-bit products are widened where it has no better way") {
  const cpu on;
  CHECK(on.isa == detect_isa());
  CHECK(on.native<float>());
  CHECK(on.native<double>());
  CHECK(on.native<bfloat16>() == (detect_isa() == isa::avx512_bf16));
  CHECK(!on.native<float16>());
}
