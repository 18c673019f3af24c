// expect-error: mezzo::clip_norm: the norm must have been tracked while the gradients were written
// SPDX-License-Identifier: MIT
//
// No pass over memory exists that would compute it later.
#include <mezzo/train/gradients.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
constexpr bool tracked = false;
#else
constexpr bool tracked = true;
#endif

void use(const gradients<carries_scale, tracked, false>& g) { static_cast<void>(clip_norm(unscale(g), 1.0f)); }
