// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/npu_trace.hpp>

#include "profiles.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

using namespace mezzo;
using doctest::Approx;

namespace {

/// A value of JSON: a number, a string, an array or an object.
struct json {
  double number = 0;
  std::string text;
  std::vector<json> items;
  std::map<std::string, json> members;
  char kind = 0;  // of its first character, '0' for numbers

  const json& operator[](const std::string& key) const {
    REQUIRE(members.count(key) == 1);
    return members.at(key);
  }
};

/// RFC 8259, without true, false and null, which no trace needs. Whatever departs from it fails the test.
class reader {
 public:
  explicit reader(const std::string& text) : text_(text) {}

  json whole() {
    const json value = read();
    REQUIRE(at_ == text_.size());
    return value;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void take(char c) {
    if (peek() != c) REQUIRE_MESSAGE(peek() == c, text_.substr(at_ < 40 ? 0 : at_ - 40, 80));
    ++at_;
  }

  json read() {
    blanks();
    json value;
    value.kind = peek();
    if (peek() == '[') {
      take('[');
      for (blanks(); peek() != ']';) {
        if (!value.items.empty()) take(',');
        value.items.push_back(read());
      }
      take(']');
    } else if (peek() == '{') {
      take('{');
      for (blanks(); peek() != '}';) {
        if (!value.members.empty()) take(',');
        blanks();
        const std::string key = string();
        take(':');
        if (value.members.count(key) != 0) REQUIRE(value.members.count(key) == 0);
        value.members[key] = read();
      }
      take('}');
    } else if (peek() == '"') {
      value.text = string();
    } else {
      value.kind = '0';
      value.number = number();
    }
    blanks();
    return value;
  }
  std::string string() {
    std::string value;
    for (take('"'); peek() != '"'; ++at_) {
      if (static_cast<unsigned char>(peek()) < 0x20) REQUIRE(static_cast<unsigned char>(peek()) >= 0x20);
      if (peek() == '\\') {
        ++at_;
        const bool escape = peek() == '"' || peek() == '\\';
        if (!escape) REQUIRE(escape);
      }
      value += peek();
    }
    take('"');
    return value;
  }
  double number() {
    const std::size_t first = at_;
    if (peek() == '-') ++at_;
    const auto digits = [&] {
      const std::size_t from = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      if (at_ == from) REQUIRE(at_ > from);
    };
    if (peek() == '0')
      ++at_;
    else
      digits();
    if (peek() == '.') {
      ++at_;
      digits();
    }
    return std::strtod(text_.c_str() + first, nullptr);
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

using track = std::pair<double, double>;  // of a process

struct trace {
  std::map<double, std::string> processes;
  std::map<track, std::string> names;
  std::map<track, std::vector<const json*>> events;
  json all;

  explicit trace(const std::string& text) : all(reader(text).whole()) {
    REQUIRE(all.kind == '[');
    for (const json& e : all.items) {
      const track on{e["pid"].number, e["tid"].number};
      if (e["ph"].text == "M") {
        const std::string& name = e["args"]["name"].text;
        if (e["name"].text == "process_name")
          processes[on.first] = name;
        else
          names[on] = name;
      } else {
        REQUIRE(e["ph"].text == "X");
        events[on].push_back(&e);
      }
    }
  }
  [[nodiscard]] const std::vector<const json*>& of(double process, const std::string& name) const {
    static const std::vector<const json*> none;
    for (const auto& [on, list] : events)
      if (on.first == process && names.at(on) == name) return list;
    return none;
  }
};

double begin_of(const json& e) { return e["ts"].number; }
double end_of(const json& e) { return e["ts"].number + e["dur"].number; }

}  // namespace

TEST_CASE("a trace is JSON; kernels follow one another, and no track does two things at once") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1}) {
    const npu::profile p = profiles::mixed(*on);
    const trace t(npu::chrome_trace(100000).add(*on, p).json());
    CHECK(t.processes.at(1) == on->name);
    for (const auto& [where, list] : t.events) {
      CHECK(t.names.count(where) == 1);
      double end = 0;
      std::size_t early = 0;
      for (const json* e : list) {
        early += begin_of(*e) < end - 1e-6 ? 1U : 0U;
        end = end_of(*e);
        CHECK((*e)["dur"].number > 0);
      }
      CHECK(early == 0);
    }
    const auto& kernels = t.of(1, "kernels");
    REQUIRE(kernels.size() == p.size());
    double at = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK((*kernels[i])["name"].text == p[i].name.text);
      CHECK((*kernels[i])["args"]["calls"].number == static_cast<double>(p[i].calls));
      CHECK((*kernels[i])["args"]["bytes_in"].number == static_cast<double>(p[i].each.bytes_in));
      CHECK(begin_of(*kernels[i]) == Approx(at).epsilon(1e-4));
      CHECK((*kernels[i])["dur"].number == Approx(p[i].each.microseconds).epsilon(1e-3));
      at += p[i].each.microseconds;
    }
    CHECK(t.of(1, "notes").empty());
    CHECK(t.of(1, "fixpipe").empty() == on->combined);
    CHECK(t.of(1, "aiv_mte2").empty() == on->combined);
  }
}

TEST_CASE("instructions lie inside their kernel, and one core's add up to what its pipes were busy") {
  const npu::chip& on = npu::ascend910b1;
  npu::profile p;
  profiles::add(p, on, "matmul", npu::product_task{.m = 128, .n = 256, .k = 512}, 7);
  profiles::add(p, on, "add", profiles::vector_work(2000));
  const trace t(npu::chrome_trace(100000).add(on, p, {}, "label").json());
  CHECK(t.processes.at(1) == "label");
  const auto& kernels = t.of(1, "kernels");
  for (const auto& [where, list] : t.events)
    for (const json* e : list) {
      const json& kernel = *kernels[begin_of(*e) < end_of(*kernels[0]) - 1e-6 ? 0 : 1];
      CHECK(begin_of(*e) >= begin_of(kernel) - 1e-6);
      CHECK(end_of(*e) <= end_of(kernel) + 1e-3);
    }
  // One tile, so all of the cube's cores are this one.
  REQUIRE(p[1].each.vector_cores == 1);
  const auto busy = [&](const char* name) {
    double sum = 0;
    for (const json* e : t.of(1, name))
      if ((*e)["name"].text != "prologue") sum += (*e)["dur"].number;
    return sum;
  };
  if (p[0].each.cube_cores == 1)
    for (const npu::pipe q : {npu::pipe::cube, npu::pipe::mte1, npu::pipe::mte2, npu::pipe::fixpipe})
      CHECK(busy(name_of(q)) == Approx(on.microseconds(p[0].each.of(q))).epsilon(0.01));
  for (const npu::pipe q : {npu::pipe::vector, npu::pipe::aiv_mte2, npu::pipe::mte3, npu::pipe::aiv_scalar})
    CHECK(busy(name_of(q)) == Approx(on.microseconds(p[1].each.of(q))).epsilon(0.01));
}

TEST_CASE("a long kernel is cut, and says so") {
  const npu::chip& on = npu::ascend910b3;
  npu::profile p;
  profiles::add(p, on, "matmul", npu::product_task{.m = 4096, .n = 4096, .k = 4096});
  const std::string whole = npu::chrome_trace(10000000).add(on, p).json();
  const std::string text = npu::chrome_trace(50).add(on, p).json();
  CHECK(text.size() < 8000);
  CHECK(whole.size() > 100 * text.size());
  const trace all(whole), cut(text);
  REQUIRE(cut.of(1, "notes").size() == 1);
  const json& note = *cut.of(1, "notes")[0];
  std::size_t events = 0;
  for (const auto& [where, list] : all.events) events += list.size();
  events -= 2 + 50;  // the kernel, its prologue, and what is shown
  CHECK(note["name"].text == std::to_string(events) + " more instructions");
  CHECK(end_of(note) == Approx(end_of(*cut.of(1, "kernels")[0])));
  std::size_t shown = 0;
  for (const auto& [where, list] : cut.events) shown += list.size();
  CHECK(shown == 50 + 3);
}

TEST_CASE("each chip is a process; names are escaped") {
  npu::chrome_trace t;
  t.add(npu::ascend910a, profiles::mixed(npu::ascend910a));
  t.add(npu::ascend910b1, profiles::mixed(npu::ascend910b1), {}, "O2 \"half\"\\");
  const trace both(t.json());
  CHECK(both.processes.size() == 2);
  CHECK(both.processes.at(1) == "ascend910a");
  CHECK(both.processes.at(2) == "O2 \"half\"\\");
  CHECK(both.of(1, "kernels").size() == both.of(2, "kernels").size());
  CHECK((*both.of(2, "kernels")[4])["name"].text == profiles::mixed(npu::ascend910b1)[4].name.text);
}

TEST_CASE("without fusion the product is shown, and time passes for the rest") {
  const npu::options how{.fusion = false, .double_buffering = false};
  const npu::profile p = profiles::mixed(npu::ascend910b1, how);
  const trace t(npu::chrome_trace(100000).add(npu::ascend910b1, p, how).json());
  const auto& kernels = t.of(1, "kernels");
  for (const auto& [where, list] : t.events)
    for (const json* e : list) {
      std::size_t inside = 0;
      for (const json* k : kernels)
        inside += begin_of(*e) >= begin_of(*k) - 1e-6 && end_of(*e) <= end_of(*k) + 1e-3 ? 1U : 0U;
      CHECK(inside == 1);
    }
}

TEST_CASE("nothing ran") {
  const trace none(npu::chrome_trace().json()), empty(npu::chrome_trace().add(npu::ascend910a, {}).json());
  CHECK(none.all.items.empty());
  CHECK(empty.events.empty());
}
