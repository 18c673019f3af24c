// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/profile.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;
using npu::element;

namespace {

short_name named(const char* text) { return short_name{} << text; }

/// A product recorded, of which nothing is fused.
npu::tiles product(npu::profile& p, const char* name, const npu::product_task& task, const npu::tiles& tile = {},
                   const npu::options& how = {}) {
  return p.product(npu::ascend910b1, named(name), task, tile, how,
                   [](const npu::product_plan&) { return npu::kernel_cost{}; });
}

const npu::product_task task{.m = 100, .n = 60, .k = 40};

}  // namespace

TEST_CASE("a kernel is costed when it first runs and counted after that") {
  npu::profile p;
  for (int i = 0; i < 3; ++i) CHECK(product(p, "matmul", task).m != 0);
  REQUIRE(p.size() == 1);
  CHECK(p[0].calls == 3);
  CHECK(p[0].each.flops == 2.0 * 100 * 60 * 40);
  CHECK(p[0].padded_flops(npu::ascend910b1) == 2.0 * 112 * 64 * 48);
  CHECK(p.total().flops == 3 * p[0].each.flops);
  CHECK(p.total().microseconds == doctest::Approx(3 * p[0].each.microseconds));
  npu::product_task other = task;
  other.in = element::bfloat16;
  static_cast<void>(product(p, "matmul", other));
  static_cast<void>(product(p, "conv2d", task));
  CHECK(p.size() == 3);
  p.clear();
  CHECK(p.size() == 0);
  CHECK(p.total().kernels == 0);
}

TEST_CASE("a product's own tiles are another entry") {
  npu::profile p;
  const npu::tiles own{.m = 16, .n = 16, .k = 16, .l1_k = 16};
  const npu::tiles chosen = product(p, "matmul", task);
  CHECK(product(p, "matmul", task, own) == own);
  CHECK(!(chosen == own));
  CHECK(p.size() == 2);
}

TEST_CASE("what ran in another way is another entry") {
  npu::profile p;
  static_cast<void>(product(p, "matmul", task));
  static_cast<void>(product(p, "matmul", task, {}, {.double_buffering = false}));
  CHECK(p.size() == 2);
  CHECK(p[1].each.microseconds >= p[0].each.microseconds);
}

TEST_CASE("vector kernels by their elements and bytes") {
  npu::profile p;
  const npu::vector_task t{.elements = 1000, .type = element::float16, .bytes_in = 2000, .bytes_out = 2000};
  CHECK(!p.knows(named("relu"), t, {}));
  p.vector(npu::ascend910b1, named("relu"), t, {}, {});
  CHECK(p.knows(named("relu"), t, {}));
  p.vector(npu::ascend910b1, named("relu"), t, {}, {});
  REQUIRE(p.size() == 1);
  CHECK(p[0].calls == 2);
  CHECK(p[0].each.bytes_in == 2000);
}

TEST_CASE("many entries, and warnings each once") {
  npu::profile p;
  for (std::size_t i = 1; i <= 40; ++i) {
    npu::product_task t = task;
    t.k = 16 * i;
    static_cast<void>(product(p, "matmul", t));
    p.warn(npu::hazard::reciprocal, named("mul") << i % 20);
  }
  CHECK(p.size() == 40);
  CHECK(p[39].product.k == 640);
  CHECK(p.warnings() == 20);
  CHECK(p.warned(19).operation.text == std::string("mul0"));
}
