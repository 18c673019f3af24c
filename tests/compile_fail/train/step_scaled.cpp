// expect-error: mezzo::step: gradients must be unscaled before the step
// SPDX-License-Identifier: MIT
//
// A step with scaled gradients would be thousands of steps long.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/train/trainer.hpp>

using namespace mezzo;

using tested = trainer<sequential<input<4>, dense<2>>, cross_entropy_loss, sgd, policies::O2<float16>, reference>;

void use(tested& t, const gradients<carries_scale, false, false>& g) {
#if defined(MEZZO_EXPECT_ERROR)
  t.update(t.step(g));
#else
  t.update(t.step(unscale(g)));
#endif
}
