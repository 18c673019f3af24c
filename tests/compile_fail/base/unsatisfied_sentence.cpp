// expect-error: readable: a sentence that the compiler must print
// SPDX-License-Identifier: MIT
//
// The mechanism of every message in the library: a failed constraint prints the sentence at its end.
#include <mezzo/base/unsatisfied.hpp>

template <class T>
concept readable = sizeof(T) > 1 || mezzo::unsatisfied<"readable: a sentence that the compiler must print", T>();

template <readable T>
void read(T) {}

void use() {
#if defined(MEZZO_EXPECT_ERROR)
  read('c');
#else
  read(1);
#endif
}
