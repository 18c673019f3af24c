// expect-error: mezzo::reshape: one size at most may be dynamic; given several
// SPDX-License-Identifier: MIT
//
// One size follows from the others, two do not.
#include <mezzo/expr/rearrange.hpp>

using namespace mezzo;

void use() {
  const tensor<float, shape<2, 3, 4>> x;
#if defined(MEZZO_EXPECT_ERROR)
  const auto e = reshape<dynamic_extent, dynamic_extent, 4>(x);
#else
  const auto e = reshape<dynamic_extent, 4>(x);
#endif
  static_cast<void>(e);
}
