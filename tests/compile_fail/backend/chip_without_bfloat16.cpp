// expect-error: mezzo::npu::model: the chip must have every type that the policy chooses; given bfloat16 on a chip of
// SPDX-License-Identifier: MIT
//
// A policy of bfloat16 on a chip of the first generation; the compiler's note names the chip in the model's type.
#include <mezzo/backend/npu/model.hpp>
#include <mezzo/nn/layers.hpp>
#include <mezzo/train/trainer.hpp>

using namespace mezzo;

using net = sequential<input<8>, dense<4>>;

#if defined(MEZZO_EXPECT_ERROR)
using policy = policies::O2<bfloat16>;
#else
using policy = policies::O2<float16>;
#endif

using on_chip = trainer<net, cross_entropy_loss, sgd, policy, npu::model<npu::ascend910a>>;

void use(on_chip& t, const tensor<float, shape<2, 8>>& x, const tensor<std::int32_t, shape<2>>& labels) {
  static_cast<void>(t.step(unscale(t.backward(x, labels))));
}
