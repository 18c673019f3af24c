// SPDX-License-Identifier: MIT
#include <mezzo/base/type_name.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace program {
struct alone {};
namespace inner {
struct deep {};
template <class T, int N>
struct templated {};
}  // namespace inner
struct a_name_that_is_longer_than_the_sixty_three_characters_which_a_short_name_has_room_for {};
enum class colour { red };
}  // namespace program

struct global {};

namespace {

struct hidden {};
class with_class_key {};

template <class T>
constexpr bool is_called(std::string_view expected) {
  return std::string_view(mezzo::unqualified_name<T>().text) == expected;
}

static_assert(is_called<global>("global"));
static_assert(is_called<program::alone>("alone"));
static_assert(is_called<program::inner::deep>("deep"));
static_assert(is_called<program::colour>("colour"));
static_assert(is_called<hidden>("hidden") && is_called<with_class_key>("with_class_key"));
static_assert(is_called<program::inner::templated<program::alone, 3>>("templated"), "arguments are left out");

// 63 characters and the end.
static_assert(is_called<program::a_name_that_is_longer_than_the_sixty_three_characters_which_a_short_name_has_room_for>(
    "a_name_that_is_longer_than_the_sixty_three_characters_which_a_s"));

}  // namespace

TEST_CASE("a name is text without its namespaces") {
  CHECK(std::string(mezzo::unqualified_name<program::inner::deep>().text) == "deep");
  CHECK(sizeof(mezzo::short_name) == 64);
}
