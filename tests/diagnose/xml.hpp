// SPDX-License-Identifier: MIT
//
// A strict reader of the XML that the reports write.
#pragma once

#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace xml {

struct element {
  std::string name, text;
  std::map<std::string, std::string> attributes;

  [[nodiscard]] double operator[](const char* key) const {
    REQUIRE(attributes.count(key) == 1);
    return std::atof(attributes.at(key).c_str());
  }
};

/// Elements of a document in the order in which they begin: tags that nest, quoted attributes, the predefined entities.
/// Whatever departs from XML 1.0 fails the test.
inline std::vector<element> parse(const std::string& xml) {
  std::vector<element> found;
  std::vector<std::size_t> open;
  std::size_t at = 0;
  const auto character = [&]() -> char {
    REQUIRE(at < xml.size());
    REQUIRE(static_cast<unsigned char>(xml[at]) >= 0x0a);
    REQUIRE(xml[at] != '<');
    if (xml[at] != '&') return xml[at++];
    for (const auto& [entity, value] : {std::pair{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}})
      if (xml.compare(at, std::string(entity).size(), entity) == 0) {
        at += std::string(entity).size();
        return value;
      }
    FAIL("an entity that XML does not have");
    return '\0';
  };
  const auto word = [&] {
    std::string name;
    while (at < xml.size() && (std::isalnum(static_cast<unsigned char>(xml[at])) != 0 || xml[at] == '-'))
      name += xml[at++];
    REQUIRE(!name.empty());
    return name;
  };
  while (at < xml.size()) {
    if (xml[at] != '<') {
      const char c = character();
      if (open.empty())
        REQUIRE(c == '\n');
      else
        found[open.back()].text += c;
      continue;
    }
    ++at;
    if (xml[at] == '/') {
      ++at;
      REQUIRE(!open.empty());
      CHECK(word() == found[open.back()].name);
      open.pop_back();
    } else {
      if (open.empty()) REQUIRE(found.empty());  // one root
      element e;
      e.name = word();
      while (xml[at] == ' ') {
        ++at;
        const std::string key = word();
        REQUIRE(xml.compare(at, 2, "=\"") == 0);
        REQUIRE(e.attributes.count(key) == 0);
        std::string& value = e.attributes[key];
        for (at += 2; xml[at] != '"';) value += character();
        ++at;
      }
      found.push_back(e);
      if (xml[at] == '/')
        ++at;
      else
        open.push_back(found.size() - 1);
    }
    REQUIRE(xml[at] == '>');
    ++at;
  }
  CHECK(open.empty());
  return found;
}

inline std::vector<element> all(const std::vector<element>& in, const char* name) {
  std::vector<element> of;
  for (const element& e : in)
    if (e.name == name) of.push_back(e);
  return of;
}

}  // namespace xml
