// expect-error: mezzo::self_attention: the operand must have three axes
// SPDX-License-Identifier: MIT
#include <mezzo/expr/attention.hpp>

using namespace mezzo;

const tensor<float, shape<7, 9>> one;
const tensor<float, shape<1, 7, 9>> batch;
#if defined(MEZZO_EXPECT_ERROR)
const auto e = self_attention(one);
#else
const auto e = self_attention(batch);
#endif
