// expect-error: mezzo::gradient: the incoming gradient must have the sizes of the expression
// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

using namespace mezzo;

const tensor<float, shape<3, 4>> x, dy;
const tensor<float, shape<4, 4>> other;
#if defined(MEZZO_EXPECT_ERROR)
const auto g = gradient(relu(x), other, wrt(x));
#else
const auto g = gradient(relu(x), dy, wrt(x));
#endif
