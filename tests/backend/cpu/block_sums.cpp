// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/block_sums.hpp>

#include <mezzo/backend/depthwise_loop.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <class T>
void check(isa level, std::size_t tap_count, const block_shape& of) {
  CAPTURE(tap_count);
  CAPTURE(of.rows);
  CAPTURE(of.columns);
  CAPTURE(static_cast<int>(level));
  const detail::vector_sums fast{level};
  const std::size_t size = of.rows * of.line + 300 + detail::run_slack;
  const auto source = whole_numbers<T>(size, 1), weights = whole_numbers<T>(20, 2);
  window_tap taps[20];
  for (std::size_t t = 0; t < 20; ++t) taps[t] = {t * 13 % 250, t};

  std::vector<T> right(of.rows * of.columns), out(of.rows * of.columns + detail::run_slack);
  plain_sums::correlate(source.data(), taps, tap_count, weights.data(), of, right.data());
  fast.correlate(source.data(), taps, tap_count, weights.data(), of, out.data());
  out.resize(right.size());
  CHECK(out == right);

  const std::size_t count = (of.rows - 1) * of.line + of.columns;
  auto g = whole_numbers<T>(count + detail::run_slack, 3);
  for (std::size_t x = count; x < g.size(); ++x) g[x] = T(0);
  auto right_sums = whole_numbers<T>(20, 5), sums = right_sums;
  plain_sums::dots(source.data(), taps, tap_count, g.data(), count, right_sums.data());
  fast.dots(source.data(), taps, tap_count, g.data(), count, sums.data());
  CHECK(sums == right_sums);
}

}  // namespace

TEST_CASE_TEMPLATE("sums over blocks in vectors are those of the plain loops", T, float, double) {
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    for (std::size_t tap_count : {0u, 1u, 2u, 3u, 4u, 9u, 20u})
      for (std::size_t columns : {1u, 7u, 15u, 16u, 17u, 32u, 33u, 56u})
        for (std::size_t rows : {1u, 3u, 4u, 9u}) check<T>(level, tap_count, {rows, columns, columns + columns % 3});
  }
}
