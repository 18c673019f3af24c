// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of model and cube
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/epilogue.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

namespace {

using npu::element;
using npu::vector_op;
using matrix = tensor<float16, shape<32, 32>>;

/// The task of the only product of `expression`.
template <class E>
npu::profile_entry product_of(const E& expression, matrix& y) {
  npu::model<npu::ascend910b1> on;
  into(on, y) = expression;
  for (std::size_t i = 0; i < on.profile.size(); ++i)
    if (on.profile[i].on_cube) return on.profile[i];
  return {};
}
std::size_t simple(const npu::profile_entry& e, element type) {
  return e.product.tail.count[static_cast<std::size_t>(vector_op::simple)][static_cast<std::size_t>(type)];
}

}  // namespace

TEST_CASE("bias, relu and scale ride on the way out of L0C") {
  const matrix x, w;
  matrix y;
  const tensor<float16, shape<32>> b;
  const auto bare = product_of(matmul(x, w), y);
  CHECK(bare.name.text == std::string("matmul"));
  CHECK(bare.product.rides() == 0);
  CHECK(bare.product.tail.empty());
  const auto rides = product_of(relu(linear(x, w, b)), y);
  CHECK(rides.name.text == std::string("matmul+bias+relu"));
  CHECK(rides.product.bias);
  CHECK(rides.product.relu);
  CHECK(!rides.product.scale);
  CHECK(rides.product.tail.empty());
  CHECK(rides.product.tail_bytes_in == 0);
  CHECK(product_of(matmul(x, w) * 0.5f, y).product.scale);
}

TEST_CASE("what does not ride is work for the vector unit, with what it reads") {
  const matrix x, w, z;
  matrix y;
  const auto sum = product_of(matmul(x, w) + z, y);
  CHECK(sum.product.rides() == 0);
  CHECK(simple(sum, element::float16) == 1);
  CHECK(sum.product.tail_bytes_in == 2);
  // After what does not ride nothing does.
  const auto after = product_of(relu(matmul(x, w) + z), y);
  CHECK(!after.product.relu);
  CHECK(simple(after, element::float16) == 2);
  const auto smooth = product_of(exp(matmul(x, w)), y);
  CHECK(!smooth.product.tail.empty());
}

TEST_CASE("instructions keep their kind and width") {
  const npu::vector_work work = npu::detail::as_vector_work({1, 2, 3, 4}, 5);
  const auto count = [&](vector_op op, element type) {
    return work.count[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)];
  };
  CHECK(count(vector_op::simple, element::float16) == 1);
  CHECK(count(vector_op::simple, element::float32) == 2);
  CHECK(count(vector_op::quotient, element::float16) == 3);
  CHECK(count(vector_op::quotient, element::float32) == 4);
  CHECK(count(vector_op::reduction, element::float32) == 5);
}
