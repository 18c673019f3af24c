// SPDX-License-Identifier: MIT
#include <mezzo/tensor/convert_layout.hpp>

#include <doctest/doctest.h>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/minifloat.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace mezzo;

using matrix = dextents<std::size_t, 2>;
using images = dextents<std::size_t, 4>;

template <class Layout, class Extents>
auto mapping_of(const Extents& sizes) {
  return typename Layout::template mapping<Extents>(sizes);
}
template <>
auto mapping_of<layout_stride>(const matrix& sizes) {
  // Every third column of rows with a gap of five.
  return layout_stride::mapping<matrix>(sizes, {static_cast<std::ptrdiff_t>(3 * sizes.extent(1) + 5), 3});
}

template <class F>
void for_each(const matrix& e, const F& f) {
  for (std::size_t i = 0; i < e.extent(0); ++i)
    for (std::size_t j = 0; j < e.extent(1); ++j) f(i, j);
}
template <class F>
void for_each(const images& e, const F& f) {
  for (std::size_t n = 0; n < e.extent(0); ++n)
    for (std::size_t c = 0; c < e.extent(1); ++c)
      for (std::size_t h = 0; h < e.extent(2); ++h)
        for (std::size_t w = 0; w < e.extent(3); ++w) f(n, c, h, w);
}

constexpr std::uint16_t untouched = 0xABCD;

// Places that are not as they should be after a conversion: element for element, padding zero, gaps and the memory
// behind the view untouched. Elements are codes, NaNs among them.
template <class From, class To, class Extents>
int faults(const Extents& sizes, std::uint64_t seed) {
  const auto from = mapping_of<From>(sizes);
  const auto to = mapping_of<To>(sizes);
  std::vector<float16> source(from.required_span_size() + 1, float16::from_bits(untouched));
  std::vector<float16> target(to.required_span_size() + 64, float16::from_bits(untouched));
  const view<float16, Extents, From> writable(source.data(), from);
  std::vector<std::uint16_t> expected(target.size(), untouched);
  if constexpr (requires { to.padding(); })
    for (std::size_t i = 0; i < to.required_span_size(); ++i) expected[i] = 0;
  std::uint64_t next = 0;
  for_each(sizes, [&](auto... index) {
    const auto code = static_cast<std::uint16_t>(counter_bits(seed, next++));
    writable(index...) = float16::from_bits(code);
    expected[static_cast<std::size_t>(detail::offset_of(to, index...))] = code;
  });
  const view<const float16, Extents, From> reading(source.data(), from);
  convert_layout(reading, view<float16, Extents, To>(target.data(), to));
  int wrong = 0;
  for (std::size_t i = 0; i < target.size(); ++i) wrong += target[i].bits() != expected[i];
  return wrong;
}

template <class From, class To>
int faults_of_matrices() {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const bool small = i % 3 == 0;
    const std::uint32_t bound = small ? 20 : 150;
    wrong += faults<From, To>(matrix(counter_below(3, 2 * i, bound), counter_below(3, 2 * i + 1, bound)), i);
  }
  return wrong + faults<From, To>(matrix(16, 16), 1) + faults<From, To>(matrix(1, 1), 2) +
         faults<From, To>(matrix(48, 64), 3) + faults<From, To>(matrix(0, 5), 4) + faults<From, To>(matrix(5, 0), 5) +
         faults<From, To>(matrix(17, 33), 6);
}
template <class From>
int faults_to_all_matrices() {
  return faults_of_matrices<From, layout_right>() + faults_of_matrices<From, layout_left>() +
         faults_of_matrices<From, layout_stride>() + faults_of_matrices<From, layout_fractal_nz<16>>() +
         faults_of_matrices<From, layout_fractal_nz<8>>() + faults_of_matrices<From, layout_fractal_zz<16>>() +
         faults_of_matrices<From, layout_fractal_zn<32>>() + faults_of_matrices<From, layout_fractal_zn<24>>();
}

template <class From, class To>
int faults_of_images() {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 40; ++i)
    wrong += faults<From, To>(images(counter_below(4, 4 * i, 20), counter_below(4, 4 * i + 1, 40),
                                     counter_below(4, 4 * i + 2, 6), counter_below(4, 4 * i + 3, i % 8 == 0 ? 70 : 6)),
                              i);
  return wrong + faults<From, To>(images(16, 16, 1, 1), 1) + faults<From, To>(images(1, 1, 1, 1), 2) +
         faults<From, To>(images(2, 0, 3, 4), 3);
}
template <class From>
int faults_to_all_images() {
  return faults_of_images<From, layout_right>() + faults_of_images<From, layout_left>() +
         faults_of_images<From, layout_nc1hwc0<16>>() + faults_of_images<From, layout_nc1hwc0<4>>() +
         faults_of_images<From, layout_nc1hwc0<1>>() + faults_of_images<From, layout_fractal_z<16>>();
}

// A round trip by way of the chip in constant evaluation: memory, L1, L0A, and back.
constexpr bool round_trip() {
  float rows[6 * 5]{}, l1[16 * 8]{}, l0a[16 * 8]{}, back[6 * 5]{};
  for (int i = 0; i < 30; ++i) rows[i] = static_cast<float>(i + 1);
  for (int i = 0; i < 128; ++i) l1[i] = l0a[i] = -1;
  using sizes = shape<6, 5>;
  const view<float, sizes, layout_fractal_nz<8>> nz(l1, sizes{});
  const view<float, sizes, layout_fractal_zz<8>> zz(l0a, sizes{});
  convert_layout(view<const float, sizes>(rows, sizes{}), nz);
  convert_layout(nz, zz);
  const dextents<std::size_t, 2> later(6, 5);
  convert_layout(zz, view(back, later));
  for (int i = 0; i < 30; ++i)
    if (back[i] != rows[i]) return false;
  float sum = 0;
  for (int i = 0; i < 128; ++i) sum += l0a[i];
  return sum == 465;
}
static_assert(round_trip());

template <class From, class To>
concept converts = requires(const From& from, const To& to) { convert_layout(from, to); };
static_assert(converts<view<const float, shape<2>>, view<float, shape<2>>>);
static_assert(!converts<view<const float, shape<2>>, view<const float, shape<2>>>, "a destination can be written");
static_assert(!converts<view<const float, shape<2>>, view<double, shape<2>>>, "elements keep their type");

}  // namespace

TEST_CASE("matrices keep their elements between any two layouts") {
  CHECK(faults_to_all_matrices<layout_right>() == 0);
  CHECK(faults_to_all_matrices<layout_left>() == 0);
  CHECK(faults_to_all_matrices<layout_stride>() == 0);
  CHECK(faults_to_all_matrices<layout_fractal_nz<16>>() == 0);
  CHECK(faults_to_all_matrices<layout_fractal_nz<8>>() == 0);
  CHECK(faults_to_all_matrices<layout_fractal_zz<16>>() == 0);
  CHECK(faults_to_all_matrices<layout_fractal_zn<32>>() == 0);
  CHECK(faults_to_all_matrices<layout_fractal_zn<24>>() == 0);
}

TEST_CASE("images and weights keep their elements between any two layouts") {
  CHECK(faults_to_all_images<layout_right>() == 0);
  CHECK(faults_to_all_images<layout_left>() == 0);
  CHECK(faults_to_all_images<layout_nc1hwc0<16>>() == 0);
  CHECK(faults_to_all_images<layout_nc1hwc0<4>>() == 0);
  CHECK(faults_to_all_images<layout_nc1hwc0<1>>() == 0);
  CHECK(faults_to_all_images<layout_fractal_z<16>>() == 0);
}

TEST_CASE("a round trip through the layouts of the chip is exact, in constant evaluation too") { CHECK(round_trip()); }

TEST_CASE("axes of other numbers convert between strided layouts") {
  const float number = 7;
  float copy = 0;
  convert_layout(as_view<>(&number), as_view<>(&copy));
  CHECK(copy == 7);
  const float from[] = {1, 2, 3, 4, 5, 6, 7, 8};
  float to[8]{};
  using cube = shape<2, 2, 2>;
  convert_layout(view<const float, cube>(from, cube{}), view<float, cube, layout_left>(to, cube{}));
  CHECK(to[1] == 5);
  CHECK(to[4] == 2);
}

TEST_CASE("views of other sizes and views that share memory are refused") {
  float memory[1024]{};
  const view<const float, matrix> from(memory, matrix(4, 6));
  const view<float, matrix, layout_fractal_nz<8>> turned(memory + 512, matrix(6, 4));
  CHECK_THROWS_WITH_AS(convert_layout(from, turned),
                       "mezzo::convert_layout: both views have the same sizes; given 24 elements for 24 of other "
                       "sizes; reshape one of them first",
                       mezzo::error);
  const view<float, matrix, layout_fractal_nz<8>> inside(memory + 20, matrix(4, 6));
  CHECK_THROWS_WITH_AS(
      convert_layout(from, inside),
      "mezzo::convert_layout: the views share no memory; given an overlap; convert into other memory", mezzo::error);
}
