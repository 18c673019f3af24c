// SPDX-License-Identifier: MIT
//
// A model on the processor.
#include "compare_model.hpp"

TEST_CASE("a model on the processor is its expression there, bit for bit") {
  compare_with_expression<policies::O2<bfloat16>, cpu>();
}
