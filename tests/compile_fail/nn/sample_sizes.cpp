// expect-error: mezzo::model: samples must have the sizes of the network's input after the batch; given other sizes
// SPDX-License-Identifier: MIT
//
// Samples of another network.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/nn/model.hpp>

using namespace mezzo;

void use() {
  model<sequential<input<4>, dense<2>>, policies::O0<>, reference> m(1);
#if defined(MEZZO_EXPECT_ERROR)
  const tensor<float, shape<1, 5>> x;
#else
  const tensor<float, shape<1, 4>> x;
#endif
  m.load(x.as_view());
}
