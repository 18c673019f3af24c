// SPDX-License-Identifier: MIT
// not under the single header: unoptimised, its thousands of products take a minute
#include <mezzo/backend/cpu/product.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

using namespace mezzo;

namespace {

constexpr isa every_isa[] = {isa::baseline, isa::avx2, isa::avx512, isa::avx512_bf16};

template <class T, class Backend>
bool exact(Backend& backend, const product_shape& s, bool left_flipped, bool right_flipped) {
  using A = compute_t<T>;
  using matrix = matrix_operand<precision<as_given, A, T>, T>;
  const auto stride = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const auto a = whole_numbers<T>(s.m * s.k, 1);
  const auto b = whole_numbers<T>(s.k * s.n, 2);
  const matrix left = left_flipped ? matrix{a.data(), 1, stride(s.m)} : matrix{a.data(), stride(s.k), 1};
  const matrix right = right_flipped ? matrix{b.data(), 1, stride(s.k)} : matrix{b.data(), stride(s.n), 1};
  std::vector<A> c(s.m * s.n, A(-1e9));
  backend.multiply(left, right, s, matrix_sink<store_sink<A>>{{c.data()}, s.n});
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t j = 0; j < s.n; ++j) {
      A sum = 0;
      for (std::size_t k = 0; k < s.k; ++k) sum += left.element(i, k) * right.element(k, j);
      if (sum != c[i * s.n + j]) return false;
    }
  return true;
}

template <class T>
void check_shapes() {
  // Around the tiles (2 to 12 rows; 4 to 32 columns) and blocks (96 rows, 1152 columns, 560 units), and empty.
  const product_shape shapes[] = {{1, 1, 1},      {1, 9, 5},     {7, 1, 3},     {3, 2, 1},      {4, 8, 16},
                                  {13, 33, 17},   {12, 32, 256}, {96, 16, 561}, {97, 289, 257}, {5, 300, 7},
                                  {210, 580, 9},  {210, 3, 65},  {2, 3, 0},     {0, 3, 4},      {3, 0, 4},
                                  {100, 140, 1121}, {28, 1185, 24}};
  reference plain;
  for (const product_shape& s : shapes) {
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CHECK(exact<T>(plain, s, false, false));
    for (isa level : every_isa) {
      cpu fast{.isa = level};
      CAPTURE(static_cast<int>(level));
      CHECK(exact<T>(fast, s, false, false));
      CHECK(exact<T>(fast, s, true, false));
      CHECK(exact<T>(fast, s, false, true));
      CHECK(exact<T>(fast, s, true, true));
    }
  }
}

// A block of rows ends with whole tiles, and a block of columns with whole panels.
template <isa Isa, class U>
constexpr bool tiles_fit = detail::block_rows % detail::product_tile<Isa>::rows == 0 &&
                           detail::product_blocks::most_columns % detail::panel_columns<Isa, U> == 0;
static_assert(tiles_fit<isa::baseline, float> && tiles_fit<isa::avx2, float> && tiles_fit<isa::avx512, float>);
static_assert(tiles_fit<isa::baseline, double> && tiles_fit<isa::avx2, double> && tiles_fit<isa::avx512, double>);
static_assert(tiles_fit<isa::avx512, detail::bfloat16_pair>);

}  // namespace

TEST_CASE_TEMPLATE("products of whole numbers are exact for every shape, order and instruction set", T, float, double,
                   float16, bfloat16) {
  check_shapes<T>();
}

TEST_CASE("a product's operands are rounded to the low type while they are packed") {
  using lowered = matrix_operand<precision<bfloat16, float, bfloat16>, float>;
  const float a[] = {1.00390625f + 0x1p-20f};  // above the tie between 1 and 1.0078125
  const float b[] = {256};
  float c = 0;
  cpu fast;
  fast.multiply(lowered{a, 1, 1}, lowered{b, 1, 1}, {1, 1, 1}, matrix_sink<store_sink<float>>{{&c}, 1});
  CHECK(c == 258);
}
