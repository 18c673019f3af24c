// expect-error: mezzo::trainer: a network must end in one row of logits
// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

using namespace mezzo;


#if defined(MEZZO_EXPECT_ERROR)
using net = sequential<input<1, 4, 4>, conv2d<2, 3, same>>;
#else
using net = sequential<input<1, 4, 4>, conv2d<2, 3, same>, flatten, dense<2>>;
#endif
void use(trainer<net, cross_entropy_loss, adam, policies::O0<>, reference>& t) { static_cast<void>(t.steps()); }
