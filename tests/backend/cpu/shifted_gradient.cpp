// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/shifted_gradient.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace mezzo;

namespace {

template <class T>
void check(std::size_t images, std::size_t channels, std::size_t height, std::size_t width, std::size_t outputs,
           std::size_t window, std::size_t margin, std::size_t step = 1) {
  using given = precision<as_given, float, T>;
  const std::size_t rows = (height + 2 * margin - window) / step + 1;
  const std::size_t columns = (width + 2 * margin - window) / step + 1;
  const convolution_shape s{images, channels, height, width,  outputs, window,
                            window, rows,     columns, step, margin,  margin};
  const auto g = whole_numbers<T>(images * outputs * s.output_plane(), 1);
  const auto x = whole_numbers<T>(images * channels * s.input_plane(), 2);
  const std::size_t taps = channels * s.window();
  const plane_operand<given, T> left{g.data(), outputs, s.output_plane()};
  const auto right = transposed(patch_operand<given, T, false>{x.data(), s});
  const product_shape shape{outputs, taps, images * s.output_plane()};
  const auto run = [&](auto&& on) {
    std::vector<float> dw(outputs * taps, -1e9f);
    on.multiply(left, right, shape, matrix_sink<store_sink<float>>{{dw.data()}, taps});
    return dw;
  };
  const auto expected = run(reference{});
  CAPTURE(channels);
  CAPTURE(outputs);
  CAPTURE(width);
  for (isa level : {isa::baseline, isa::avx2, isa::avx512, isa::avx512_bf16}) {
    CAPTURE(static_cast<int>(level));
    CHECK(run(cpu{.isa = level}) == expected);
  }
  backwards_host host{3};
  CHECK(run(cpu{.executor = host}) == expected);
}

}  // namespace

TEST_CASE_TEMPLATE("the gradient of weights by shifted planes is the sum of the reference", T, float, bfloat16,
                   float16) {
  check<T>(1, 1, 3, 3, 1, 3, 1);
  check<T>(0, 2, 3, 3, 2, 3, 1);  // a sum over no images
  check<T>(2, 3, 7, 5, 4, 3, 1);
  check<T>(2, 2, 6, 9, 33, 2, 0);
  check<T>(3, 4, 5, 5, 7, 1, 0);
  check<T>(1, 1, 40, 37, 17, 3, 1);  // several blocks of rows
  check<T>(1, 23, 6, 5, 40, 3, 1);   // several blocks of taps
  check<T>(2, 2, 4, 4, 3, 3, 2);     // all the padding there is
  check<T>(1, 2, 4, 3, 3, 2, 4);     // and more
  check<T>(2, 3, 9, 8, 4, 3, 1, 2);  // larger steps
  check<T>(1, 2, 21, 20, 33, 7, 3, 2);
  check<T>(2, 2, 9, 10, 3, 1, 0, 3);
  check<T>(1, 2, 80, 75, 5, 3, 1, 2);
}
