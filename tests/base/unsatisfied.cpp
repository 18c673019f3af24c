// SPDX-License-Identifier: MIT
#include <mezzo/base/unsatisfied.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

template <class T>
concept small_enough = sizeof(T) <= 4 || mezzo::unsatisfied<"small_enough: at most four bytes", T>();

constexpr mezzo::fixed_string literal = "abc";

template <mezzo::fixed_string Text>
struct tagged {
  static constexpr auto text = Text;
};

}  // namespace

TEST_CASE("a concept with a sentence holds or fails as without it") {
  static_assert(small_enough<int>);
  static_assert(!small_enough<double>);
  CHECK(!mezzo::unsatisfied<"never holds">());
}

TEST_CASE("a literal is a template argument with its text") {
  CHECK(std::string(literal.text) == "abc");
  CHECK(std::string(tagged<"xyz">::text.text) == "xyz");
}
