// SPDX-License-Identifier: MIT
//
// Convolutions and their gradients, which are exact on whole numbers, beside loops over their definition.
#pragma once

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstddef>

inline constexpr std::size_t any = mezzo::dynamic_extent;
template <class T>
using images_of = mezzo::tensor<T, mezzo::shape<any, any, any, any>>;

template <class T>
images_of<T> numbered_as(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
  images_of<T> x(mezzo::shape<any, any, any, any>(a, b, c, d));
  for (std::size_t i = 0; i < x.size(); ++i)
    x.data()[i] = mezzo::convert<T>(static_cast<float>((i * 7 + 3) % 11) - 5.0f);
  return x;
}

/// Each result is the whole number that the definition says, rounded once to `T`.
template <class Padding, std::size_t Step, class Groups = mezzo::groups<1>, class Backend, class T>
void check_convolution(Backend& backend, const images_of<T>& x, const images_of<T>& w) {
  using namespace mezzo;
  const auto e = convolve2d<Padding, stride<Step>, Groups>(x, w);
  images_of<T> y(e.extents());
  into(backend, y) = e;
  images_of<T> dx(x.extents(), convert<T>(-99.0f)), dw(w.extents(), convert<T>(-99.0f));
  const auto dy = numbered_as<T>(y.extent(0), y.extent(1), y.extent(2), y.extent(3));
  into(backend, dx, dw) = gradient(e, dy, wrt(x, w));

  using sums = images_of<float>;
  sums right(y.extents()), right_dx(x.extents()), right_dw(w.extents());
  const auto before = [](std::size_t in, std::size_t kernel, std::size_t out) {
    return std::ptrdiff_t(Padding::before(in, kernel, Step, out));
  };
  const std::ptrdiff_t top = before(x.extent(2), w.extent(2), y.extent(2));
  const std::ptrdiff_t left = before(x.extent(3), w.extent(3), y.extent(3));
  const std::size_t parts = Groups::count(x.extent(1));
  for (std::size_t n = 0; n < y.extent(0); ++n)
    for (std::size_t o = 0; o < y.extent(1); ++o)
      for (std::size_t i = 0; i < y.extent(2); ++i)
        for (std::size_t j = 0; j < y.extent(3); ++j)
          for (std::size_t c = 0; c < w.extent(1); ++c)
            for (std::size_t r = 0; r < w.extent(2); ++r)
              for (std::size_t s = 0; s < w.extent(3); ++s) {
                const std::size_t row = std::size_t(std::ptrdiff_t(i * Step + r) - top);
                const std::size_t column = std::size_t(std::ptrdiff_t(j * Step + s) - left);
                if (row >= x.extent(2) || column >= x.extent(3)) continue;
                const std::size_t channel = o / (y.extent(1) / parts) * w.extent(1) + c;
                const float value = convert<float>(x(n, channel, row, column));
                const float weight = convert<float>(w(o, c, r, s)), g = convert<float>(dy(n, o, i, j));
                right(n, o, i, j) += value * weight;
                right_dw(o, c, r, s) += value * g;
                right_dx(n, channel, row, column) += weight * g;
              }
  const auto equal = [](const images_of<T>& a, const sums& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a.data()[i] == convert<T>(b.data()[i]))) return false;
    return true;
  };
  CHECK(equal(y, right));
  CHECK(equal(dx, right_dx));
  CHECK(equal(dw, right_dw));
}
