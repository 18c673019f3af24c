// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of model and cube
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/operations.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mezzo;

namespace {

using vector = tensor<float16, shape<4096>>;
using chip = npu::model<npu::ascend910b1>;

bool warns(const chip& on, npu::hazard what, const char* operation) {
  for (std::size_t i = 0; i < on.profile.warnings(); ++i)
    if (on.profile.warned(i).what == what && on.profile.warned(i).operation.text == std::string(operation)) return true;
  return false;
}

}  // namespace

TEST_CASE("without fusion each operation is a kernel that reads and writes memory") {
  const vector a, b, c;
  vector y;
  chip fused, split{.how = {.fusion = false}};
  into(fused, y) = relu(a * b + c);
  into(split, y) = relu(a * b + c);
  REQUIRE(fused.profile.size() == 1);
  REQUIRE(split.profile.size() == 3);
  CHECK(fused.profile[0].name.text == std::string("mul+add+relu"));
  CHECK(split.profile[0].name.text == std::string("mul"));
  CHECK(split.profile[1].name.text == std::string("add"));
  CHECK(split.profile[2].name.text == std::string("relu"));
  const auto bytes = [](const npu::kernel_cost& cost) { return cost.bytes_in + cost.bytes_out; };
  CHECK(bytes(fused.profile.total()) == 4 * 4096 * 2);
  CHECK(bytes(split.profile.total()) == (3 + 3 + 2) * 4096 * 2);
  CHECK(bytes(fused.profile.total_apart()) == bytes(split.profile.total()));
  CHECK(fused.profile.total_apart().kernels == 3);
  CHECK(fused.profile.total().microseconds < split.profile.total().microseconds);
}

TEST_CASE("a product's sums leave the cube as float32, and each operation on them is one kernel") {
  const tensor<float16, shape<64, 32>> x;
  const tensor<float16, shape<32, 48>> w;
  const tensor<float16, shape<48>> b;
  tensor<float16, shape<64, 48>> y;
  chip fused, split{.how = {.fusion = false}};
  into(fused, y) = gelu(linear(x, w, b));
  into(split, y) = gelu(linear(x, w, b));
  REQUIRE(fused.profile.size() == 1);
  REQUIRE(split.profile.size() == 4);
  const char* const names[] = {"matmul+bias+gelu", "linear", "cast", "gelu"};
  for (std::size_t i = 0; i < 4; ++i) CHECK(split.profile[i].name.text == std::string(names[i]));
  const std::size_t results = 64 * 48;
  CHECK(split.profile[0].each.bytes_out == 4 * results);
  CHECK(split.profile[1].each.bytes_out == 4 * results);
  CHECK(split.profile[2].each.bytes_out == 2 * results);
  CHECK(split.profile[3].each.bytes_in == 2 * results);
  const npu::kernel_cost apart = fused.profile.total_apart(), sum = split.profile.total();
  CHECK(apart.bytes_in + apart.bytes_out == sum.bytes_in + sum.bytes_out);
}

TEST_CASE("gradients come apart too") {
  const vector a, dy;
  const tensor<float, shape<4096>> b;
  vector da;
  tensor<float, shape<4096>> db;
  chip on;
  into(on, da, db) = gradient(relu(a * b), dy, wrt(a, b));
  REQUIRE(on.profile.size() == 1);
  CHECK(on.profile[0].name.text == std::string("mul+relu gradient"));
  CHECK(on.profile[0].apart.kernels == 3);  // of relu, and of mul by both operands
  CHECK(on.profile[0].apart.bytes_in > on.profile[0].each.bytes_in);
}

TEST_CASE("practice warns of constants that vanish and of reciprocals, each once") {
  const vector a(shape<4096>{}, float16(1)), b(shape<4096>{}, float16(2));
  vector y;
  chip on;
  into(on, y) = a / (b + 1e-8f);
  into(on, y) = a * (1.0f / b);
  into(on, y) = a * (1.0f / b);
  into(on, y) = a / b + 0.5f;
  CHECK(on.profile.warnings() == 2);
  CHECK(warns(on, npu::hazard::vanishing_constant, "add"));
  CHECK(warns(on, npu::hazard::reciprocal, "mul"));
  // Behind a product as well.
  const tensor<float16, shape<16, 16>> x, w;
  tensor<float16, shape<16, 16>> z;
  into(on, z) = matmul(x, w) - 1e-8f;
  CHECK(warns(on, npu::hazard::vanishing_constant, "sub"));
  into(on, y) = a * 70000.0f;
  CHECK(warns(on, npu::hazard::overflowing_constant, "mul"));
  // float32 holds it.
  const tensor<float, shape<8>> wide(shape<8>{}, 1.0f);
  tensor<float, shape<8>> sum;
  const std::size_t before = on.profile.warnings();
  into(on, sum) = wide + 1e-8f;
  CHECK(on.profile.warnings() == before);
}

TEST_CASE("what vanishes is not 0 and not normal") {
  using npu::detail::vanishes;
  static_assert(vanishes<float16>(1e-8f) && vanishes<float16>(1e-5f) && !vanishes<float16>(0.0f));
  static_assert(!vanishes<float16>(0x1p-14f) && vanishes<float16>(-0x1p-15f));
  static_assert(!vanishes<bfloat16>(1e-8f) && !vanishes<float>(1e-44f));
  CHECK(vanishes<bfloat16>(1e-39f));
}

TEST_CASE("a kernel's work becomes a task of its widest type") {
  const std::vector<float> memory(100);
  const kernel_work one{{}, 100, {1, 0, 0, 0}};
  const npu::vector_task low = npu::detail::task_of(one.reading(memory.data(), 50));
  CHECK(low.type == npu::element::float16);
  CHECK(low.bytes_in == 200);
  const npu::vector_task wide = npu::detail::task_of(kernel_work{{}, 100, {1, 1, 0, 0}, 150});
  CHECK(wide.type == npu::element::float32);
  CHECK(wide.work.count[static_cast<std::size_t>(npu::vector_op::reduction)]
                       [static_cast<std::size_t>(npu::element::float32)] == 2);
  CHECK(npu::detail::task_of({}).elements == 0);
}
