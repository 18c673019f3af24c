// SPDX-License-Identifier: MIT
//
// The name of a type as the compiler spells it, without its namespaces: what `explain` and error sentences print for
// operation tags.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// A name cut to 64 characters, as a C string.
struct short_name {
  char text[64]{};

  /// Appends text, as far as it fits.
  constexpr short_name& operator<<(const char* more) {
    std::size_t at = 0;
    while (text[at] != '\0') ++at;
    for (; *more != '\0' && at + 1 < sizeof(text); ++at) text[at] = *more++;
    return *this;
  }
  constexpr short_name& operator<<(std::size_t number) {
    char digits[21]{};
    std::size_t first = 20;
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << digits + first;
  }
};

/// Unqualified name of a class type, such as "relu" for `mezzo::op::relu`; template arguments are left out.
template <class T>
[[nodiscard]] constexpr short_name unqualified_name() {
#if defined(_MSC_VER) && !defined(__clang__)
  const char* signature = __FUNCSIG__;
#else
  const char* signature = __PRETTY_FUNCTION__;
#endif
  // The type follows "T = " (g++, clang) or stands between "unqualified_name<" and ">(" (MSVC).
  const auto starts = [](const char* at, const char* prefix) {
    while (*prefix != '\0')
      if (*at++ != *prefix++) return false;
    return true;
  };
  const char* first = signature;
  while (*first != '\0' && !starts(first, "T = ") && !starts(first, "unqualified_name<")) ++first;
  while (*first != '\0' && *first != ' ' && *first != '<') ++first;
  while (*first == ' ' || *first == '<' || *first == '=') ++first;
  const char* last = first;
  for (; *last != '\0' && *last != ']' && *last != '<' && *last != '>' && *last != ';'; ++last)
    if (*last == ':' || *last == ' ') first = last + 1;
  short_name name;
  for (std::size_t i = 0; i + 1 < sizeof(name.text) && first != last; ++i) name.text[i] = *first++;
  return name;
}

}  // namespace mezzo::inline MEZZO_ABI
