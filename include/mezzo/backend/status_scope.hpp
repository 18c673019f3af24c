// SPDX-License-Identifier: MIT
//
// The status flag of a backend that has one: sticky, so whatever runs between clearing and reading it may have raised
// it. Where results saturate it is all that shows an overflow.
#pragma once

#include <mezzo/base/config.hpp>

#include <concepts>  // convertible_to

namespace mezzo::inline MEZZO_ABI {

/// A backend `b` whose results may saturate: `b.saturates()` says whether they do, and `b.overflow()` whether one did
/// since `b.clear_overflow()`; `b.raise_overflow()` raises the flag again.
template <class B>
concept has_overflow_status = requires(B& b, const B& c) {
  { c.saturates() } -> std::convertible_to<bool>;
  { c.overflow() } -> std::convertible_to<bool>;
  b.clear_overflow();
  b.raise_overflow();
};

/// Clears the flag for the life of a scope and reads what was raised in it; what was raised before is raised again at
/// the end. On a backend without a flag nothing is ever raised.
template <class Backend>
class status_scope {
 public:
  constexpr explicit status_scope(Backend&) {}
  [[nodiscard]] constexpr bool raised() const { return false; }
  [[nodiscard]] constexpr bool overflowed() const { return false; }
};
template <has_overflow_status Backend>
class status_scope<Backend> {
 public:
  constexpr explicit status_scope(Backend& of) : of_(of), before_(of.overflow()) { of.clear_overflow(); }
  status_scope(const status_scope&) = delete;
  status_scope& operator=(const status_scope&) = delete;
  constexpr ~status_scope() {
    if (before_) of_.raise_overflow();
  }
  [[nodiscard]] constexpr bool raised() const { return of_.overflow(); }
  /// Whether results overflowed that do not show it.
  [[nodiscard]] constexpr bool overflowed() const { return of_.saturates() && raised(); }

 private:
  Backend& of_;
  bool before_;
};

}  // namespace mezzo::inline MEZZO_ABI
