// SPDX-License-Identifier: MIT
//
// A model without a low type.
#include "compare_model.hpp"

#include <mezzo/backend/reference/reference.hpp>

TEST_CASE("a model in float32 is its expression, bit for bit") { compare_with_expression<policies::O0<>, reference>(); }
