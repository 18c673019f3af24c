// SPDX-License-Identifier: MIT
// not under -fsanitize: long to compile, and its memory is that of the tests of model and cube
// not under -Ofast: infinities and errors of rounding, which it may lose
#include <mezzo/backend/npu/formats.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;
using npu::memory_format;

namespace {

template <class Model>
std::size_t conversions(const Model& on) {
  std::size_t calls = 0;
  for (std::size_t i = 0; i < on.profile.size(); ++i)
    if (on.profile[i].name.text == std::string("TransData")) calls += on.profile[i].calls;
  return calls;
}

}  // namespace

TEST_CASE("a tensor that no kernel wrote is row-major, and what is written is at hand in one layout") {
  constexpr bool as_said = [] {
    const int a = 0, b = 0;
    npu::memory_formats f;
    if (!f.has(&a, memory_format::row_major) || f.has(&a, memory_format::nc1hwc0)) return false;
    f.convert(&a, memory_format::nc1hwc0);
    if (f.has(&a, memory_format::nc1hwc0)) return false;  // the program may write it
    f.write(&a, memory_format::nc1hwc0);
    if (f.has(&a, memory_format::row_major) || f.written_in(&a) != memory_format::nc1hwc0) return false;
    f.convert(&a, memory_format::row_major);
    if (!f.has(&a, memory_format::row_major) || !f.has(&a, memory_format::nc1hwc0)) return false;
    f.write(&a, memory_format::row_major);
    f.write(&b, memory_format::fractal_nz);
    if (f.has(&a, memory_format::nc1hwc0) || f.written_in(&b) != memory_format::fractal_nz) return false;
    f.clear();
    return f.has(&b, memory_format::row_major);
  }();
  static_assert(as_said);
  CHECK(as_said);
}

TEST_CASE("many tensors are remembered") {
  npu::memory_formats f;
  const char memory[100] = {};
  for (const char& c : memory) f.write(&c, memory_format::nc1hwc0);
  for (const char& c : memory) CHECK(f.has(&c, memory_format::nc1hwc0));
}

TEST_CASE("between convolutions nothing is converted, and elementwise work keeps the layout") {
  const tensor<float16, shape<2, 16, 8, 8>> x;
  const tensor<float16, shape<16, 16, 3, 3>> w;
  tensor<float16, shape<2, 16, 8, 8>> y, z;
  npu::model<npu::ascend910b1> on;
  into(on, y) = convolve2d<same>(x, w);
  CHECK(conversions(on) == 2);  // the program's x and w
  into(on, z) = relu(y);
  into(on, y) = convolve2d<same>(z, w);
  CHECK(conversions(on) == 3);  // w again, which the program may have written; z is as it must be
  into(on, z) = softmax(y);
  CHECK(conversions(on) == 4);  // rows want rows
  into(on, z) = softmax(y);
  CHECK(conversions(on) == 4);  // and have them now
}

TEST_CASE("what the program says it wrote is converted once until it says so again") {
  const tensor<float16, shape<32, 32>> x, w;
  tensor<float16, shape<32, 32>> y;
  npu::model<npu::ascend910a> on;
  on.host_wrote(x.data());
  on.host_wrote(w.data());
  for (int i = 0; i < 3; ++i) into(on, y) = matmul(x, w);
  CHECK(conversions(on) == 2);
  on.host_wrote(x.data());
  into(on, y) = matmul(x, w);
  CHECK(conversions(on) == 3);
}

TEST_CASE("products of matrices convert on combined cores only") {
  const tensor<float16, shape<32, 32>> x, w;
  tensor<float16, shape<32, 32>> y, z;
  npu::model<npu::ascend910b1> split;
  npu::model<npu::ascend910a> combined;
  into(split, y) = matmul(x, w);
  CHECK(conversions(split) == 0);
  into(combined, y) = matmul(x, w);
  CHECK(conversions(combined) == 2);
  into(combined, z) = matmul(y, y);
  CHECK(conversions(combined) == 2);
  // Channels that a block does not fill are padded.
  const tensor<float16, shape<2, 3, 4, 4>> image;
  const tensor<float16, shape<16, 3, 3, 3>> filters;
  tensor<float16, shape<2, 16, 4, 4>> planes;
  npu::model<npu::ascend910b1> on;
  into(on, planes) = convolve2d<same>(image, filters);
  REQUIRE(on.profile.size() > 0);
  CHECK(on.profile[0].vector.bytes_in == 2 * 3 * 16 * 2);
  CHECK(on.profile[0].vector.bytes_out == 2 * 16 * 16 * 2);
}
