// SPDX-License-Identifier: MIT
#include <mezzo/store/gather_attention.hpp>

#include "../backend/cpu/host.hpp"
#include "check_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

constexpr std::size_t batch = 2, heads = 2, queries = 130, keys = 150, width = 8, value_width = 6;
using query_tensor = floats<batch, queries, heads * width>;
using key_tensor = floats<batch, keys, heads * width>;
using value_tensor = floats<batch, keys, heads * value_width>;
using result_tensor = floats<batch, queries, heads * value_width>;

/// Result and gradients by the definition, in double.
struct expected {
  std::vector<double> y, dq, dk, dv;

  template <class Mask>
  expected(Mask, const query_tensor& q, const key_tensor& k, const value_tensor& v, const result_tensor& dy)
      : y(dy.size()), dq(q.size()), dk(k.size()), dv(v.size()) {
    const double scale = 1 / std::sqrt(double(width));
    for (std::size_t n = 0; n < batch; ++n)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < queries; ++i) {
          const std::size_t seen = Mask::visible(i, keys);
          std::vector<double> p(seen), g(seen);
          double total = 0, along = 0;
          for (std::size_t j = 0; j < seen; ++j) {
            for (std::size_t d = 0; d < width; ++d) p[j] += double(q(n, i, h * width + d)) * k(n, j, h * width + d);
            total += p[j] = std::exp(scale * p[j]);
          }
          for (std::size_t j = 0; j < seen; ++j) {
            p[j] /= total;
            for (std::size_t e = 0; e < value_width; ++e) {
              const std::size_t at = (n * queries + i) * heads * value_width + h * value_width + e;
              y[at] += p[j] * v(n, j, h * value_width + e);
              g[j] += double(dy.data()[at]) * v(n, j, h * value_width + e);
              dv[(n * keys + j) * heads * value_width + h * value_width + e] += p[j] * dy.data()[at];
            }
            along += p[j] * g[j];
          }
          for (std::size_t j = 0; j < seen; ++j)
            for (std::size_t d = 0; d < width; ++d) {
              const double ds = scale * p[j] * (g[j] - along);
              dq[(n * queries + i) * heads * width + h * width + d] += ds * k(n, j, h * width + d);
              dk[(n * keys + j) * heads * width + h * width + d] += ds * q(n, i, h * width + d);
            }
        }
  }
};

template <class Tensor>
bool within(const Tensor& a, const std::vector<double>& b, double bound) {
  bool all = true;
  for (std::size_t i = 0; i < a.size(); ++i) all = all && std::fabs(double(a.data()[i]) - b[i]) <= bound;
  return all;
}

struct results {
  result_tensor y;
  query_tensor dq;
  key_tensor dk;
  value_tensor dv;

  template <class Mask, class Backend>
  void run(Backend& on, Mask, const query_tensor& q, const key_tensor& k, const value_tensor& v,
           const result_tensor& dy) {
    into(on, y) = attention<heads, Mask>(q, k, v);
    into(on, dq, dk, dv) = gradient(attention<heads, Mask>(q, k, v), dy, wrt(q, k, v));
  }
  [[nodiscard]] bool operator==(const results& other) const {
    const auto same = [](const auto& a, const auto& b) {
      bool equal = true;
      for (std::size_t i = 0; i < a.size(); ++i) equal = equal && a.data()[i] == b.data()[i];
      return equal;
    };
    return same(y, other.y) && same(dq, other.dq) && same(dk, other.dk) && same(dv, other.dv);
  }
};

struct inputs {
  query_tensor q = uniform<query_tensor>(1);
  key_tensor k = uniform<key_tensor>(2);
  value_tensor v = uniform<value_tensor>(3);
  result_tensor dy = uniform<result_tensor>(4);
};

// Numbers below 1 and weights that sum to 1: a score has 8 terms and a weight's error is that of its exponential, some
// 20 units; sums of up to 150 terms below 1 for a result, twice that through a gradient's product.
constexpr double tolerance = 400 * 0x1p-24;

}  // namespace

TEST_CASE("several blocks of queries agree with the definition, on every instruction set and for any threads") {
  const inputs in;
  const auto check = [&](auto mask) {
    const expected e(mask, in.q, in.k, in.v, in.dy);
    for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
      cpu alone{.isa = level};
      results r;
      r.run(alone, mask, in.q, in.k, in.v, in.dy);
      CHECK(within(r.y, e.y, tolerance));
      CHECK(within(r.dq, e.dq, tolerance));
      CHECK(within(r.dk, e.dk, tolerance));
      CHECK(within(r.dv, e.dv, tolerance));
      backwards_host host{3};
      cpu several{.executor = host, .isa = level};
      results shared;
      shared.run(several, mask, in.q, in.k, in.v, in.dy);
      CHECK(shared == r);
    }
  };
  check(no_mask{});
  check(causal_mask{});
}

TEST_CASE("a part of the gradients is the same part when it is asked for alone") {
  const inputs in;
  cpu on;
  results all, some;
  all.run(on, causal_mask{}, in.q, in.k, in.v, in.dy);
  const auto e = attention<heads, causal_mask>(in.q, in.k, in.v);
  some.y = all.y;
  into(on, some.dq) = gradient(e, in.dy, wrt(in.q));
  into(on, some.dk) = gradient(e, in.dy, wrt(in.k));
  into(on, some.dv) = gradient(e, in.dy, wrt(in.v));
  CHECK(some == all);
}

TEST_CASE("bfloat16 operands and weights, float32 sums") {
  const inputs in;
  tensor<bfloat16, query_tensor::extents_type> q;
  tensor<bfloat16, key_tensor::extents_type> k;
  tensor<bfloat16, value_tensor::extents_type> v;
  tensor<bfloat16, result_tensor::extents_type> y;
  query_tensor wide_q;
  key_tensor wide_k;
  value_tensor wide_v;
  const auto round = [](const auto& from, auto& low, auto& wide) {
    for (std::size_t i = 0; i < from.size(); ++i)
      wide.data()[i] = float(low.data()[i] = bfloat16(from.data()[i]));
  };
  round(in.q, q, wide_q);
  round(in.k, k, wide_k);
  round(in.v, v, wide_v);
  const expected e(no_mask{}, wide_q, wide_k, wide_v, in.dy);
  cpu on;
  into(on, y) = autocast<policies::O2<bfloat16>>(attention<heads>(q, k, v));
  // Weights round to bfloat16 (2^-9 of each, and they sum to 1), and so does the result, which is below 1.
  CHECK(within(y, e.y, 2 * 0x1p-9));
}

TEST_CASE("scores are held for a block of queries, never for all") {
  constexpr std::size_t time = 2048, head = 16;
  const auto x = uniform<floats<1, time, head>>(1);
  floats<1, time, head> y, dx;
  cpu on;
  into(on, y) = attention(x, x, x);
  into(on, dx) = gradient(attention(x, x, x), y, wrt(x));
  CHECK(on.memory.capacity() < time * time * sizeof(float) / 4);
}

// A query that prefers one key by far takes its value, in constant evaluation too.
static_assert([] {
  reference plain;
  const floats<1, 2, 1> q{100, -100};
  const floats<1, 3, 1> k{-1, 1, 0};
  const floats<1, 3, 2> v{1, 2, 3, 4, 5, 6};
  floats<1, 2, 2> y;
  into(plain, y) = attention(q, k, v, 1);
  return y(0, 0, 0) == 3 && y(0, 0, 1) == 4 && y(0, 1, 0) == 1 && y(0, 1, 1) == 2;
}());
