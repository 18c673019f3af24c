// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/npu_roofline.hpp>

#include "profiles.hpp"
#include "xml.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace mezzo;
using doctest::Approx;

namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Many kernels of nearly the same figures beside some that are far from them.
npu::profile crowded(const npu::chip& on) {
  npu::profile p = profiles::mixed(on);
  for (std::size_t i = 1; i < 30; ++i)
    profiles::add(p, on, "matmul", npu::product_task{.m = 512 + i, .n = 512, .k = 512}, 40);
  profiles::add(p, on, "matmul+bias", npu::product_task{.m = 4096, .n = 4096, .k = 4096}, 3);
  return p;
}

}  // namespace

TEST_CASE("the picture is well-formed XML with a dot for each kernel that computes, and its name beside it") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1}) {
    const npu::profile p = profiles::mixed(*on);
    const auto svg = xml::parse(roofline_svg(*on, p, "a & \"b\" <c>"));
    CHECK(svg[0].name == "svg");
    CHECK(svg[0].attributes.at("xmlns") == "http://www.w3.org/2000/svg");
    CHECK(xml::all(svg, "circle").size() == p.size() - 1);
    std::string words;
    for (const xml::element& t : xml::all(svg, "text")) words += t.text + "\n";
    CHECK(words.rfind("a & \"b\" <c>\n", 0) == 0);
    for (const char* part : {"matmul+gelu 200x100x77\n", "a \"quoted\", <odd> & long\\name that go…\n", "–\n",
                             "useful TFLOP/s\n", "HBM ", "L2 ", "cube float16 ", "vector 16-bit "})
      CHECK_MESSAGE(words.find(part) != std::string::npos, std::string(part));
    CHECK((words.find("cube float32 ") != std::string::npos) == (on == &npu::ascend910b1));
  }
}

TEST_CASE("dots are where their figures put them, under the roofs") {
  const npu::chip& on = npu::ascend910b1;
  npu::profile p;
  profiles::add(p, on, "matmul", npu::product_task{.m = 2048, .n = 2048, .k = 2048});
  profiles::add(p, on, "work", profiles::vector_work(500000, 30));
  profiles::add(p, on, "add", profiles::vector_work(1000, 1));
  const auto svg = xml::parse(roofline_svg(on, p));
  // Ticks give the scales back: below the plot of x, left of it of y.
  std::map<double, double> x_ticks, y_ticks;
  for (const xml::element& t : xml::all(svg, "text")) {
    const std::string& anchor = t.attributes.at("text-anchor");
    const double exponent = std::log10(std::atof(t.text.c_str()));
    if (anchor == "middle" && t["y"] == 580) x_ticks[exponent] = t["x"];
    if (anchor == "end" && t["x"] == 76) y_ticks[exponent] = t["y"] - 4;
  }
  REQUIRE(x_ticks.size() >= 2);
  REQUIRE(y_ticks.size() >= 2);
  const auto at = [](const std::map<double, double>& ticks, double value) {
    const auto &first = *ticks.begin(), &last = *ticks.rbegin();
    return first.second + (last.second - first.second) * (std::log10(value) - first.first) / (last.first - first.first);
  };
  const auto dots = xml::all(svg, "circle");
  REQUIRE(dots.size() == 3);
  for (const xml::element& dot : dots) {
    bool found = false;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const npu::kernel_figures f = figures_of(on, p[i]);
      found = found || (std::abs(dot["cx"] - at(x_ticks, f.intensity().value)) < 0.2 &&
                        std::abs(dot["cy"] - at(y_ticks, f.operations_a_second() * 1e-12)) < 0.2);
    }
    CHECK(found);
    CHECK(dot["cx"] > 84);
    CHECK(dot["cx"] < 720);
    CHECK(dot["cy"] < 560);
  }
  // The product, whose time is longest, comes first, near the cube's roof and not above it.
  const double peak = at(y_ticks, on.peak_teraflops(npu::element::float16));
  CHECK(dots[0]["cy"] > peak);
  CHECK(dots[0]["cy"] < peak + 60);
}

TEST_CASE("numbers and roofs' names overlap neither each other nor a dot, and what has no number is summed up") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b4}) {
    const npu::profile p = crowded(*on);
    const auto svg = xml::parse(roofline_svg(*on, p));
    std::vector<npu::detail::box> boxes;
    std::size_t numbers = 0, listed = 0;
    for (const xml::element& t : xml::all(svg, "text")) {
      const double half = 3.6 * static_cast<double>(detail::character_count(t.text));
      const bool number = is_number(t.text) && t["font-size"] == 12 && t.attributes.at("text-anchor") == "middle";
      if (number) boxes.push_back({t["x"] - half, t["y"] - 10, t["x"] + half, t["y"] + 1});
      if (t.text.find("FLOP/s") != std::string::npos && t.attributes.at("text-anchor") == "end")
        boxes.push_back({t["x"] - 2 * half, t["y"] - 10, t["x"], t["y"] + 1});
      numbers += number ? 1U : 0U;
      listed += is_number(t.text) && t.attributes.at("text-anchor") == "end" && t["x"] > 720 ? 1U : 0U;
    }
    CHECK(numbers == 26);
    CHECK(listed == 26);
    for (const xml::element& c : xml::all(svg, "circle"))
      for (const npu::detail::box& b : boxes)
        CHECK(!b.meets({c["cx"] - c["r"], c["cy"] - c["r"], c["cx"] + c["r"], c["cy"] + c["r"]}));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      CHECK(boxes[i].left > 84);
      CHECK(boxes[i].right < 720);
      for (std::size_t j = 0; j < i; ++j) CHECK(!boxes[i].meets(boxes[j]));
    }
    CHECK(roofline_svg(*on, p).find("10 kinds more, without numbers") != std::string::npos);
  }
}

TEST_CASE("an empty profile has roofs only") {
  const auto svg = xml::parse(roofline_svg(npu::ascend910b2, {}));
  CHECK(xml::all(svg, "circle").empty());
  CHECK(roofline_svg(npu::ascend910b2, {}).find("cube float16 354 TFLOP/s") != std::string::npos);
}
