// SPDX-License-Identifier: MIT
#include <mezzo/backend/depthwise_loop.hpp>

#include "convolution.hpp"
#include "cpu/host.hpp"

using namespace mezzo;

namespace {

template <class T, class Backend>
void check_shapes(Backend&& on) {
  const auto x = [](std::size_t n, std::size_t c, std::size_t h, std::size_t w) { return numbered_as<T>(n, c, h, w); };
  check_convolution<same, 1, depthwise>(on, x(2, 3, 7, 5), x(3, 1, 3, 3));
  check_convolution<same, 2, depthwise>(on, x(2, 3, 7, 6), x(3, 1, 3, 3));
  check_convolution<valid, 3, depthwise>(on, x(1, 2, 11, 10), x(2, 1, 2, 4));
  check_convolution<padding<2>, 2, depthwise>(on, x(1, 2, 8, 9), x(2, 1, 5, 4));
  // Several filters a channel.
  check_convolution<same, 1, depthwise>(on, x(2, 2, 6, 20), x(6, 1, 3, 5));
  check_convolution<same, 2, depthwise>(on, x(2, 2, 5, 5), x(4, 1, 3, 3));
  // More padding than the window is wide, a step beyond the window, a window larger than the image, a single pixel.
  check_convolution<padding<4>, 1, depthwise>(on, x(1, 2, 4, 3), x(2, 1, 2, 2));
  check_convolution<padding<3>, 2, depthwise>(on, x(1, 2, 4, 3), x(2, 1, 2, 2));
  check_convolution<valid, 3, depthwise>(on, x(1, 2, 9, 8), x(2, 1, 1, 2));
  check_convolution<same, 1, depthwise>(on, x(1, 2, 2, 3), x(2, 1, 5, 7));
  check_convolution<same, 1, depthwise>(on, x(2, 1, 1, 1), x(1, 1, 1, 1));
  // Several blocks of rows, the last one short, and a row longer than a block.
  check_convolution<same, 1, depthwise>(on, x(1, 1, 90, 61), x(1, 1, 3, 3));
  check_convolution<same, 2, depthwise>(on, x(1, 1, 181, 61), x(1, 1, 3, 3));
  check_convolution<same, 1, depthwise>(on, x(1, 1, 3, 4100), x(1, 1, 1, 3));
  // No images, and no channels.
  check_convolution<same, 1, depthwise>(on, x(0, 2, 4, 4), x(2, 1, 3, 3));
  check_convolution<same, 1, depthwise>(on, x(2, 0, 4, 4), x(0, 0, 3, 3));
}

constexpr bool in_constant_evaluation() {
  const tensor<float, shape<1, 2, 3, 3>> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const tensor<float, shape<2, 1, 2, 2>> w{1, 0, 0, -1, 1, 2, 3, 4};
  const tensor<float, shape<2, 1, 1>> b{100, 1000};
  const tensor<float, shape<1, 2, 2, 2>> dy{1, 10, 100, 1000, 1, 1, 1, 1};
  tensor<float, shape<1, 2, 2, 2>> y;
  tensor<float, shape<1, 2, 3, 3>> dx;
  tensor<float, shape<2, 1, 2, 2>> dw;
  reference on;
  into(on, y) = relu(convolve2d<valid, stride<1>, depthwise>(x, w, b));
  into(on, dx, dw) = gradient(convolve2d<valid, stride<1>, depthwise>(x, w), dy, wrt(x, w));
  return y(0, 0, 0, 0) == 96 && y(0, 1, 1, 1) == 1010 && dx(0, 0, 1, 1) == 1000 - 1 && dx(0, 1, 1, 1) == 10 &&
         dw(0, 0, 0, 0) == 1 + 20 + 400 + 5000 && dw(1, 0, 1, 1) == 4;
}
static_assert(in_constant_evaluation());

}  // namespace

TEST_CASE_TEMPLATE("convolutions of single channels and their gradients are exact on whole numbers", T, float, bfloat16,
                   float16) {
  check_shapes<T>(reference{});
  for (isa level : {isa::baseline, isa::avx2, isa::avx512, isa::avx512_bf16}) {
    CAPTURE(static_cast<int>(level));
    check_shapes<T>(cpu{.isa = level});
  }
  backwards_host host{3};
  check_shapes<T>(cpu{.executor = host});
}

TEST_CASE("what a gradient by data or weights has learned reaches the caller") {
  const convolution_shape s{2, 1, 3, 3, 1, 3, 3, 3, 3, 1, 1, 1, 2};
  const float ones[36] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  using given = precision<as_given, float, float>;
  float out[36] = {};
  window_tap taps[9];
  const store_sink<float> sink{out, inspection::finite_and_norm};
  cpu on;
  const depthwise_layout by_data(s, true), by_weights(s, false);
  by_data.fill(taps);
  // A plane of threes by threes: its corners are fed by 4 taps, its edges by 6, its middle by 9.
  const tally data = on.run(depthwise_data_kernel<given, float, given, float, store_sink<float>>{ones, ones, by_data,
                                                                                                  taps, sink});
  CHECK(data.squares == 4 * (4 * 16 + 4 * 36 + 81));
  by_weights.fill(taps);
  const tally weights = on.run(depthwise_weights_kernel<given, float, given, float, store_sink<float>>{
      ones, ones, by_weights, taps, sink});
  CHECK(weights.squares == 2 * 4 * (4 * 16 + 4 * 36 + 81));
}
