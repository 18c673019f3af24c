// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/tile.hpp>

#include <mezzo/base/counter_bits.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace mezzo;

namespace {

/// Whole numbers in [-4, 4].
float whole(std::size_t i, std::uint64_t seed) { return static_cast<float>(counter_below(seed, i, 9)) - 4.0f; }

/// Packs by the definition of the layouts, multiplies, and compares with plain sums; nothing beside the result may be
/// written.
template <isa Isa>
bool block_is_right(std::size_t rows, std::size_t columns, std::size_t depth, bool row_major, bool add) {
  constexpr std::size_t width = detail::vector_units<Isa, float>;
  constexpr std::size_t panel = 2 * width;
  const std::size_t wide = (columns + panel - 1) / panel * panel;
  std::vector<float> a(detail::block_rows * detail::block_depth), b(wide * depth);
  const auto left = [&](std::size_t i, std::size_t k) { return whole(i * depth + k, 1); };
  const auto right = [&](std::size_t k, std::size_t j) { return whole(k * columns + j, 2); };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      a[row_major ? i * detail::block_depth + k : k * detail::block_rows + i] = left(i, k);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t k = 0; k < depth; ++k) {
      const std::size_t at = j / panel * panel;
      const std::size_t of = columns - at > width ? panel : width;
      b[at * depth + k * of + j - at] = right(k, j);
    }
  const std::size_t stride = columns + 3;
  std::vector<float> c(rows * stride, 7.0f);
  const std::size_t step = row_major ? detail::block_depth : detail::block_rows;
  detail::call_contracted(Isa, detail::multiply_block<float>{a.data(), row_major, step, b.data(), 0, rows, columns,
                                                             depth, add, c.data(), stride});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < stride; ++j) {
      float expected = add || j >= columns ? 7.0f : 0.0f;
      if (j < columns)
        for (std::size_t k = 0; k < depth; ++k) expected += left(i, k) * right(k, j);
      if (c[i * stride + j] != expected) return false;
    }
  return true;
}

template <isa Isa>
void check_heights() {
  if (Isa > supported_isa()) return;
  for (std::size_t rows = 1; rows <= 30; ++rows)
    for (std::size_t columns : {1u, 7u, 16u, 17u, 40u, 64u})
      for (bool row_major : {false, true}) {
        CAPTURE(rows);
        CAPTURE(columns);
        CHECK(block_is_right<Isa>(rows, columns, 11, row_major, rows % 2 == 0));
      }
}

}  // namespace

TEST_CASE("a block of every height and width is the sum of its products and writes nothing beside") {
  check_heights<isa::baseline>();
  check_heights<isa::avx2>();
  check_heights<isa::avx512>();
}
