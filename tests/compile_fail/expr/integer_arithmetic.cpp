// expect-error: mezzo::expression: tensors in arithmetic must hold floating-point numbers
// SPDX-License-Identifier: MIT
//
// Counts are not promoted: which type they should take is for the program to say.
#include <mezzo/expr/pointwise.hpp>

using namespace mezzo;

const tensor<int, shape<3>> counts;
const tensor<float, shape<3>> numbers;
#if defined(MEZZO_EXPECT_ERROR)
const auto e = numbers + counts;
#else
const auto e = numbers + numbers;
#endif
