// expect-error: mezzo::trainer: samples must be float32 and labels of the loss
// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

using namespace mezzo;

using net = sequential<input<4>, dense<3>>;
using some_trainer = trainer<net, cross_entropy_loss, adam, policies::O0<>, reference>;

#if defined(MEZZO_EXPECT_ERROR)
void use(some_trainer& t, const tensor<double, shape<8, 4>>& x, const tensor<std::int32_t, shape<8>>& y) {
#else
void use(some_trainer& t, const tensor<float, shape<8, 4>>& x, const tensor<std::int32_t, shape<8>>& y) {
#endif
  static_cast<void>(t.backward(x, y));
}
