// SPDX-License-Identifier: MIT
//
// The smallest program that uses the library, built by each of the ways to find it.
#include <mezzo/mezzo.hpp>

int main() { return mezzo::counter_below(1, 2, 10) < 10 ? 0 : 1; }
