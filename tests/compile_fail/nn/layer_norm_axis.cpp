// expect-error: mezzo::layer_norm_layer: the first normalised axis must lie in [-rank, -1]
// SPDX-License-Identifier: MIT
//
// Axis 0 of what the expression sees is the batch.
#include <mezzo/nn/normalizations.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using list = layer_norm_layer<0>::parameters<shape<3, 8>>;
#else
using list = layer_norm_layer<-2>::parameters<shape<3, 8>>;
#endif
static_assert(list::count == 2);
