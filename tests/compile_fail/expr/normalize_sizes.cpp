// expect-error: gain and shift must have the sizes of the normalised axes; given other sizes
// SPDX-License-Identifier: MIT
//
// A gain for each element of a row, not one for each row.
#include <mezzo/expr/normalize.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<3, 8>> x;
  const tensor<float, shape<3>> rows;
  const tensor<float, shape<8>> columns;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = layer_norm(x, rows, columns);
#else
  const auto e = layer_norm(x, columns, columns);
#endif
  static_cast<void>(e);
}
