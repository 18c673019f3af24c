// SPDX-License-Identifier: MIT
//
// A picture as text in SVG 1.1 that needs no other file: lines, discs and words, coordinates in pixels from the upper
// left corner. Words are escaped; what is drawn later lies on top.
#pragma once

#include <mezzo/diagnose/report_text.hpp>

#include <string>       // string
#include <string_view>  // string_view

namespace mezzo::inline MEZZO_ABI {
namespace detail {

/// How words look. `angle` is in degrees, clockwise, about where they are anchored: at their "start", "middle", "end".
struct svg_font {
  const char* colour = "#1f2933";
  const char* anchor = "start";
  double size = 13, angle = 0;
  bool halo = false;  // white around each letter, where lines may cross
};

class svg {
 public:
  svg(double width, double height) {
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    attribute("width", width);
    attribute("height", height);
    text_ += " viewBox=\"0 0 ";
    put_fixed(text_, width, 1);
    text_ += ' ';
    put_fixed(text_, height, 1);
    text_ += "\" font-family=\"system-ui,sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  }
  [[nodiscard]] std::string text() const { return text_ + "</svg>\n"; }

  void line(double x1, double y1, double x2, double y2, const char* colour, double thick = 1, const char* dashes = "") {
    text_ += "<line";
    attribute("x1", x1);
    attribute("y1", y1);
    attribute("x2", x2);
    attribute("y2", y2);
    attribute("stroke", colour);
    attribute("stroke-width", thick);
    if (*dashes != '\0') attribute("stroke-dasharray", dashes);
    text_ += "/>\n";
  }
  /// A disc that shows `title` where a pointer rests on it.
  void disc(double x, double y, double radius, const char* colour, std::string_view title) {
    text_ += "<circle";
    attribute("cx", x);
    attribute("cy", y);
    attribute("r", radius);
    attribute("fill", colour);
    attribute("fill-opacity", "0.65");
    attribute("stroke", "white");
    text_ += "><title>";
    put_xml(text_, title);
    text_ += "</title></circle>\n";
  }
  void words(double x, double y, std::string_view words, const svg_font& font) {
    text_ += "<text";
    attribute("x", x);
    attribute("y", y);
    attribute("font-size", font.size);
    attribute("fill", font.colour);
    attribute("text-anchor", font.anchor);
    if (font.halo) text_ += " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
    if (font.angle != 0) {
      text_ += " transform=\"rotate(";
      put_fixed(text_, font.angle, 1);
      for (const double centre : {x, y}) {
        text_ += ' ';
        put_fixed(text_, centre, 1);
      }
      text_ += ")\"";
    }
    text_ += '>';
    put_xml(text_, words);
    text_ += "</text>\n";
  }
  /// Width of words in a common sans-serif font, rather too much than too little.
  [[nodiscard]] static double room(std::string_view words, double size) {
    return 0.6 * size * static_cast<double>(character_count(words));
  }

 private:
  void attribute(const char* name, const char* value) { text_ += std::string(" ") + name + "=\"" + value + "\""; }
  void attribute(const char* name, double value) {
    text_ += std::string(" ") + name + "=\"";
    put_fixed(text_, value, 1);
    text_ += '"';
  }

  std::string text_;
};

}  // namespace detail
}  // namespace mezzo::inline MEZZO_ABI
