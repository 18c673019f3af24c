// SPDX-License-Identifier: MIT
//
// Products of 8-bit integers on the cube, summed in 32 bits: exact, whatever the order.
#pragma once

#include <mezzo/backend/npu/model.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // int8_t, int32_t

namespace mezzo::inline MEZZO_ABI {
namespace npu {

namespace detail {

/// A row-major matrix of whole numbers as the cube reads it.
struct integer_matrix {
  using A = std::int32_t;
  using value_type = std::int8_t;

  const std::int8_t* data;
  std::size_t columns;

  constexpr void row_run(std::size_t i, std::size_t j, std::size_t count, std::int8_t* out) const {
    for (std::size_t n = 0; n < count; ++n) out[n] = data[i * columns + j + n];
  }
};

/// Integers have nothing that the status flag shows.
struct unobserved {
  template <class T>
  static constexpr T settled(T value) {
    return value;
  }
};

}  // namespace detail

/// y = a·b for a (M, K) and b (K, N) of int8 and y (M, N) of int32. Recorded in the model's profile as "matmul".
/// Error: the sizes do not fit, or K is so large that a sum could overflow.
template <const chip& Chip, class SizesA, class SizesB, class SizesY>
constexpr void multiply_integers(model<Chip>& on, const tensor<std::int8_t, SizesA>& a,
                                 const tensor<std::int8_t, SizesB>& b, tensor<std::int32_t, SizesY>& y) {
  const std::size_t m = a.extent(0), k = a.extent(1), n = b.extent(1);
  if (b.extent(0) != k || y.extent(0) != m || y.extent(1) != n)
    fail(sentence("mezzo::npu::multiply_integers: a (M, K) times b (K, N) must fit y (M, N); given ")
         << m << "x" << k << ", " << b.extent(0) << "x" << n << " and " << y.extent(0) << "x" << y.extent(1)
         << "; check their shapes");
  constexpr std::size_t most = (1U << 17) - 1;  // (−128)² · 2¹⁷ = 2³¹
  if (k > most)
    fail(sentence("mezzo::npu::multiply_integers: sums of 32 bits hold at most ")
         << most << " products; given " << k << "; add the products of parts");
  if (y.size() == 0 || k == 0) return;
  const product_task task{.m = m, .n = n, .k = k, .in = element::int8, .out = element::int32};
  const tiles tile =
      on.profile.product(Chip, short_name{} << "matmul", task, on.tile, on.how,
                         [&](const product_plan& plan) { return cost_product(Chip, task, plan, on.how); });
  const detail::integer_matrix left{a.data(), k}, right{b.data(), n};
  const detail::unobserved nothing{};
  const detail::cube_call call{left, right, detail::plain_terms{k}, product_shape{m, n, k}, nothing, tile};
  constexpr detail::pass whole[] = {{detail::part::whole, detail::part::whole, 0}};
  detail::cube_product<summation::exact, std::int8_t, Chip.step(element::int8).k, std::remove_const_t<decltype(call)>,
                       const detail::unobserved>
      product{call, false, nothing};
  product.run(on.memory, whole,
              [&](std::size_t i, std::size_t j, std::size_t rows, std::size_t columns, const auto& block) {
                for (std::size_t r = 0; r < rows; ++r)
                  for (std::size_t c = 0; c < columns; ++c) y.data()[(i + r) * n + j + c] = block(r, c);
              });
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
