// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/summation.hpp>

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/convert.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace mezzo;
using npu::summation;

namespace {

/// Sum of products of float16 as a multiple of 2^-48, which each of them is; in two words, since 85 bits are needed.
struct fixed {
  std::int64_t high = 0, low = 0;  // high·2^40 + low
  void add(float16 a, float16 b) {
    int ea, eb;
    const double ma = std::frexp(static_cast<double>(static_cast<float>(a)), &ea);
    const double mb = std::frexp(static_cast<double>(static_cast<float>(b)), &eb);
    const auto m = static_cast<std::int64_t>(std::ldexp(ma, 11) * std::ldexp(mb, 11));  // times 2^(ea + eb - 22)
    const int shift = ea + eb - 22 + 48;
    if (m == 0) return;
    if (shift >= 40)
      high += m * (std::int64_t{1} << (shift - 40));
    else if (shift >= 0)
      low += m * (std::int64_t{1} << shift);
    else
      low += m / (std::int64_t{1} << -shift);  // what is cut is zeros
  }
  /// Rounded to float32 by long double, whose 64 bits hold the sums of this test.
  float rounded() const {
    return static_cast<float>(std::ldexp(static_cast<long double>(high), -8) +
                              std::ldexp(static_cast<long double>(low), -48));
  }
};

struct step {
  std::vector<float> a = std::vector<float>(256), b = std::vector<float>(256), c = std::vector<float>(256);

  explicit step(std::uint64_t seed, int spread) {
    for (std::size_t i = 0; i < 256; ++i) {
      a[i] = number(counter_bits(seed, i), spread);
      b[i] = number(counter_bits(seed, 256 + i), spread);
    }
  }
  static float number(std::uint64_t bits, int spread) {
    const float m = static_cast<float>(1024 + bits % 1024) / 1024;
    const int e = static_cast<int>(bits / 1024 % static_cast<unsigned>(2 * spread + 1)) - spread;
    return std::ldexp((bits >> 40 & 1) != 0 ? -m : m, e);
  }
  template <summation Order>
  void run() {
    npu::detail::run_cube(npu::detail::cube_blocks<Order, 16, float>{a.data(), b.data(), c.data(), 1, 1, 1});
  }
};

}  // namespace

TEST_CASE("exact: sixteen products of float16 are summed without an error and rounded once") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    step s(seed, 6);
    s.run<summation::exact>();
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t j = 0; j < 16; ++j) {
        fixed sum;
        for (std::size_t k = 0; k < 16; ++k) sum.add(float16(s.a[i * 16 + k]), float16(s.b[k * 16 + j]));
        REQUIRE(s.c[i * 16 + j] == sum.rounded());
      }
  }
}

TEST_CASE("sequential and pairwise round each addition to float32") {
  step s(7, 6);
  step t = s;
  s.run<summation::sequential>();
  t.run<summation::pairwise>();
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      float sum = 0, tree[16];
      for (std::size_t k = 0; k < 16; ++k) {
        tree[k] = s.a[i * 16 + k] * s.b[k * 16 + j];  // 22 bits: exact
        sum += tree[k];
      }
      for (std::size_t n = 16; n > 1; n /= 2)
        for (std::size_t k = 0; k < n / 2; ++k) tree[k] = tree[2 * k] + tree[2 * k + 1];
      REQUIRE(s.c[i * 16 + j] == sum);
      REQUIRE(t.c[i * 16 + j] == tree[0]);
    }
}

TEST_CASE("a sum is rounded once even where a double would lie on a tie") {
  // 1 + 2^-24 is half way between two float32 numbers; what follows decides.
  using npu::detail::round_once;
  static_assert(round_once(1 + 0x1p-24, 0x1p-60) == 1 + 0x1p-23f);
  static_assert(round_once(1 + 0x1p-24, -0x1p-60) == 1);
  static_assert(round_once(1 + 0x1p-24, 0) == 1);
  static_assert(round_once(-1 - 0x1p-24, -0x1p-60) == -1 - 0x1p-23f);
  CHECK(npu::detail::sum_once(1, 0x1p-24) == 1);
  CHECK(npu::detail::sum_once(1 + 0x1p-23, 0x1p-24) == 1 + 0x1p-22f);
}

TEST_CASE("infinities and NaNs pass in every order") {
  const auto sum = [](auto order, float x, float y) {
    step s(1, 1);
    for (std::size_t k = 0; k < 16; ++k) s.a[k] = s.b[k * 16] = 0;
    s.a[0] = x, s.b[0] = 1;
    s.a[1] = y, s.b[16] = 1;
    s.template run<decltype(order)::value>();
    return s.c[0];
  };
  const float inf = std::numeric_limits<float>::infinity();
  const auto all = [&](auto order) {
    CHECK(sum(order, inf, 1) == inf);
    CHECK(sum(order, -inf, 1) == -inf);
    CHECK(non_finite(sum(order, inf, -inf)));
  };
  all(std::integral_constant<summation, summation::exact>{});
  all(std::integral_constant<summation, summation::pairwise>{});
  all(std::integral_constant<summation, summation::sequential>{});
}

TEST_CASE("integers are exact") {
  std::vector<std::int32_t> a(512), b(512), c(256);
  for (std::size_t i = 0; i < 512; ++i) {
    a[i] = static_cast<std::int8_t>(counter_bits(3, i));
    b[i] = static_cast<std::int8_t>(counter_bits(4, i));
  }
  npu::detail::run_cube(
      npu::detail::cube_blocks<summation::exact, 32, std::int32_t>{a.data(), b.data(), c.data(), 1, 1, 1});
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum += a[i * 32 + k] * b[k * 16 + j];
      REQUIRE(c[i * 16 + j] == sum);
    }
}
