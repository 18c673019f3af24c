// SPDX-License-Identifier: MIT
//
// Kernels under the roofs of a chip (Williams, Waterman, Patterson: Roofline, CACM 52, 2009) as an SVG that needs no
// other file: useful operations a second over operations for each byte to and from global memory, both logarithmic.
// Dots are numbered; the names stand beside the plot, so that nothing overlaps.
#pragma once

#include <mezzo/diagnose/npu_figures.hpp>
#include <mezzo/diagnose/report_text.hpp>
#include <mezzo/diagnose/svg.hpp>

#include <algorithm>    // stable_sort, min, max, none_of
#include <cmath>        // log10, pow, sqrt, hypot, sin, atan2
#include <cstddef>      // size_t
#include <string>       // string
#include <string_view>  // string_view
#include <vector>       // vector

namespace mezzo::inline MEZZO_ABI {
namespace npu {

namespace detail {

struct box {
  double left, top, right, bottom;

  [[nodiscard]] bool meets(const box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

class roofline {
 public:
  roofline(const chip& on, const profile& kernels, std::string_view title) : on_(on) {
    collect(kernels);
    find_ranges();
    head(title);
    grid();
    for (const dot& d : dots_)
      if (d.shown) taken_.push_back(disc_of(d));
    draw_memory("HBM", on.hbm_gigabytes, "");
    draw_memory("L2", on.l2_gigabytes, "7 4");
    for (const roof& r : roofs_) draw_peak(r);
    draw_dots();
    legend();
  }
  [[nodiscard]] std::string text() const { return picture_.text(); }

 private:
  static constexpr double width = 1120, height = 640, left = 84, right = 720, top = 76, bottom = 560;
  static constexpr const char *ink = "#1f2933", *soft = "#52606d", *pale = "#e1e5ea";
  static constexpr const char *cube_colour = "#2f6fde", *vector_colour = "#d9480f";
  static constexpr std::size_t rows = 26;  // of the legend

  struct dot {
    const profile_entry* kernel;
    double time, x, y;  // microseconds, operations a byte, 1e12 operations a second
    bool shown;
  };
  struct roof {
    std::string name;
    double peak;  // 1e12 operations a second
    const char* colour;
  };

  void collect(const profile& kernels) {
    bool cube[element_count]{}, wide = false, narrow = false;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const profile_entry& e = kernels[i];
      const kernel_figures f = figures_of(on_, e);
      const double rate = f.operations_a_second() * 1e-12;
      dots_.push_back({&e, f.task, f.intensity().value, rate, f.intensity().known && rate > 0});
      all_ += f.task;
      if (e.on_cube)
        cube[static_cast<std::size_t>(e.product.in)] = true;
      else
        (bytes_of(e.vector.type) == 4 ? wide : narrow) = true;
    }
    std::stable_sort(dots_.begin(), dots_.end(), [](const dot& a, const dot& b) { return a.time > b.time; });
    for (std::size_t t = 0; t < element_count; ++t)
      if (const auto type = static_cast<element>(t); cube[t])
        roofs_.push_back({std::string("cube ") + name_of(type), on_.peak_teraflops(type), cube_colour});
    if (narrow) roofs_.push_back({"vector 16-bit", vector_peak(2), vector_colour});
    if (wide) roofs_.push_back({"vector 32-bit", vector_peak(4), vector_colour});
    if (roofs_.empty()) roofs_.push_back({"cube float16", on_.peak_teraflops(element::float16), cube_colour});
    std::stable_sort(roofs_.begin(), roofs_.end(), [](const roof& a, const roof& b) { return a.peak > b.peak; });
    // Types of one rate share a line.
    for (std::size_t i = 1; i < roofs_.size();)
      if (roofs_[i].peak == roofs_[i - 1].peak) {
        roofs_[i - 1].name += ", " + roofs_[i].name;
        roofs_.erase(roofs_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
  }
  /// An instruction works on whole repeats, one a cycle.
  [[nodiscard]] double vector_peak(std::size_t bytes) const {
    return static_cast<double>(on_.vector_cores * on_.vector_bytes / bytes) * static_cast<double>(on_.megahertz) * 1e-6;
  }

  /// Whole decades around the dots and where the highest roof meets HBM's.
  void find_ranges() {
    const double ridge = roofs_[0].peak * 1e3 / on_.hbm_gigabytes;
    double least_x = ridge / 100, most_x = ridge * 2, least_y = roofs_.back().peak / 10, most_y = roofs_[0].peak * 1.5;
    for (const dot& d : dots_) {
      if (!d.shown) continue;
      least_x = (std::min)(least_x, d.x / 1.2);
      most_x = (std::max)(most_x, d.x * 1.2);
      least_y = (std::min)(least_y, d.y / 1.2);
      most_y = (std::max)(most_y, d.y * 1.2);
    }
    first_x_ = static_cast<int>(std::floor(std::log10(least_x)));
    last_x_ = static_cast<int>(std::ceil(std::log10(most_x)));
    first_y_ = static_cast<int>(std::floor(std::log10(least_y)));
    last_y_ = static_cast<int>(std::ceil(std::log10(most_y)));
  }
  [[nodiscard]] double x_at(double v) const {
    return left + (right - left) * (std::log10(v) - first_x_) / (last_x_ - first_x_);
  }
  [[nodiscard]] double y_at(double v) const {
    return bottom - (bottom - top) * (std::log10(v) - first_y_) / (last_y_ - first_y_);
  }
  [[nodiscard]] static double decade(int power) { return std::pow(10.0, power); }

  /// "364 TFLOP/s".
  [[nodiscard]] static std::string scaled(double value, const char* unit) {
    std::string text;
    mezzo::detail::put_scaled(text, value);
    text.insert(text.back() > '9' ? text.size() - 1 : text.size(), " ");
    return text + unit;
  }

  void head(std::string_view title) {
    picture_.words(left, 32, title.empty() ? std::string("Roofline of ") + on_.name : std::string(title), {.size = 17});
    picture_.words(left, 54, "a dot for each kind of kernel, its area the share of time; numbers by time",
                   {.colour = soft});
  }
  void grid() {
    for (int d = first_x_; d <= last_x_; ++d) {
      const double x = x_at(decade(d));
      picture_.line(x, top, x, bottom, pale);
      picture_.words(x, bottom + 20, plain(d), {.colour = soft, .anchor = "middle"});
    }
    for (int d = first_y_; d <= last_y_; ++d) {
      const double y = y_at(decade(d));
      picture_.line(left, y, right, y, pale);
      picture_.words(left - 8, y + 4, plain(d), {.colour = soft, .anchor = "end"});
    }
    picture_.line(left, bottom, right, bottom, soft);
    picture_.line(left, top, left, bottom, soft);
    picture_.words((left + right) / 2, bottom + 46, "useful FLOP for each byte to and from global memory",
                   {.anchor = "middle", .size = 14});
    picture_.words(26, (top + bottom) / 2, "useful TFLOP/s", {.anchor = "middle", .size = 14, .angle = -90});
  }
  /// "0.01", "1", "1000".
  [[nodiscard]] static std::string plain(int power) {
    std::string text;
    mezzo::detail::put_fixed(text, decade(power), power < 0 ? -power : 0);
    return text;
  }

  /// A sloping roof, from where it enters the plot to the highest peak.
  void draw_memory(const char* name, double gigabytes, const char* dashes) {
    const double enters = (std::max)(decade(first_x_), decade(first_y_) * 1e3 / gigabytes);
    const double ends = roofs_[0].peak * 1e3 / gigabytes;
    const double x1 = x_at(enters), y1 = y_at(enters * gigabytes * 1e-3), x2 = x_at(ends), y2 = y_at(roofs_[0].peak);
    picture_.line(x1, y1, x2, y2, ink, 1.6, dashes);
    const std::string words = std::string(name) + " " + scaled(gigabytes * 1e9, "B/s");
    const double slope = std::atan2(y1 - y2, x2 - x1), sine = std::sin(slope), cosine = std::cos(slope);
    const double length = mezzo::detail::svg::room(words, 13), whole = std::hypot(x2 - x1, y2 - y1);
    // The name lies along the line, past the left edge and where it hides no dot.
    std::vector<box> places;
    double first = 26;
    for (bool free = false; !free && first + length < whole; first += free ? 0 : 12) {
      places.clear();
      for (double along = first; along < first + length; along += 8) {
        const double x = x1 + along * cosine - 6 * sine, y = y1 - along * sine - 6 * cosine;
        places.push_back({x - 8, y - 14, x + 8, y + 4});
      }
      free = std::all_of(places.begin(), places.end(), [&](const box& place) { return is_free(place); });
    }
    picture_.words(x1 + first * cosine - 6 * sine, y1 - first * sine - 6 * cosine, words,
                   {.angle = -slope * 57.29577951308232});
    taken_.insert(taken_.end(), places.begin(), places.end());
    for (double x = x1; x < x2; x += 4) {
      const double y = y1 - (x - x1) * std::tan(slope);
      taken_.push_back({x - 2, y - 2, x + 2, y + 2});
    }
  }
  void draw_peak(const roof& r) {
    const double ridge = x_at(r.peak * 1e3 / (std::max)(on_.l2_gigabytes, on_.hbm_gigabytes)), y = y_at(r.peak);
    const double from = (std::max)(left, ridge);
    picture_.line(from, y, right, y, r.colour, 1.6);
    taken_.push_back({from, y - 2, right, y + 2});
    const std::string words = r.name + " " + scaled(r.peak * 1e12, "FLOP/s");
    const double length = mezzo::detail::svg::room(words, 13);
    for (double end = right - 6; end - length > left; end -= 20)
      for (const double shift : {-5.0, 14.0}) {
        const box place{end - length, y + shift - 11, end, y + shift + 3};
        if (!is_free(place)) continue;
        picture_.words(end, y + shift, words, {.colour = r.colour, .anchor = "end"});
        taken_.push_back(place);
        return;
      }
  }
  [[nodiscard]] bool is_free(const box& b) const {
    return std::none_of(taken_.begin(), taken_.end(), [&](const box& t) { return t.meets(b); });
  }

  [[nodiscard]] double radius(const dot& d) const { return 3 + 9 * std::sqrt(all_ > 0 ? d.time / all_ : 0); }
  [[nodiscard]] static const char* colour_of(const dot& d) { return d.kernel->on_cube ? cube_colour : vector_colour; }

  [[nodiscard]] box disc_of(const dot& d) const {
    const double x = x_at(d.x), y = y_at(d.y), r = radius(d);
    return {x - r, y - r, x + r, y + r};
  }
  void draw_dots() {
    for (const dot& d : dots_) {
      if (!d.shown) continue;
      picture_.disc(x_at(d.x), y_at(d.y), radius(d), colour_of(d),
                    std::string(d.kernel->name.text) + ", " + type_of(*d.kernel) + " " +
                        extents_of(*d.kernel).text + ": " + scaled(d.y * 1e12, "FLOP/s") + " at " +
                        scaled(d.x, "FLOP/B"));
    }
    for (std::size_t i = 0; i < dots_.size() && i < rows; ++i)
      if (dots_[i].shown) number_dot(dots_[i], i + 1);
  }
  /// Puts a number as near to its dot as there is room for it, with a line if that is not beside it.
  void number_dot(const dot& d, std::size_t number) {
    const std::string words = (sentence() << number).text();
    const double x = x_at(d.x), y = y_at(d.y), r = radius(d), half = mezzo::detail::svg::room(words, 12) / 2 + 2;
    for (double away = r + 8; away < 200; away += 6)
      for (int turn = 0; turn < 24; ++turn) {
        const double angle = -0.785398163397448 + turn * 0.261799387799149;  // to the upper right first
        const double at_x = x + (away + half) * std::cos(angle), at_y = y + away * std::sin(angle);
        const box place{at_x - half, at_y - 7, at_x + half, at_y + 7};
        if (place.left < left || place.right > right || place.top < top || place.bottom > bottom || !is_free(place))
          continue;
        if (away > r + 12)
          picture_.line(x + r * std::cos(angle), y + r * std::sin(angle), at_x - half * std::cos(angle),
                        at_y - 7 * std::sin(angle), "#9aa5b1", 0.8);
        picture_.words(at_x, at_y + 4, words, {.anchor = "middle", .size = 12, .halo = true});
        taken_.push_back(place);
        return;
      }
  }

  void legend() {
    const double x = right + 34;
    double y = top + 4;
    for (std::size_t i = 0; i < dots_.size() && i < rows; ++i, y += 18) {
      const dot& d = dots_[i];
      std::string name, share;
      mezzo::detail::put_name(name, std::string(d.kernel->name.text) + " " + extents_of(*d.kernel).text, 38);
      mezzo::detail::put_fixed(share, all_ > 0 ? 100 * d.time / all_ : 0, 1);
      picture_.words(x - 8, y, d.shown ? (sentence() << i + 1).text() : "–", {.anchor = "end", .size = 12});
      picture_.words(x, y, name, {.colour = colour_of(d), .size = 12});
      picture_.words(width - 14, y, share + " %", {.colour = soft, .anchor = "end", .size = 12});
    }
    if (dots_.size() > rows) {
      double rest = 0;
      std::string share;
      for (std::size_t i = rows; i < dots_.size(); ++i) rest += dots_[i].time;
      mezzo::detail::put_fixed(share, 100 * rest / all_, 1);
      picture_.words(x, y, (sentence() << dots_.size() - rows << " kinds more, without numbers").text(),
                     {.colour = soft, .size = 12});
      picture_.words(width - 14, y, share + " %", {.colour = soft, .anchor = "end", .size = 12});
    }
    picture_.words(x, bottom + 20, "blue: on the cube", {.colour = cube_colour, .size = 12});
    picture_.words(x, bottom + 38, "orange: on vectors, operations of their elements",
                   {.colour = vector_colour, .size = 12});
    picture_.words(x, bottom + 56, "–: moves only, no dot", {.colour = soft, .size = 12});
  }

  const chip& on_;
  mezzo::detail::svg picture_{width, height};
  std::vector<dot> dots_;   // longest time first
  std::vector<roof> roofs_;  // highest first
  std::vector<box> taken_;
  double all_ = 0;
  int first_x_ = 0, last_x_ = 1, first_y_ = 0, last_y_ = 1;
};

}  // namespace detail

/// The picture of a profile, as text in SVG. A dot above HBM's slope has its data in L2; far below every roof kernels
/// are too small for their launches.
[[nodiscard]] inline std::string roofline_svg(const chip& on, const profile& kernels, std::string_view title = {}) {
  return detail::roofline(on, kernels, title).text();
}
template <const chip& Chip>
[[nodiscard]] std::string roofline_svg(const model<Chip>& on, std::string_view title = {}) {
  return roofline_svg(Chip, on.profile, title);
}

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
