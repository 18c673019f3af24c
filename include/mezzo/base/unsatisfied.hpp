// SPDX-License-Identifier: MIT
//
// A concept that ends in `|| unsatisfied<"sentence">()` prints the sentence where it fails: the compiler explains a
// failed constraint by its atoms, and the atom carries the text.
#pragma once

#include <mezzo/base/config.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// A string literal as a template argument.
template <std::size_t Size>
struct fixed_string {
  char text[Size]{};

  consteval fixed_string(const char (&literal)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = literal[i];
  }
};

/// Always false. `Given` shows up beside the sentence in the instantiation that failed.
template <fixed_string Sentence, class... Given>
consteval bool unsatisfied() {
  return false;
}

}  // namespace mezzo::inline MEZZO_ABI
