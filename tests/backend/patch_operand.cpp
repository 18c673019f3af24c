// SPDX-License-Identifier: MIT
#include <mezzo/backend/patch_operand.hpp>

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

using in_float = precision<as_given, float, float>;

constexpr std::size_t any = dynamic_extent;
using images = tensor<float, shape<any, any, any, any>>;

images numbered(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  images x(shape<any, any, any, any>(a, b, c, d));
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>((i * 7 + 3) % 11) - 5;
  return x;
}

/// Input element (y, x) of image n, channel c, or zero outside.
float at(const images& x, std::size_t n, std::size_t c, std::ptrdiff_t y, std::ptrdiff_t z) {
  const bool inside = y >= 0 && z >= 0 && y < std::ptrdiff_t(x.extent(2)) && z < std::ptrdiff_t(x.extent(3));
  return inside ? x(n, c, std::size_t(y), std::size_t(z)) : 0;
}

/// Compares convolution and both its gradients, which are exact on whole numbers, with loops over their definition.
template <class Padding, std::size_t Step, class Backend>
void check_convolution(Backend& backend, const images& x, const images& w) {
  const auto y_sizes = convolve2d<Padding, stride<Step>>(x, w).extents();
  images y(y_sizes);
  into(backend, y) = convolve2d<Padding, stride<Step>>(x, w);
  images dx(x.extents());
  images dw(w.extents());
  const images dy = numbered(y.extent(0), y.extent(1), y.extent(2), y.extent(3));
  into(backend, dx, dw) = gradient(convolve2d<Padding, stride<Step>>(x, w), dy, wrt(x, w));

  images right(y.extents());
  images right_dx(x.extents());
  images right_dw(w.extents());
  const auto before = [](std::size_t in, std::size_t kernel, std::size_t out) {
    return std::ptrdiff_t(Padding::before(in, kernel, Step, out));
  };
  const std::ptrdiff_t top = before(x.extent(2), w.extent(2), y.extent(2));
  const std::ptrdiff_t left = before(x.extent(3), w.extent(3), y.extent(3));
  for (std::size_t n = 0; n < y.extent(0); ++n)
    for (std::size_t o = 0; o < y.extent(1); ++o)
      for (std::size_t i = 0; i < y.extent(2); ++i)
        for (std::size_t j = 0; j < y.extent(3); ++j)
          for (std::size_t c = 0; c < x.extent(1); ++c)
            for (std::size_t r = 0; r < w.extent(2); ++r)
              for (std::size_t s = 0; s < w.extent(3); ++s) {
                const std::ptrdiff_t row = std::ptrdiff_t(i * Step + r) - top;
                const std::ptrdiff_t column = std::ptrdiff_t(j * Step + s) - left;
                const float value = at(x, n, c, row, column);
                right(n, o, i, j) += value * w(o, c, r, s);
                right_dw(o, c, r, s) += value * dy(n, o, i, j);
                if (row >= 0 && column >= 0 && row < std::ptrdiff_t(x.extent(2)) &&
                    column < std::ptrdiff_t(x.extent(3)))
                  right_dx(n, c, std::size_t(row), std::size_t(column)) += dy(n, o, i, j) * w(o, c, r, s);
              }
  const auto equal = [](const images& a, const images& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a.data()[i] != b.data()[i]) return false;
    return true;
  };
  CHECK(equal(y, right));
  CHECK(equal(dx, right_dx));
  CHECK(equal(dw, right_dw));
}

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
