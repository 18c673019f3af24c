// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of model and cube
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/recorder.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

namespace {

template <class Model>
const npu::profile_entry& last(const Model& on) {
  return on.profile[on.profile.size() - 1];
}

}  // namespace

TEST_CASE("products are named by what they are, with their sizes as the cube has them") {
  const tensor<float16, shape<2, 3, 8, 8>> x;
  const tensor<float16, shape<5, 3, 3, 3>> w;
  const tensor<float16, shape<2, 5, 8, 8>> dy;
  tensor<float16, shape<2, 5, 8, 8>> y;
  tensor<float16, shape<2, 3, 8, 8>> dx;
  tensor<float16, shape<5, 3, 3, 3>> dw;
  npu::model<npu::ascend910b1> on;
  into(on, y) = relu(convolve2d<same>(x, w));
  CHECK(last(on).name.text == std::string("conv2d+relu"));
  CHECK(last(on).product.m == 2 * 64);
  CHECK(last(on).product.n == 5);
  CHECK(last(on).product.k == 16 * 9);  // three channels fill a block of sixteen
  CHECK(last(on).product.asked_k == 27);
  CHECK(last(on).product.taps == 9);
  CHECK(last(on).each.flops == 2.0 * 128 * 5 * 27);
  into(on, dx) = gradient(convolve2d<same>(x, w), dy, wrt(x));
  CHECK(last(on).name.text == std::string("conv2d gradient by data"));
  into(on, dw) = gradient(convolve2d<same>(x, w), dy, wrt(w));
  CHECK(last(on).name.text == std::string("conv2d gradient by weights"));
  CHECK(last(on).product.k == 128);
}

TEST_CASE("the same kernel again is one more call of it") {
  const tensor<float16, shape<32, 48>> a;
  const tensor<float16, shape<48, 16>> b;
  tensor<float16, shape<32, 16>> y;
  npu::model<npu::ascend910b1> on;
  for (int i = 0; i < 3; ++i) into(on, y) = matmul(a, b);
  REQUIRE(on.profile.size() == 1);
  CHECK(on.profile[0].calls == 3);
  CHECK(on.profile[0].product.in == npu::element::float16);
  const tensor<float, shape<32, 48>> c;
  const tensor<float, shape<48, 16>> d;
  tensor<float, shape<32, 16>> z;
  into(on, z) = matmul(c, d);
  CHECK(last(on).product.in == npu::element::float32);
  on.hf32 = true;
  into(on, z) = matmul(c, d);
  CHECK(last(on).product.in == npu::element::hf32);
  CHECK(on.profile.size() == 3);
}
