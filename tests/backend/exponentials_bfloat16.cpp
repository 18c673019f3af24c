// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
#include "elementwise.hpp"

TEST_CASE("functions of the exponential of bfloat16 are the same bits everywhere") {
  check_exponentials<mezzo::bfloat16>();
}
