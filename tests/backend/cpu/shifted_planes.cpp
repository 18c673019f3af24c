// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/shifted_planes.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

/// In the copied planes, each tap of each phase of each place finds what the patches say.
template <class T, bool Gradient>
void check(const convolution_shape& s) {
  CAPTURE(s.width);
  CAPTURE(s.step);
  using given = precision<as_given, float, T>;
  using patches = patch_operand<given, T, Gradient>;
  const std::size_t size = Gradient ? s.outputs * s.output_plane() : s.channels * s.input_plane();
  const auto x = whole_numbers<T>(s.images * size, 1);
  const patches right{x.data(), s};
  const detail::shifted_layout layout(right, 1);
  std::vector<window_tap> taps(layout.window());
  layout.fill(taps.data());
  std::vector<float> out(layout.planes * layout.whole_plane() + detail::run_slack), whole(2 * layout.width);
  std::vector<detail::bfloat16_pair> pairs(out.size());
  std::size_t wrong = 0;
  for (std::size_t image = 0; image < s.images; ++image)
    for (std::size_t first = 0; first < layout.rows; first += layout.block) {
      const auto copy = [&](auto* to) {
        const auto source = detail::planes_of<std::remove_pointer_t<decltype(to)>>(right);
        source.copy(&right, supported_isa(), layout, image, first, to, whole.data());
      };
      copy(out.data());
      if constexpr (std::same_as<T, bfloat16>) copy(pairs.data());
      for (std::size_t y = 0; y < layout.block && first + y < layout.rows; ++y)
        for (std::size_t z = 0; z < layout.columns; ++z) {
          std::size_t t = 0;
          for (std::size_t phase = 0; phase < layout.phases(); ++phase)
            for (std::size_t n = 0; n < layout.taps_of(phase); ++n, ++t) {
              const std::size_t row = Gradient ? (first + y) * s.step + phase / s.step : first + y;
              const std::size_t column = Gradient ? z * s.step + phase % s.step : z;
              if (row >= layout.result_height || column >= layout.result_width) continue;
              for (std::size_t p = 0; p < layout.planes; ++p) {
                const float value = right.element(
                    p * s.window() + taps[t].index,
                    (image * layout.result_height + row) * layout.result_width + column);
                const std::size_t at = y * layout.line + z + taps[t].offset;
                wrong += out[p * layout.whole_plane() + at] != value;
                if constexpr (std::same_as<T, bfloat16>) {
                  const auto both = pairs[p / 2 * layout.whole_plane() + at].bits;
                  const auto own = static_cast<std::uint16_t>(p % 2 == 0 ? both : both >> 16);
                  wrong += convert<float>(bfloat16::from_bits(own)) != value;
                  if (p + 1 == layout.planes && p % 2 == 0) wrong += both >> 16 != 0;
                }
              }
            }
          CHECK(t == layout.window());
        }
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("taps of shifted planes find the patches", T, float, bfloat16) {
  for (std::size_t step : {1u, 2u, 3u})
    for (std::size_t high : {1u, 2u, 3u})
      for (std::size_t wide : {1u, 3u, 4u})
        for (std::size_t margin : {0u, 1u, 2u, 5u}) {
          const std::size_t rows = (5 + 2 * margin - high) / step + 1, columns = (7 + 2 * margin - wide) / step + 1;
          check<T, false>({2, 3, 5, 7, 2, high, wide, rows, columns, step, margin, margin});
          check<T, true>({2, 2, 5, 7, 3, high, wide, rows, columns, step, margin, margin});
        }
}

TEST_CASE("a block has as many rows as fit, and at least one") {
  using patches = patch_operand<precision<as_given, float, float>, float, false>;
  const detail::shifted_layout wide(patches{nullptr, {1, 1, 3, 700, 1, 1, 1, 3, 700, 1, 0, 0}}, 1);
  CHECK(wide.block == 1);
  CHECK(wide.blocks() == 3);
  const detail::shifted_layout narrow(patches{nullptr, {1, 1, 100, 9, 1, 3, 3, 100, 9, 1, 1, 1}}, 1);
  CHECK(narrow.line == 10);
  CHECK(narrow.block * narrow.line <= detail::shifted_layout::most_columns);
  CHECK(narrow.blocks() == 2);
}
