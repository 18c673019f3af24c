// SPDX-License-Identifier: MIT
// not under -Ofast: nothing in it computes with floating point
#include <mezzo/backend/launch_group.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

static_assert(!groups_launches<reference>);
static_assert(groups_launches<npu::model<npu::ascend910b1>>);

TEST_CASE("stacked products and the heads of an attention are one launch of each kind") {
  const tensor<float16, shape<6, 16, 16>> x, w;
  tensor<float16, shape<6, 16, 16>> y;
  npu::model<npu::ascend910b1> on;
  into(on, y) = matmul(x, w);
  REQUIRE(on.profile.size() == 1);
  CHECK(on.profile[0].calls == 1);
  CHECK(on.profile[0].product.batch == 6);
  CHECK(on.profile[0].each.flops == 2.0 * 6 * 16 * 16 * 16);

  npu::model<npu::ascend910b1> heads;
  into(heads, y) = attention<4>(x, w, x);
  std::size_t products = 0;
  for (std::size_t i = 0; i < heads.profile.size(); ++i) {
    CHECK(heads.profile[i].calls == 1);
    if (heads.profile[i].on_cube) {
      ++products;
      CHECK(heads.profile[i].product.batch == 24);  // six samples of four heads
    } else {
      CHECK(heads.profile[i].name.text == std::string("attention weights"));
      CHECK(heads.profile[i].vector.elements == 24 * 16 * 16);
    }
  }
  CHECK(products == 2);
}

TEST_CASE("groups in groups are part of the outermost") {
  const tensor<float16, shape<16, 16>> x;
  tensor<float16, shape<16, 16>> y;
  npu::model<npu::ascend910b1> on;
  {
    const launch_group outer(on);
    into(on, y) = matmul(x, x);
    {
      const launch_group inner(on);
      into(on, y) = matmul(x, x);
    }
    CHECK(on.profile[0].calls == 2);
  }
  REQUIRE(on.profile.size() == 1);
  CHECK(on.profile[0].calls == 1);
  CHECK(on.profile[0].product.batch == 2);
}
