// SPDX-License-Identifier: MIT
//
// The library without exceptions and without run-time type information: it compiles, runs, and reports a broken
// contract through the program's own MEZZO_THROW.
#include <cstdlib>
#include <cstring>

#define MEZZO_THROW(sentence) std::exit(std::strcmp(sentence, "the sentence that the program sees") == 0 ? 0 : 1)
#include <mezzo/mezzo.hpp>

static_assert(mezzo::counter_bits(1, 2) != mezzo::counter_bits(1, 3));

int main() {
  mezzo::expects(true, "not this one");
  mezzo::expects(false, "the sentence that the program sees");
  return 2;
}
