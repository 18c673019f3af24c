// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/panels.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace mezzo;

namespace {

constexpr isa every_isa[] = {isa::baseline, isa::avx2, isa::avx512};

std::size_t panel_of(isa level) {
  return level >= isa::avx512 ? detail::panel_columns<isa::avx512, float>
         : level == isa::avx2 ? detail::panel_columns<isa::avx2, float>
                              : detail::panel_columns<isa::baseline, float>;
}

/// Where column `j` of `columns` lies in panels of `depth` lines: offset of line 0, and the distance of lines.
struct place {
  std::size_t offset, width;
};
place place_of(std::size_t j, std::size_t columns, std::size_t depth, std::size_t panel) {
  const std::size_t at = j / panel * panel;
  return {at * depth + j - at, columns - at > panel / 2 ? panel : panel / 2};
}

}  // namespace

TEST_CASE("rows are dealt out to panels") {
  for (isa level : every_isa) {
    if (level > supported_isa()) continue;
    const std::size_t panel = panel_of(level);
    for (std::size_t columns : {std::size_t{1}, panel / 2, panel / 2 + 1, panel, 2 * panel + 3}) {
      constexpr std::size_t depth = 5;
      std::vector<float> rows(depth * columns), panels((columns + panel) * depth, -1.0f);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i + 1);
      detail::call_with(level, detail::deal_rows<float>{rows.data(), columns, rows.size(), depth, columns,
                                                        panels.data(), depth, 0});
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t k = 0; k < depth; ++k) {
          const place p = place_of(j, columns, depth, panel);
          CHECK(panels[p.offset + k * p.width] == rows[k * columns + j]);
        }
    }
  }
}

TEST_CASE("two rows of bfloat16 become pairs, the earlier in the low half; an odd one is paired with zero") {
  if (supported_isa() < isa::avx2) return;
  bfloat16 rows[3][2] = {{bfloat16(1.0f), bfloat16(2.0f)}, {bfloat16(3.0f), bfloat16(4.0f)},
                         {bfloat16(5.0f), bfloat16(6.0f)}};
  std::vector<detail::bfloat16_pair> panels(64);
  detail::call_with(isa::avx2, detail::deal_rows<detail::bfloat16_pair>{&rows[0][0], 2, 6, 3, 2, panels.data(), 2, 0});
  const auto pair = [](float low, float high) {
    return static_cast<std::uint32_t>(bfloat16(low).bits()) | static_cast<std::uint32_t>(bfloat16(high).bits()) << 16;
  };
  CHECK(panels[0].bits == pair(1, 3));
  CHECK(panels[1].bits == pair(2, 4));
  CHECK(panels[2].bits == 0);
  CHECK(panels[8].bits == pair(5, 0));
  CHECK(panels[9].bits == pair(6, 0));
}

TEST_CASE("columns are turned into lines by whole squares and by what is left") {
  for (isa level : every_isa) {
    if (level > supported_isa()) continue;
    const std::size_t side = panel_of(level) / 2;
    for (std::size_t count : {std::size_t{1}, side}) {
      const std::size_t depth = 2 * side + 3, stride = depth + 5, width = 2 * side;
      std::vector<float> columns(side * stride), panel(depth * width, -1.0f);
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<float>(i);
      detail::call_with(level, detail::turn_columns<float>{columns.data(), stride, count, depth, panel.data(), width});
      bool right = true;
      for (std::size_t k = 0; k < depth; ++k) {
        for (std::size_t j = 0; j < count; ++j) right = right && panel[k * width + j] == columns[j * stride + k];
        for (std::size_t j = side; j < width; ++j) right = right && panel[k * width + j] == -1.0f;
      }
      CHECK(right);
    }
  }
}
