// expect-error: given a width that three times the number of heads does not divide; check the projection
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

const tensor<float, shape<1, 7, 9>> x;
#if defined(MEZZO_EXPECT_ERROR)
const auto e = self_attention<2>(x);
#else
const auto e = self_attention<3>(x);
#endif
