// SPDX-License-Identifier: MIT
//
// Loss curves of several runs as a table (CSV) and as a picture (SVG that needs no other file).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

struct loss_curve {
  std::string name;
  std::vector<double> losses;  // of each step
};

/// Mean over a window that ends at each step: single batches jump too much to compare.
inline std::vector<double> smoothed(const std::vector<double>& losses, std::size_t window) {
  std::vector<double> result;
  double sum = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += losses[i];
    if (i >= window) sum -= losses[i - window];
    result.push_back(sum / static_cast<double>(std::min(i + 1, window)));
  }
  return result;
}

inline bool write_csv(const char* path, const std::vector<loss_curve>& curves) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  std::fprintf(file, "step");
  std::size_t steps = 0;
  for (const loss_curve& c : curves) {
    std::fprintf(file, ",%s", c.name.c_str());
    steps = std::max(steps, c.losses.size());
  }
  std::fprintf(file, "\n");
  for (std::size_t i = 0; i < steps; ++i) {
    std::fprintf(file, "%zu", i + 1);
    for (const loss_curve& c : curves)
      i < c.losses.size() ? std::fprintf(file, ",%.6g", c.losses[i]) : std::fprintf(file, ",");
    std::fprintf(file, "\n");
  }
  return std::fclose(file) == 0;
}

/// Smoothed loss over steps, the loss on a logarithmic axis.
inline bool write_svg(const char* path, const std::vector<loss_curve>& curves, std::size_t window) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  constexpr double width = 860, height = 480, left = 70, right = 190, top = 48, bottom = 56;
  constexpr const char* colours[] = {"#1f2933", "#2f6fde", "#16a085", "#d9480f", "#9c36b5", "#c2255c"};
  constexpr const char* dashes[] = {"", "9 5", "3 4", "12 4 3 4", "6 3", "2 6"};

  std::size_t steps = 1;
  double low = 1e300, high = 0;
  std::vector<std::vector<double>> lines;
  for (const loss_curve& c : curves) {
    lines.push_back(smoothed(c.losses, window));
    steps = std::max(steps, c.losses.size());
    for (double v : lines.back())
      if (std::isfinite(v) && v > 0) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  }
  if (high <= 0) low = 0.1, high = 1;
  const double first = std::floor(std::log10(low) * 3) / 3;
  const double last = std::max(std::ceil(std::log10(high) * 3) / 3, first + 1.0 / 3);
  const auto x = [&](double step) { return left + (width - left - right) * step / static_cast<double>(steps); };
  const auto y = [&](double loss) {
    return top + (height - top - bottom) * (last - std::log10(std::max(loss, low / 2))) / (last - first);
  };

  std::fprintf(file,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
               "font-family=\"system-ui,sans-serif\" font-size=\"13\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
               "<text x=\"%g\" y=\"28\" font-size=\"16\" fill=\"#1f2933\">Training loss (log), mean of %zu steps</text>\n",
               width, height, width, height, left, window);
  for (int decade = -6; decade <= 3; ++decade)
    for (int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10.0, decade);
      if (std::log10(value) < std::max(first, std::log10(low / 2)) || std::log10(value) > last + 1e-9) continue;
      std::fprintf(file,
                   "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"#e1e5ea\"/>"
                   "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\" fill=\"#52606d\">%g</text>\n",
                   left, y(value), width - right, y(value), left - 8, y(value) + 4, value);
    }
  const double raw = static_cast<double>(steps) / 5;
  const double unit = std::pow(10.0, std::floor(std::log10(raw)));
  const double tick = std::max(1.0, unit * (raw / unit < 2 ? 1 : raw / unit < 5 ? 2 : 5));
  for (double s = 0; s <= static_cast<double>(steps) * 1.0001; s += tick)
    std::fprintf(file, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\" fill=\"#52606d\">%g</text>\n", x(s),
                 height - bottom + 22, s);
  std::fprintf(file,
               "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"#52606d\"/>"
               "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" fill=\"#1f2933\">step</text>\n",
               left, height - bottom, width - right, height - bottom, (left + width - right) / 2, height - 12);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    // The first run is the one to compare with: a broad line under the others.
    std::fprintf(file,
                 "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-opacity=\"%g\" "
                 "stroke-dasharray=\"%s\" points=\"",
                 colours[c % 6], c == 0 ? 6.0 : 1.8, c == 0 ? 0.3 : 1.0, dashes[c % 6]);
    // A screen shows no more than a few hundred points.
    const std::size_t every = std::max<std::size_t>(1, lines[c].size() / 600);
    for (std::size_t i = 0; i < lines[c].size(); i += every)
      if (std::isfinite(lines[c][i])) std::fprintf(file, "%.1f,%.1f ", x(static_cast<double>(i + 1)), y(lines[c][i]));
    const double row = top + 14 + 24 * static_cast<double>(c);
    std::fprintf(file,
                 "\"/>\n<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"2.4\" "
                 "stroke-dasharray=\"%s\"/><text x=\"%g\" y=\"%g\" fill=\"#1f2933\">%s</text>\n",
                 width - right + 16, row, width - right + 52, row, colours[c % 6], dashes[c % 6], width - right + 60,
                 row + 4, curves[c].name.c_str());
  }
  std::fprintf(file, "</svg>\n");
  return std::fclose(file) == 0;
}
