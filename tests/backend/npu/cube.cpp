// SPDX-License-Identifier: MIT
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/cube.hpp>

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/patch_operand.hpp>
#include <mezzo/backend/tally.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace mezzo;
using npu::summation;

namespace {

using npu::detail::part;
constexpr npu::detail::pass whole[] = {{part::whole, part::whole, 0}};

template <class T>
using plain = precision<as_given, float, T>;
template <class T>
using matrix = matrix_operand<plain<float>, T>;

/// Small whole numbers, whose products and sums need no tolerance.
template <class T>
std::vector<T> whole_numbers(std::size_t size, unsigned seed) {
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = convert<T>(static_cast<float>(static_cast<int>(seed >> 28) - 8));
  }
  return values;
}

/// The product by way of the cube, row-major.
template <class T, std::size_t Depth, class Left, class Right, class Terms, std::size_t Passes>
std::vector<float> on_cube(const Left& a, const Right& b, const Terms& terms, std::size_t m, std::size_t n,
                           const npu::tiles& tile, const npu::detail::pass (&passes)[Passes], bool hf32 = false) {
  workspace memory;
  tally seen;
  std::vector<float> c(m * n, -1);
  const npu::detail::cube_call call{a, b, terms, product_shape{m, n, 0}, seen, tile};
  npu::detail::cube_product<summation::exact, T, Depth, std::remove_const_t<decltype(call)>, tally> product{call, hf32,
                                                                                                           seen};
  product.run(memory, passes,
              [&](std::size_t i, std::size_t j, std::size_t rows, std::size_t columns, const auto& block) {
                for (std::size_t r = 0; r < rows; ++r)
                  for (std::size_t s = 0; s < columns; ++s) c[(i + r) * n + j + s] = block(r, s);
              });
  return c;
}

template <class A, class B>
std::vector<float> by_definition(const A& a, const B& b, std::size_t m, std::size_t n, std::size_t k) {
  std::vector<float> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t q = 0; q < k; ++q) c[i * n + j] += a.element(i, q) * b.element(q, j);
  return c;
}

template <class T, std::size_t Depth>
void check_sizes(std::size_t m, std::size_t n, std::size_t k, const npu::tiles& tile) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const auto x = whole_numbers<T>(m * k, 1), y = whole_numbers<T>(k * n, 2);
  const auto stride = [](std::size_t size) { return static_cast<std::ptrdiff_t>(size); };
  const matrix<T> a{x.data(), stride(k), 1}, b{y.data(), stride(n), 1};
  const matrix<T> at{x.data(), 1, stride(m)}, bt{y.data(), 1, stride(k)};
  const npu::detail::plain_terms terms{k};
  CHECK(on_cube<T, Depth>(a, b, terms, m, n, tile, whole) == by_definition(a, b, m, n, k));
  CHECK(on_cube<T, Depth>(at, bt, terms, m, n, tile, whole) == by_definition(at, bt, m, n, k));
}

}  // namespace

TEST_CASE("products pass through tiles of any size, ragged edges padded") {
  const npu::tiles small{.m = 32, .n = 48, .k = 32, .l1_k = 64}, large{.m = 128, .n = 256, .k = 64, .l1_k = 256};
  for (const npu::tiles& tile : {small, large})
    for (const product_shape& s :
         {product_shape{1, 1, 1}, product_shape{16, 16, 16}, product_shape{17, 15, 33}, product_shape{70, 100, 130}}) {
      check_sizes<float16, 16>(s.m, s.n, s.k, tile);
      check_sizes<bfloat16, 16>(s.m, s.n, s.k, tile);
      check_sizes<float, 4>(s.m, s.n, s.k, tile);
      check_sizes<float, 8>(s.m, s.n, s.k, tile);
    }
}

TEST_CASE("the terms of a convolution come in blocks of channels") {
  const npu::detail::channel_blocks terms{20, 9};
  CHECK(terms.padded(16) == 2 * 16 * 9);
  std::vector<std::size_t> order;
  terms.for_runs(16, 0, terms.padded(16), [&](std::size_t place, std::size_t term, std::size_t length) {
    CHECK(length == 1);
    // place (C1, tap, C0) holds channel C1·16 + C0 and the tap.
    CHECK(term == (place / 144 * 16 + place % 16) * 9 + place / 16 % 9);
    order.push_back(term);
  });
  CHECK(order.size() == 180);

  const std::size_t images = 2, channels = 20, side = 6, outputs = 5;
  const auto x = whole_numbers<float16>(images * channels * side * side, 3);
  const auto w = whole_numbers<float16>(outputs * channels * 9, 4);
  const convolution_shape shape{images, channels, side, side, outputs, 3, 3, side, side, 1, 1, 1};
  const patch_operand<plain<float>, float16, false> patches{x.data(), shape};
  const matrix<float16> weights{w.data(), static_cast<std::ptrdiff_t>(channels * 9), 1};
  const auto a = transposed(patches);
  const auto b = transposed(weights);
  const npu::tiles tile{.m = 32, .n = 16, .k = 64, .l1_k = 128};
  const std::size_t positions = images * side * side;
  CHECK(on_cube<float16, 16>(a, b, terms, positions, outputs, tile, whole) ==
        by_definition(a, b, positions, outputs, channels * 9));
}

TEST_CASE("three float16 products make a float32 product") {
  const std::size_t m = 20, n = 30, k = 40;
  std::vector<float> x(m * k), y(k * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<float>(i * 7919 % 104729) / 104729;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = 1 - static_cast<float>(i * 6101 % 104729) / 104729;
  const matrix<float> a{x.data(), k, 1}, b{y.data(), n, 1};
  const npu::detail::plain_terms terms{k};
  const npu::tiles tile{.m = 16, .n = 16, .k = 16, .l1_k = 32};
  constexpr npu::detail::pass parts[] = {
      {part::high, part::high, 0}, {part::high, part::low, 1}, {part::low, part::high, 1}};
  const auto three = on_cube<float16, 16>(a, b, terms, m, n, tile, parts);
  double worst = 0, worst_of_one = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double exact = 0, one = 0;
      for (std::size_t q = 0; q < k; ++q) {
        exact += static_cast<double>(x[i * k + q]) * static_cast<double>(y[q * n + j]);
        one += static_cast<double>(static_cast<float>(float16(x[i * k + q]))) *
               static_cast<double>(static_cast<float>(float16(y[q * n + j])));
      }
      const auto raise = [&](double& to, double value) {
        const double error = std::abs(value - exact) / exact;
        if (to < error) to = error;
      };
      raise(worst, static_cast<double>(three[i * n + j]));
      raise(worst_of_one, one);
    }
  // Parts keep 22 bits of each factor, the rests' product is below 2^-22, and 40 terms of one sign are rounded in
  // float32 at five depths: below 2^-20 together.
  CHECK(worst < 0x1p-20);
  CHECK(worst_of_one > 0x1p-16);
}

TEST_CASE("HF32 rounds the operands of a float32 product") {
  const float x[] = {1 + 0x1p-12f, 3}, y[] = {1, 0x1p-20f};
  const matrix<float> a{x, 2, 1}, b{y, 1, 1};
  const npu::tiles tile{.m = 16, .n = 16, .k = 16, .l1_k = 16};
  CHECK(on_cube<float, 8>(a, b, npu::detail::plain_terms{2}, 1, 1, tile, whole, true)[0] == 1 + 3 * 0x1p-20f);
  CHECK(on_cube<float, 8>(a, b, npu::detail::plain_terms{2}, 1, 1, tile, whole, false)[0] ==
        1 + 0x1p-12f + 3 * 0x1p-20f);
}
