// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and the same loops as for bfloat16
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
#include "elementwise.hpp"

TEST_CASE("functions of the exponential of float16 are the same bits everywhere") {
  check_exponentials<mezzo::float16>();
}
