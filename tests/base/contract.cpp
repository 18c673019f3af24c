// SPDX-License-Identifier: MIT
#include <mezzo/base/contract.hpp>

#include <doctest/doctest.h>

#include <climits>
#include <cstring>
#include <string>
#include <type_traits>

namespace {

constexpr bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

template <class... Pieces>
constexpr mezzo::sentence compose(const Pieces&... pieces) {
  mezzo::sentence text;
  (text << ... << pieces);
  return text;
}

// A contract in constant evaluation: kept, it costs nothing; broken, it is no constant expression.
template <int Value>
concept constant_when_kept = requires {
  typename std::integral_constant<int, (mezzo::expects(Value > 0, "positive"), Value)>;
};
static_assert(constant_when_kept<1> && !constant_when_kept<-1>);

static_assert(equal(compose("rows ", 3, " of ", 4u).text(), "rows 3 of 4"));

}  // namespace

TEST_CASE("a sentence holds text and whole numbers") {
  CHECK(std::string(mezzo::sentence().text()).empty());
  CHECK(std::string(compose("").text()).empty());
  CHECK(std::string(compose("extent ", 0, " and ", -7, ", at most ", 18446744073709551615ULL).text()) ==
        "extent 0 and -7, at most 18446744073709551615");
  CHECK(std::string(compose(LLONG_MIN, " ", LLONG_MAX).text()) == "-9223372036854775808 9223372036854775807");
  CHECK(std::string(compose(INT_MIN, " ", UINT_MAX).text()) ==
        std::to_string(INT_MIN) + " " + std::to_string(UINT_MAX));
  CHECK(std::string(compose(LONG_MIN, " ", ULONG_MAX).text()) ==
        std::to_string(LONG_MIN) + " " + std::to_string(ULONG_MAX));
}

TEST_CASE("a sentence is cut at its capacity and stays terminated") {
  mezzo::sentence text;
  for (int i = 0; i < 100; ++i) text << "0123456789";
  CHECK(std::strlen(text.text()) == mezzo::sentence::capacity - 1);
  text << 12345;
  CHECK(std::strlen(text.text()) == mezzo::sentence::capacity - 1);
}

TEST_CASE("a broken contract throws its sentence") {
  CHECK_NOTHROW(mezzo::expects(true, "never seen"));
  CHECK_THROWS_WITH_AS(mezzo::expects(false, "x: must be finite"), "x: must be finite", mezzo::error);
  CHECK_THROWS_WITH_AS(mezzo::fail(compose("rows: want ", 2, ", got ", 3)), "rows: want 2, got 3", mezzo::error);
}

TEST_CASE("an error keeps its sentence when it is copied as a std::exception") {
  const mezzo::error original(mezzo::sentence("kept"));
  const mezzo::error copy = original;
  const std::exception& base = copy;
  CHECK(std::string(base.what()) == "kept");
  CHECK(base.what() != original.what());
}
