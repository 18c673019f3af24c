// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/scattered_gradient.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

template <class T>
void check(std::size_t images, std::size_t channels, std::size_t height, std::size_t width, std::size_t outputs,
           std::size_t high, std::size_t wide, std::size_t margin, std::size_t step) {
  CAPTURE(height);
  CAPTURE(outputs);
  CAPTURE(step);
  using given = precision<as_given, float, T>;
  const std::size_t rows = (height + 2 * margin - high) / step + 1, columns = (width + 2 * margin - wide) / step + 1;
  const convolution_shape s{images, channels, height, width, outputs, high, wide, rows, columns, step, margin, margin};
  REQUIRE(detail::worth_scattering(s));
  const auto w = whole_numbers<T>(outputs * channels * s.window(), 1);
  const auto g = whole_numbers<T>(images * outputs * s.output_plane(), 2);
  const weight_operand<given, T> left{w.data(), channels, s.window()};
  const patch_operand<given, T, true> right{g.data(), s};
  const product_shape shape{channels, images * s.input_plane(), outputs * s.window()};
  const auto run = [&](auto&& on) {
    std::vector<float> dx(images * channels * s.input_plane(), -1e9f);
    on.multiply(left, right, shape, plane_sink<store_sink<float>>{{dx.data()}, channels, s.input_plane()});
    return dx;
  };
  const auto expected = run(reference{});
  for (isa level : {isa::baseline, isa::avx2, isa::avx512, isa::avx512_bf16}) {
    CAPTURE(static_cast<int>(level));
    CHECK(run(cpu{.isa = level}) == expected);
  }
  backwards_host host{3};
  CHECK(run(cpu{.executor = host}) == expected);
}

}  // namespace

TEST_CASE_TEMPLATE("the gradient of few channels is the sum of the reference", T, float, bfloat16, float16) {
  check<T>(2, 1, 5, 4, 16, 3, 3, 1, 1);
  check<T>(4, 3, 9, 8, 17, 3, 3, 1, 1);    // an odd number of planes
  check<T>(1, 2, 11, 13, 16, 2, 4, 0, 1);  // windows of even size
  check<T>(2, 3, 20, 21, 18, 7, 7, 3, 2);  // larger steps
  check<T>(1, 1, 11, 12, 16, 2, 3, 0, 3);
  check<T>(1, 2, 9, 10, 16, 1, 2, 0, 3);  // larger than the window: places that nothing feeds
  check<T>(1, 2, 4, 3, 16, 2, 2, 5, 1);   // more padding than the window is wide
  check<T>(1, 2, 4, 3, 16, 2, 2, 5, 2);
  check<T>(1, 1, 41, 40, 16, 3, 3, 1, 1);   // several blocks of rows
  check<T>(1, 1, 2, 700, 16, 1, 3, 1, 1);   // a row longer than a block
  check<T>(1, 3, 6, 5, 600, 7, 7, 3, 1);    // several blocks of terms and of taps
  check<T>(0, 1, 5, 4, 16, 3, 3, 1, 1);
}

TEST_CASE("few planes to sum over, or many channels, are not worth it") {
  CHECK(!detail::worth_scattering({1, 1, 5, 4, 15, 3, 3, 5, 4, 1, 1, 1}));
  CHECK(!detail::worth_scattering({1, 4, 5, 4, 16, 3, 3, 5, 4, 1, 1, 1}));
}
