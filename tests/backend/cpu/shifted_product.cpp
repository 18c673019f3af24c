// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/shifted_product.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>

#include "host.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace mezzo;

namespace {

convolution_shape with_window(std::size_t images, std::size_t channels, std::size_t height, std::size_t width,
                              std::size_t outputs, std::size_t high, std::size_t wide, std::size_t above,
                              std::size_t before, std::size_t below, std::size_t after, std::size_t step = 1) {
  return {images, channels, height, width, outputs, high, wide, (height + above + below - high) / step + 1,
          (width + before + after - wide) / step + 1, step, above, before};
}

/// The product of a convolution by the reference and by the processor on every instruction set.
template <class T, bool Gradient>
void check(const convolution_shape& s) {
  using given = precision<as_given, float, T>;
  const std::size_t rows = Gradient ? s.channels : s.outputs;
  const std::size_t terms = (Gradient ? s.outputs : s.channels) * s.window();
  const std::size_t source = s.images * (Gradient ? s.outputs * s.output_plane() : s.channels * s.input_plane());
  const std::size_t plane = Gradient ? s.input_plane() : s.output_plane();
  const auto a = whole_numbers<T>(rows * terms, 1);
  const auto x = whole_numbers<T>(source, 2);
  const matrix_operand<given, T> left{a.data(), static_cast<std::ptrdiff_t>(terms), 1};
  const patch_operand<given, T, Gradient> right{x.data(), s};
  const product_shape shape{rows, s.images * plane, terms};
  const auto run = [&](auto&& on) {
    std::vector<float> y(rows * s.images * plane, -1e9f);
    on.multiply(left, right, shape, plane_sink<store_sink<float>>{{y.data()}, rows, plane});
    return y;
  };
  const auto expected = run(reference{});
  for (isa level : {isa::baseline, isa::avx2, isa::avx512, isa::avx512_bf16}) {
    CAPTURE(static_cast<int>(level));
    CHECK(run(cpu{.isa = level}) == expected);
  }
}

template <class T>
void check_both(const convolution_shape& s) {
  CAPTURE(s.height);
  CAPTURE(s.width);
  CAPTURE(s.kernel_height);
  check<T, false>(s);
  check<T, true>(s);
}

}  // namespace

TEST_CASE_TEMPLATE("convolutions by shifted planes are the sums of the reference", T, float, bfloat16, float16) {
  check_both<T>(with_window(1, 1, 3, 3, 1, 3, 3, 1, 1, 1, 1));
  check_both<T>(with_window(1, 0, 3, 3, 2, 3, 3, 1, 1, 1, 1));   // sums of nothing
  check_both<T>(with_window(2, 3, 7, 5, 4, 3, 3, 1, 1, 1, 1));
  check_both<T>(with_window(2, 2, 6, 9, 5, 2, 4, 0, 1, 1, 2));   // windows of even size, uneven margins
  check_both<T>(with_window(1, 2, 5, 6, 3, 3, 3, 0, 0, 0, 0));   // no padding
  check_both<T>(with_window(1, 2, 4, 4, 3, 3, 3, 2, 2, 2, 2));   // all the padding there is
  check_both<T>(with_window(1, 2, 4, 3, 3, 2, 2, 4, 5, 3, 6));   // more padding than the window is wide
  check_both<T>(with_window(3, 4, 5, 5, 7, 1, 1, 0, 0, 0, 0));   // a window of one
  check_both<T>(with_window(1, 1, 40, 37, 2, 3, 3, 1, 1, 1, 1));  // several blocks of rows
  check_both<T>(with_window(1, 70, 6, 5, 100, 3, 3, 1, 1, 1, 1));  // several blocks of terms and of outputs
  check_both<T>(with_window(1, 1, 2, 700, 2, 1, 3, 0, 1, 0, 1));   // a row longer than a block
  check_both<T>(with_window(2, 3, 9, 8, 4, 3, 3, 1, 1, 1, 1, 2));  // larger steps
  check_both<T>(with_window(2, 3, 20, 21, 5, 7, 7, 3, 3, 3, 3, 2));
  check_both<T>(with_window(1, 5, 11, 13, 3, 2, 4, 0, 1, 1, 2, 3));
  check_both<T>(with_window(2, 2, 9, 10, 3, 1, 2, 0, 0, 0, 0, 3));   // larger than the window
  check_both<T>(with_window(1, 2, 4, 3, 3, 2, 2, 4, 5, 3, 6, 2));    // more padding than the window is wide
  check_both<T>(with_window(1, 3, 80, 75, 2, 3, 3, 1, 1, 1, 1, 2));  // several blocks of rows
  check_both<T>(with_window(1, 70, 7, 5, 100, 3, 3, 1, 1, 1, 1, 2));
}

TEST_CASE("the result is the same for any number of threads") {
  const convolution_shape s = with_window(3, 2, 30, 31, 3, 3, 3, 1, 1, 1, 1);
  std::vector<float> a(3 * 18), x(3 * 2 * 930);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(counter_below(5, i, 1000)) * 0.37f;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(counter_below(6, i, 1000)) * 0.11f;
  using given = precision<as_given, float, float>;
  std::vector<float> first;
  double squares = 0;
  for (std::size_t count : {1u, 2u, 5u}) {
    backwards_host host{count};
    cpu on{.executor = host};
    std::vector<float> y(3 * 3 * 930);
    const tally seen = on.multiply(matrix_operand<given, float>{a.data(), 18, 1},
                                   patch_operand<given, float, false>{x.data(), s}, product_shape{3, 3 * 930, 18},
                                   plane_sink<store_sink<float>>{{y.data(), inspection::finite_and_norm}, 3, 930});
    if (first.empty()) {
      first = y;
      squares = seen.squares;
    }
    CHECK(y == first);
    CHECK(seen.squares == squares);
  }
}
