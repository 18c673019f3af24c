// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
#include "elementwise.hpp"

TEST_CASE("elementwise results of float16 are the same bits everywhere") { check_every_function<mezzo::float16>(); }
