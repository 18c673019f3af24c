// SPDX-License-Identifier: MIT
#include <mezzo/backend/patch_operand.hpp>

#include "convolution.hpp"

#include <vector>

using namespace mezzo;

namespace {

using in_float = precision<as_given, float, float>;
using images = images_of<float>;
images numbered(std::size_t a, std::size_t b, std::size_t c, std::size_t d) { return numbered_as<float>(a, b, c, d); }

template <class Backend>
void check_shapes(Backend& backend) {
  const images x = numbered(3, 2, 9, 7);
  const images odd = numbered(4, 2, 3, 3);
  const images even = numbered(2, 2, 2, 4);
  check_convolution<valid, 1>(backend, x, odd);
  check_convolution<valid, 1>(backend, x, even);
  check_convolution<same, 1>(backend, x, odd);
  check_convolution<same, 1>(backend, x, even);
  check_convolution<padding<1>, 2>(backend, x, odd);
  check_convolution<padding<1>, 2>(backend, x, even);
  // More positions than a block has columns, a window larger than the image, a single pixel.
  check_convolution<same, 1>(backend, numbered(2, 3, 17, 19), numbered(5, 3, 3, 5));
  check_convolution<same, 1>(backend, numbered(1, 1, 2, 3), numbered(1, 1, 5, 7));
  check_convolution<same, 1>(backend, numbered(2, 1, 1, 1), numbered(3, 1, 1, 1));
  // Groups, of one channel too where only the run knows.
  check_convolution<same, 1, groups<2>>(backend, numbered(2, 6, 7, 5), numbered(4, 3, 3, 3));
  check_convolution<same, 2, groups<3>>(backend, numbered(2, 6, 7, 8), numbered(3, 2, 3, 2));
  check_convolution<padding<2>, 3, groups<2>>(backend, numbered(1, 4, 7, 8), numbered(2, 2, 4, 3));
  check_convolution<same, 1, groups<3>>(backend, numbered(2, 3, 5, 5), numbered(6, 1, 3, 3));
}

template <class Operand>
bool runs_give_elements(const Operand& operand, std::size_t rows, std::size_t columns) {
  std::vector<float> run(columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      operand.row_run(i, j, columns - j, run.data());
      for (std::size_t n = 0; n < columns - j; ++n)
        if (run[n] != operand.element(i, j + n)) return false;
    }
  return true;
}

}  // namespace

TEST_CASE("convolutions and their gradients are exact on whole numbers") {
  reference plain;
  check_shapes(plain);
  cpu fast;
  check_shapes(fast);
}

TEST_CASE("runs of patches, planes and weights are runs of their elements") {
  const images x = numbered(2, 3, 4, 5);
  for (std::size_t step : {1u, 2u}) {
    const convolution_shape s{2, 3, 4, 5, 3, 3, 2, step == 1 ? 4u : 2u, step == 1 ? 5u : 3u, step, 1, 0};
    CHECK(runs_give_elements(patch_operand<in_float, float, false>{x.data(), s}, 3 * s.window(), 2 * s.output_plane()));
    const images g = numbered(2, 3, s.rows, s.columns);
    CHECK(runs_give_elements(patch_operand<in_float, float, true>{g.data(), s}, 3 * s.window(), 2 * s.input_plane()));
  }
  CHECK(runs_give_elements(plane_operand<in_float, float>{x.data(), 3, 20}, 3, 40));
  CHECK(runs_give_elements(weight_operand<in_float, float>{x.data(), 3, 20}, 3, 40));
}

TEST_CASE("a product's rows arrive in the planes of their images") {
  float out[12]{};  // two images of two planes of three
  const float values[] = {1, 2, 3, 4};
  tally sum;
  plane_sink<store_sink<float>>{{out}, 2, 3}.tile_row(1, 1, 4, values, sum);
  const float right[] = {0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 4, 0};
  for (std::size_t i = 0; i < 12; ++i) CHECK(out[i] == right[i]);
}
