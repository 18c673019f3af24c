// SPDX-License-Identifier: MIT
//
// Two translation units that include the whole library link into one program, and entities are the same in both.
#include <mezzo/mezzo.hpp>

const void* address_in_other_unit();

int main() { return reinterpret_cast<const void*>(&mezzo::fail) == address_in_other_unit() ? 0 : 1; }
