// expect-error: mezzo::npu::model: products are summed in float32; given float64 operands
// SPDX-License-Identifier: MIT
//
// A product of float64 handed to a chip directly.
#include <mezzo/backend/npu/model.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using number = double;
#else
using number = float;
#endif

using matrix = matrix_operand<precision<as_given, number, number>, number>;

void use(npu::model<npu::ascend910b1>& on, const matrix& a, const matrix& b, number* y) {
  const matrix_sink<store_sink<number>> sink{{y, inspection::nothing}, 4};
  static_cast<void>(on.multiply(a, b, product_shape{4, 4, 4}, sink));
}
