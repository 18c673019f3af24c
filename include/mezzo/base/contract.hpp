// SPDX-License-Identifier: MIT
//
// What happens when a caller breaks a contract at run time: one sentence, thrown as `mezzo::error`. A program that
// wants something else defines MEZZO_THROW(sentence), taking a `const char*`, before it includes the library; without
// exceptions the default prints nothing and aborts. In constant evaluation a broken contract does not compile.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>    // size_t
#include <exception>  // exception

#if !defined(MEZZO_THROW) && !(defined(__cpp_exceptions) || defined(_CPPUNWIND))
#include <cstdlib>  // abort
#endif

namespace mezzo::inline MEZZO_ABI {

/// A sentence in a fixed buffer: text and whole numbers, cut at its capacity, never allocated.
class sentence {
 public:
  static constexpr std::size_t capacity = 320;

  constexpr sentence() = default;
  MEZZO_OUTLINE constexpr sentence(const char* text) { *this << text; }

  MEZZO_OUTLINE constexpr sentence& operator<<(const char* text) {
    while (*text != '\0') put(*text++);
    return *this;
  }
  constexpr sentence& operator<<(long long value) {
    if (value < 0) put('-');
    const auto modulus = static_cast<unsigned long long>(value);
    return *this << (value < 0 ? 0ULL - modulus : modulus);
  }
  MEZZO_OUTLINE constexpr sentence& operator<<(unsigned long long value) {
    char digits[20]{};
    int count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  constexpr sentence& operator<<(long value) { return *this << static_cast<long long>(value); }
  constexpr sentence& operator<<(unsigned long value) { return *this << static_cast<unsigned long long>(value); }
  constexpr sentence& operator<<(int value) { return *this << static_cast<long long>(value); }
  constexpr sentence& operator<<(unsigned value) { return *this << static_cast<unsigned long long>(value); }

  [[nodiscard]] constexpr const char* text() const { return text_; }

 private:
  constexpr void put(char c) {
    if (size_ + 1 < capacity) text_[size_++] = c;
  }

  char text_[capacity]{};
  std::size_t size_ = 0;
};

/// A broken contract or a refused input; `what()` is one sentence: entity, what is required, what was given, how to
/// fix.
class error : public std::exception {
 public:
  explicit error(const sentence& why) : why_(why) {}
  [[nodiscard]] const char* what() const noexcept override { return why_.text(); }

 private:
  sentence why_;
};

/// Reports a broken contract; does not return.
[[noreturn]] MEZZO_OUTLINE inline void fail(const sentence& why) {
#if defined(MEZZO_THROW)
  MEZZO_THROW(why.text());
#elif defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw error(why);
#else
  static_cast<void>(why);
  std::abort();
#endif
}

/// Requires: `holds`. Otherwise fails with `why`.
constexpr void expects(bool holds, const char* why) {
  if (!holds) fail(sentence(why));
}

}  // namespace mezzo::inline MEZZO_ABI
