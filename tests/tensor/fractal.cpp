// SPDX-License-Identifier: MIT
#include <mezzo/tensor/fractal.hpp>

#include <doctest/doctest.h>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/minifloat.hpp>
#include <mezzo/tensor/view.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace mezzo;

constexpr std::size_t any = dynamic_extent;
using matrix = dextents<std::size_t, 2>;
using images = dextents<std::size_t, 4>;

static_assert(fractal_columns<float16> == 16 && fractal_columns<float> == 8 && fractal_columns<std::int8_t> == 32);

// The formulas once more, each digit of an index by itself and the digits counted as a number of mixed base.
struct digit {
  std::size_t value, base;
};
template <std::size_t Count>
std::size_t number_of(const digit (&digits)[Count]) {
  std::size_t number = 0;
  for (const digit& d : digits) number = number * d.base + d.value;
  return number;
}
std::size_t pieces(std::size_t size, std::size_t piece) { return (size + piece - 1) / piece; }

template <std::size_t C0>
struct expected_nc1hwc0 {
  static std::size_t at(const images& e, std::size_t n, std::size_t c, std::size_t h, std::size_t w) {
    return number_of<5>({{n, e.extent(0)},
                         {c / C0, pieces(e.extent(1), C0)},
                         {h, e.extent(2)},
                         {w, e.extent(3)},
                         {c % C0, C0}});
  }
  static std::size_t span(const images& e) {
    return e.extent(0) * pieces(e.extent(1), C0) * e.extent(2) * e.extent(3) * C0;
  }
};
template <std::size_t C0>
struct expected_fractal_z {
  static std::size_t at(const images& e, std::size_t n, std::size_t c, std::size_t h, std::size_t w) {
    return number_of<6>({{c / C0, pieces(e.extent(1), C0)},
                         {h, e.extent(2)},
                         {w, e.extent(3)},
                         {n / 16, pieces(e.extent(0), 16)},
                         {n % 16, 16},
                         {c % C0, C0}});
  }
  static std::size_t span(const images& e) {
    return pieces(e.extent(1), C0) * e.extent(2) * e.extent(3) * pieces(e.extent(0), 16) * 16 * C0;
  }
};
template <std::size_t W0>
struct expected_nz {
  static std::size_t at(const matrix& e, std::size_t h, std::size_t w) {
    return number_of<4>(
        {{w / W0, pieces(e.extent(1), W0)}, {h / 16, pieces(e.extent(0), 16)}, {h % 16, 16}, {w % W0, W0}});
  }
  static std::size_t span(const matrix& e) { return pieces(e.extent(1), W0) * pieces(e.extent(0), 16) * 16 * W0; }
};
template <std::size_t W0>
struct expected_zz {
  static std::size_t at(const matrix& e, std::size_t h, std::size_t w) {
    return number_of<4>(
        {{h / 16, pieces(e.extent(0), 16)}, {w / W0, pieces(e.extent(1), W0)}, {h % 16, 16}, {w % W0, W0}});
  }
  static std::size_t span(const matrix& e) { return pieces(e.extent(1), W0) * pieces(e.extent(0), 16) * 16 * W0; }
};
template <std::size_t K0>
struct expected_zn {
  static std::size_t at(const matrix& e, std::size_t k, std::size_t n) {
    return number_of<4>(
        {{k / K0, pieces(e.extent(0), K0)}, {n / 16, pieces(e.extent(1), 16)}, {n % 16, 16}, {k % K0, K0}});
  }
  static std::size_t span(const matrix& e) { return pieces(e.extent(0), K0) * pieces(e.extent(1), 16) * 16 * K0; }
};

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

// Offsets that differ from the formula, lie outside the span or are hit twice; and a wrong count of those not hit.
template <class Layout, class Expected, class Extents>
int faults(const Extents& sizes) {
  const typename Layout::template mapping<Extents> mapping(sizes);
  const std::size_t span = mapping.required_span_size();
  int wrong = span != Expected::span(sizes);
  std::vector<char> hit(span);
  for_each(sizes, [&](auto... index) {
    const std::size_t offset = mapping(index...);
    wrong += offset != Expected::at(sizes, index...) || offset >= span;
    if (offset < span) wrong += hit[offset]++ != 0;
  });
  std::size_t missed = 0;
  for (const char h : hit) missed += h == 0;
  return wrong + (missed != mapping.padding()) + (mapping.is_exhaustive() != (missed == 0));
}

template <class Layout, class Expected>
int faults_of_matrices() {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const bool small = i % 3 == 0;
    wrong += faults<Layout, Expected>(
        matrix(counter_below(1, 2 * i, small ? 20 : 100), counter_below(1, 2 * i + 1, small ? 20 : 100)));
  }
  for (std::size_t h : {1U, 15U, 16U, 17U, 32U})
    for (std::size_t w : {1U, 7U, 8U, 9U, 16U, 31U, 32U, 33U}) wrong += faults<Layout, Expected>(matrix(h, w));
  return wrong;
}
template <class Layout, class Expected>
int faults_of_images() {
  int wrong = 0;
  for (std::uint64_t i = 0; i < 300; ++i)
    wrong += faults<Layout, Expected>(images(counter_below(2, 4 * i, 36), counter_below(2, 4 * i + 1, 40),
                                             counter_below(2, 4 * i + 2, 6), counter_below(2, 4 * i + 3, 6)));
  for (std::size_t n : {1U, 16U, 17U})
    for (std::size_t c : {1U, 15U, 16U, 33U}) wrong += faults<Layout, Expected>(images(n, c, 2U, 3U));
  return wrong;
}

// The distances that copies rely on hold between all neighbours of one block.
template <class Layout, class Extents>
int uneven_steps(const Extents& sizes) {
  const typename Layout::template mapping<Extents> mapping(sizes);
  int wrong = 0;
  for_each(sizes, [&](auto... index) {
    for (std::size_t r = 0; r < Extents::rank(); ++r) {
      std::size_t next[] = {static_cast<std::size_t>(index)...};
      const std::size_t block = mapping.block_extent(r);
      if (++next[r] >= sizes.extent(r) || (block > 1 && next[r] % block == 0)) continue;
      const std::size_t offset = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return mapping(next[I]...);
      }(std::make_index_sequence<Extents::rank()>{});
      wrong += static_cast<std::ptrdiff_t>(offset - mapping(index...)) != mapping.block_stride(r);
    }
  });
  return wrong;
}

// Examples by hand.
using one_fractal = layout_fractal_nz<16>::mapping<shape<20, 40>>;
static_assert(one_fractal()(0, 15) == 15 && one_fractal()(1, 0) == 16 && one_fractal()(16, 0) == 256 &&
              one_fractal()(0, 16) == 512 && one_fractal()(19, 39) == (2 * 2 + 1) * 256 + 3 * 16 + 7);
static_assert(one_fractal().required_span_size() == 3 * 2 * 256 && one_fractal().padding() == 3 * 2 * 256 - 800 &&
              one_fractal().padded_extent(0) == 32 && one_fractal().padded_extent(1) == 48);
using left_operand = layout_fractal_zz<16>::mapping<shape<20, 40>>;
static_assert(left_operand()(0, 16) == 256 && left_operand()(16, 0) == 768 && left_operand()(1, 0) == 16);
using right_operand = layout_fractal_zn<16>::mapping<shape<20, 40>>;
static_assert(right_operand()(1, 0) == 1 && right_operand()(0, 1) == 16 && right_operand()(0, 16) == 256 &&
              right_operand()(16, 0) == 768);
using feature_map = layout_nc1hwc0<16>::mapping<shape<2, 20, 3, 5>>;
static_assert(feature_map()(0, 1, 0, 0) == 1 && feature_map()(0, 0, 0, 1) == 16 && feature_map()(0, 0, 1, 0) == 80 &&
              feature_map()(0, 16, 0, 0) == 240 && feature_map()(1, 0, 0, 0) == 480);
using weights = layout_fractal_z<16>::mapping<shape<20, 20, 3, 3>>;
static_assert(weights()(0, 1, 0, 0) == 1 && weights()(1, 0, 0, 0) == 16 && weights()(16, 0, 0, 0) == 256 &&
              weights()(0, 0, 0, 1) == 512 && weights()(0, 0, 1, 0) == 1536 && weights()(0, 16, 0, 0) == 4608);

// What mdspan asks of a mapping.
static_assert(std::is_same_v<one_fractal::extents_type, shape<20, 40>> &&
              std::is_same_v<one_fractal::layout_type::mapping<shape<20, 40>>, one_fractal>);
static_assert(one_fractal::is_always_unique() && !one_fractal::is_always_strided() && one_fractal().is_unique() &&
              !one_fractal().is_strided() && !one_fractal::is_always_exhaustive() && !one_fractal().is_exhaustive());
static_assert(layout_fractal_nz<16>::mapping<shape<32, 48>>::is_always_exhaustive());
static_assert(layout_nc1hwc0<16>::mapping<shape<any, 32, any, any>>::is_always_exhaustive());
static_assert(!layout_nc1hwc0<16>::mapping<shape<1, any, 3, 3>>::is_always_exhaustive());
static_assert(layout_nc1hwc0<16>::mapping<shape<1, any, 3, 3>>(shape<1, any, 3, 3>(32)).is_exhaustive());
static_assert(std::is_trivially_copyable_v<one_fractal>);
static_assert(layout_fractal_zz<16>::mapping<shape<any, 5>>(shape<any, 5>(0)).required_span_size() == 0);

template <class View>
concept has_stride = requires(const View& v) { v.stride(0); };
static_assert(has_stride<view<float, shape<2, 3>>> && has_stride<view<float, shape<2, 3>, layout_left>>);
static_assert(!has_stride<view<float, shape<2, 3>, layout_fractal_nz<8>>>);
static_assert(!std::is_invocable_v<one_fractal, int> && !std::is_invocable_v<one_fractal, int, int, int>);

constexpr bool view_reads_and_writes() {
  float memory[2 * 16 * 8]{};
  const view<float, shape<3, 10>, layout_fractal_nz<8>> v(memory, shape<3, 10>{});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 10; ++j) v(i, j) = static_cast<float>(10 * i + j);
  const view<const float, shape<3, 10>, layout_fractal_nz<8>> reading = v;
  return reading(2, 9) == 29 && memory[128 + 2 * 8 + 1] == 29 && memory[2 * 8 + 7] == 27 && memory[7] == 7 &&
         memory[3 * 8] == 0 && reading.size() == 30;
}
static_assert(view_reads_and_writes());

}  // namespace

TEST_CASE("offsets are those of the formulas, each hit at most once, and the rest is padding") {
  CHECK(faults_of_matrices<layout_fractal_nz<16>, expected_nz<16>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_nz<8>, expected_nz<8>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_nz<32>, expected_nz<32>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_zz<16>, expected_zz<16>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_zz<32>, expected_zz<32>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_zn<16>, expected_zn<16>>() == 0);
  CHECK(faults_of_matrices<layout_fractal_zn<8>, expected_zn<8>>() == 0);
  CHECK(faults_of_images<layout_nc1hwc0<16>, expected_nc1hwc0<16>>() == 0);
  CHECK(faults_of_images<layout_nc1hwc0<8>, expected_nc1hwc0<8>>() == 0);
  CHECK(faults_of_images<layout_nc1hwc0<4>, expected_nc1hwc0<4>>() == 0);
  CHECK(faults_of_images<layout_nc1hwc0<1>, expected_nc1hwc0<1>>() == 0);
  CHECK(faults_of_images<layout_fractal_z<16>, expected_fractal_z<16>>() == 0);
  CHECK(faults_of_images<layout_fractal_z<32>, expected_fractal_z<32>>() == 0);
}

TEST_CASE("nZ of a matrix is NZ of its transpose") {
  const layout_fractal_zn<8>::mapping<matrix> right(matrix(37, 21));
  const layout_fractal_nz<8>::mapping<matrix> turned(matrix(21, 37));
  int wrong = 0;
  for_each(right.extents(), [&](std::size_t k, std::size_t n) { wrong += right(k, n) != turned(n, k); });
  CHECK(wrong == 0);
}

TEST_CASE("neighbours within a block lie at one distance") {
  CHECK(uneven_steps<layout_fractal_nz<16>>(matrix(37, 53)) == 0);
  CHECK(uneven_steps<layout_fractal_zz<8>>(matrix(37, 53)) == 0);
  CHECK(uneven_steps<layout_fractal_zn<32>>(matrix(37, 53)) == 0);
  CHECK(uneven_steps<layout_nc1hwc0<16>>(images(3, 37, 4, 5)) == 0);
  CHECK(uneven_steps<layout_nc1hwc0<1>>(images(3, 5, 4, 5)) == 0);
  CHECK(uneven_steps<layout_fractal_z<16>>(images(35, 37, 4, 5)) == 0);
}

TEST_CASE("a view over a blocked layout reads and writes element by element") { CHECK(view_reads_and_writes()); }
