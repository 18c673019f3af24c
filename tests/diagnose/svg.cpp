// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/svg.hpp>

#include "xml.hpp"

using namespace mezzo;

TEST_CASE("lines, discs and words, in their order, with what XML forbids escaped") {
  detail::svg picture(300, 200.5);
  picture.line(1, 2.25, 3, 4, "red");
  picture.line(1, 2, 3, 4, "#123456", 1.6, "7 4");
  picture.disc(5, 6, 7, "blue", "a < b");
  picture.words(8, 9, "x & \"y\"", {});
  picture.words(10, 20, "aside", {.colour = "green", .anchor = "end", .size = 17, .angle = -30, .halo = true});
  const auto all = xml::parse(picture.text());
  REQUIRE(all.size() == 8);
  CHECK(all[0].name == "svg");
  CHECK(all[0].attributes.at("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(all[0].attributes.at("viewBox") == "0 0 300.0 200.5");
  CHECK(all[0]["height"] == 200.5);
  CHECK(all[1].name == "rect");
  CHECK(all[2].name == "line");
  CHECK(all[2].attributes.at("stroke") == "red");
  CHECK(all[2].attributes.count("stroke-dasharray") == 0);
  CHECK(all[3].attributes.at("stroke-dasharray") == "7 4");
  CHECK(all[3]["stroke-width"] == 1.6);
  CHECK(all[4].name == "circle");
  CHECK(all[4]["r"] == 7);
  CHECK(all[5].name == "title");
  CHECK(all[5].text == "a < b");
  CHECK(all[6].text == "x & \"y\"");
  CHECK(all[6].attributes.count("transform") == 0);
  CHECK(all[7].attributes.at("transform") == "rotate(-30.0 10.0 20.0)");
  CHECK(all[7].attributes.at("text-anchor") == "end");
  CHECK(all[7].attributes.at("paint-order") == "stroke");
}

TEST_CASE("room grows with the characters, not the bytes, of words") {
  CHECK(detail::svg::room("größe", 10) == doctest::Approx(30));
  CHECK(detail::svg::room("", 10) == 0);
}
