// SPDX-License-Identifier: MIT
#include <mezzo/backend/window_taps.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

// Phase and shift are the remainder and the quotient of what a tap adds to its place's position.
constexpr bool divides() {
  for (std::size_t step = 1; step <= 4; ++step)
    for (std::size_t before = 0; before <= 6; ++before)
      for (std::size_t tap = 0; tap <= 6; ++tap) {
        const window_axis axis{7, step, before};
        const std::ptrdiff_t adds = std::ptrdiff_t(tap) - std::ptrdiff_t(before);
        if (axis.phase(tap) >= step) return false;
        if (std::ptrdiff_t(step) * axis.shift(tap) + std::ptrdiff_t(axis.phase(tap)) != adds) return false;
      }
  return true;
}
static_assert(divides());
static_assert(window_axis{3, 1, 1}.least() == -1 && window_axis{3, 1, 1}.most() == 1 &&
              window_axis{3, 1, 1}.reach() == 2);
static_assert(window_axis{7, 2, 3}.least() == -2 && window_axis{7, 2, 3}.most() == 1);
static_assert(window_axis{2, 1, 4}.most() == -3);

}  // namespace

TEST_CASE("a row is copied between zeros, phase by phase") {
  using given = precision<as_given, float, float>;
  const float row[] = {1, 2, 3, 4, 5};
  for (std::size_t step : {1u, 2u, 3u, 7u})
    for (std::ptrdiff_t low = -4; low <= 6; ++low) {
      CAPTURE(step);
      CAPTURE(low);
      constexpr std::size_t distance = 9 + detail::run_slack + 1;
      float out[7 * distance], whole[5];
      for (float& value : out) value = -1;
      detail::copy_row<given>(row, 5, step, low, 9, distance, out, whole);
      for (std::size_t phase = 0; phase < step; ++phase) {
        for (std::size_t i = 0; i < 9; ++i) {
          const std::ptrdiff_t at = (std::ptrdiff_t(i) + low) * std::ptrdiff_t(step) + std::ptrdiff_t(phase);
          CHECK(out[phase * distance + i] == (at >= 0 && at < 5 ? row[at] : 0.0f));
        }
        CHECK(out[(phase + 1) * distance - 1] == -1);
      }
      detail::copy_row<given>(static_cast<const float*>(nullptr), 5, step, low, 9, distance, out, whole);
      for (std::size_t i = 0; i < 9; ++i) CHECK(out[i] == 0);
    }
}

TEST_CASE("phases are put back between one another") {
  const float lines[] = {0, 3, 6, 9, 1, 4, 7, 9, 2, 5, 8, 9};
  for (std::size_t size : {1u, 2u, 7u, 8u, 9u}) {
    float out[9];
    detail::interleave(3, lines, 4, size, out);
    for (std::size_t i = 0; i < size; ++i) CHECK(out[i] == static_cast<float>(i));
  }
  const float pairs[] = {0, 2, 4, 9, 1, 3, 9, 9};
  for (std::size_t size : {1u, 2u, 4u, 5u}) {
    float out[5];
    detail::interleave(2, pairs, 4, size, out);
    for (std::size_t i = 0; i < size; ++i) CHECK(out[i] == static_cast<float>(i));
  }
}
