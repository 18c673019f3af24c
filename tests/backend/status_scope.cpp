// SPDX-License-Identifier: MIT
// not under -Ofast: nothing in it computes with floating point
#include <mezzo/backend/status_scope.hpp>

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

struct flag {
  bool hides = true;
  bool raised = false;
  constexpr bool saturates() const { return hides; }
  constexpr bool overflow() const { return raised; }
  constexpr void clear_overflow() { raised = false; }
  constexpr void raise_overflow() { raised = true; }
};

}  // namespace

TEST_CASE("a scope reads what was raised in it and gives back what was raised before") {
  constexpr bool as_said = [] {
    flag f{.raised = true};
    {
      const status_scope scope(f);
      if (scope.raised()) return false;
      f.raise_overflow();
      if (!scope.raised() || !scope.overflowed()) return false;
      f.hides = false;
      if (scope.overflowed()) return false;  // the values show it
      f.clear_overflow();
    }
    return f.raised;
  }();
  static_assert(as_said);
  flag clean;
  { const status_scope scope(clean); }
  CHECK(!clean.raised);
}

TEST_CASE("a backend without a flag raises none") {
  reference on;
  static_assert(!has_overflow_status<reference>);
  const status_scope scope(on);
  CHECK(!scope.overflowed());
}
