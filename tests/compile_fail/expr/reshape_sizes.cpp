// expect-error: the number of elements must stay the same; given sizes that hold another number
// SPDX-License-Identifier: MIT
#include <mezzo/expr/rearrange.hpp>

using namespace mezzo;

const tensor<float, shape<3, 4>> x;
#if defined(MEZZO_EXPECT_ERROR)
const auto e = reshape<5, 2>(x);
#else
const auto e = reshape<6, 2>(x);
#endif
