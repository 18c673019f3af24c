// SPDX-License-Identifier: MIT
//
// Side by side, in one run: contenders for the same work take turns, so that a machine whose speed drifts slows all of
// them; each has a best and a median sample. A line a figure: bench, peer, shape, threads, metric, value.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Reproducible numbers in [-1, 1), none of them special.
inline float number(std::uint64_t i, std::uint64_t seed) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>(static_cast<std::int64_t>(x) >> 40) * 0x1p-23f;
}

struct contender {
  std::string name;
  std::function<void()> run;
  double work;  // of one call, in units of 1e9
  std::vector<double> samples{};

  [[nodiscard]] double best() const { return work / samples.front(); }
  [[nodiscard]] double median() const { return work / samples[samples.size() / 2]; }
};

/// What runs side by side on one shape; rates in `unit`s of 1e9 a second.
class round_robin {
 public:
  round_robin(std::string bench, std::string shape, int threads, std::string unit)
      : bench_(std::move(bench)), shape_(std::move(shape)), unit_(std::move(unit)), threads_(threads) {}

  void add(std::string name, double work, std::function<void()> run) {
    entries_.push_back({std::move(name), std::move(run), work});
  }

  /// At least `total` seconds in turns; a turn lasts about a millisecond.
  void measure(double total = 0.5) {
    if (const char* scale = std::getenv("MEZZO_BENCH_TIME")) total *= std::atof(scale);
    std::vector<long> calls;
    for (contender& c : entries_) {
      c.run();
      const double before = seconds();
      c.run();
      calls.push_back(std::max(1L, static_cast<long>(1e-3 / std::max(seconds() - before, 1e-9))));
    }
    const double start = seconds();
    for (int turn = 0; turn < 7 || seconds() - start < total; ++turn)
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        const double before = seconds();
        for (long n = 0; n < calls[i]; ++n) entries_[i].run();
        entries_[i].samples.push_back((seconds() - before) / static_cast<double>(calls[i]));
      }
    for (contender& c : entries_) {
      std::sort(c.samples.begin(), c.samples.end());
      print(c.name, unit_ + "_best", c.best());
      print(c.name, unit_ + "_med", c.median());
    }
  }

  void print(const std::string& peer, const std::string& metric, double value) const {
    std::printf("%s\t%s\t%s\t%d\t%s\t%.5g\n", bench_.c_str(), peer.c_str(), shape_.c_str(), threads_, metric.c_str(),
                value);
    std::fflush(stdout);
  }

  [[nodiscard]] const std::vector<contender>& entries() const { return entries_; }
  /// Best rate of a contender, 0 if it did not run.
  [[nodiscard]] double best(const std::string& name) const {
    for (const contender& c : entries_)
      if (c.name == name && !c.samples.empty()) return c.best();
    return 0;
  }

 private:
  std::string bench_, shape_, unit_;
  int threads_;
  std::vector<contender> entries_;
};

/// Ratios gathered over shapes.
class ratios {
 public:
  void add(const std::string& of, double ratio) {
    if (ratio > 0 && std::isfinite(ratio)) all_[of].push_back(ratio);
  }
  [[nodiscard]] double geometric_mean(const std::string& of) const {
    double sum = 0;
    const auto& r = all_.at(of);
    for (const double x : r) sum += std::log(x);
    return std::exp(sum / static_cast<double>(r.size()));
  }
  [[nodiscard]] double median(const std::string& of) const {
    auto r = all_.at(of);
    std::sort(r.begin(), r.end());
    return r[r.size() / 2];
  }
  /// A closing table, as comment lines.
  void print(const std::string& title) const {
    std::printf("# %-44s %8s %8s %8s\n", title.c_str(), "geomean", "median", "least");
    for (const auto& [of, r] : all_)
      std::printf("# %-44s %8.3f %8.3f %8.3f\n", of.c_str(), geometric_mean(of), median(of),
                  *std::min_element(r.begin(), r.end()));
  }

 private:
  std::map<std::string, std::vector<double>> all_;
};

}  // namespace bench
