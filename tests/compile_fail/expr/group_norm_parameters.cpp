// expect-error: gain and shift must have one element for each channel; given other sizes
// SPDX-License-Identifier: MIT
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

const tensor<float, shape<3, 8, 2>> x;
const tensor<float, shape<2>> planes;
const tensor<float, shape<8>> channels;
#if defined(MEZZO_EXPECT_ERROR)
const auto e = group_norm<2>(x, planes);
#else
const auto e = group_norm<2>(x, channels);
#endif
