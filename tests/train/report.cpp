// SPDX-License-Identifier: MIT
#include <mezzo/train/report.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

namespace {

constexpr bool counts() {
  fit_report report(4);
  report.record({step_reason::stepped, 2.0f}, 4, 8);
  report.record({step_reason::non_finite, 100.0f}, 8, 4);
  report.record({step_reason::stepped, 1.0f}, 4, 4);
  return report.steps == 3 && report.skipped == 1 && report.growths == 1 && report.losses.size() == 4 &&
         report.losses[1] == 100 && report.scales[0] == 4 && report.scales[1] == 8 && report.scales[2] == 4 &&
         report.recent_loss(1) == 1 && report.recent_loss(3) == 103.0 / 3 && !report.gave_up;
}
static_assert(counts());

// The documented order of the options.
static_assert(fit_options{5, 64, 7, false, 1.0f}.batch == 64 && fit_options{}.batch == 32 && fit_options{}.epochs == 1);
static_assert(fit_options{}.shuffle && fit_options{}.clip_norm == 0);

static_assert(evaluation{.samples = 8, .right = 6}.accuracy() == 0.75 && evaluation{}.accuracy() == 0);

}  // namespace

TEST_CASE("a mean of more steps than there were is the mean of all") {
  fit_report report(10);
  CHECK(report.recent_loss(5) == 0.0);
  report.record({step_reason::stepped, 3.0f}, 1, 1);
  report.record({step_reason::stepped, 5.0f}, 1, 1);
  CHECK(report.recent_loss(5) == 4.0);
  CHECK(report.recent_loss(0) == 0.0);
}

TEST_CASE("giving up says where") {
  fit_report report(1);
  CHECK(std::string(report.first_non_finite.text).empty());
  report.give_up(unqualified_name<fit_report>());
  CHECK(report.gave_up);
  CHECK(std::string(report.first_non_finite.text) == "fit_report");
}
