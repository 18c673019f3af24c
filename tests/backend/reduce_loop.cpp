// SPDX-License-Identifier: MIT
#include <mezzo/backend/reduce_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

constexpr isa every_isa[] = {isa::baseline, isa::avx2, isa::avx512};

/// Sums over the axes marked in `reduced` of an array numbered from 0, by the kernel and by its definition.
bool sums_exactly(const loop_shape& loop, const bool (&reduced)[max_rank]) {
  std::vector<float> x(loop.total());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97);
  std::size_t results = 1;
  for (std::size_t r = 0; r < loop.rank; ++r) results *= reduced[r] ? 1 : loop.size[r];
  std::vector<float> right(results);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t rest = i;
    std::size_t to = 0;
    std::size_t step = 1;
    for (std::size_t r = loop.rank; r-- > 0;) {
      if (!reduced[r]) {
        to += rest % loop.size[r] * step;
        step *= loop.size[r];
      }
      rest /= loop.size[r];
    }
    right[to] += 2 * x[i];
  }
  std::vector<float> sums(results, -1);
  reference plain;
  plain.run(reduce_kernel<precision<as_given, float, float>, float, store_sink<float>>(x.data(), loop, reduced, 2, {sums.data()}));
  return sums == right;
}

template <class T>
float sum_of_ones(std::size_t count) {
  const tensor<T, shape<any>> ones(shape<any>(count), T(1.0f));
  float sum = 0;
  const view<float, shape<>> y(&sum, shape<>{});
  cpu fast;
  into(fast, y) = mezzo::sum(ones);
  return sum;
}

}  // namespace

TEST_CASE("long sums of 16-bit numbers are kept in float32") {
  CHECK(sum_of_ones<float16>(20000) == 20000);
  CHECK(sum_of_ones<bfloat16>(70000) == 70000 + 144);  // stored as bfloat16 by the expression: 70144
  const tensor<bfloat16, shape<any>> ones(shape<any>(70000), bfloat16(1.0f));
  tensor<float, shape<>> wide;
  tensor<float16, shape<>> narrow;
  reference plain;
  into(plain, wide) = autocast<policies::O2<bfloat16>>(sum(ones));
  CHECK(wide() == 70000);
  into(plain, narrow) = sum(ones);
  CHECK(narrow().bits() == 0x7c00);  // beyond float16
}

TEST_CASE("every choice of axes is summed") {
  for (unsigned axes = 0; axes < 16; ++axes) {
    const bool reduced[max_rank] = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0, (axes & 8) != 0};
    CAPTURE(axes);
    CHECK(sums_exactly({4, {3, 4, 5, 6}}, reduced));
    CHECK(sums_exactly({4, {3, 1, 5, 1}}, reduced));
  }
  CHECK(sums_exactly({2, {300, 7}}, {true, false}));
  CHECK(sums_exactly({2, {7, 300}}, {true, false}));
  CHECK(sums_exactly({2, {300, 9}}, {false, true}));
  CHECK(sums_exactly({1, {9000}}, {true}));
}

TEST_CASE("the order of additions is fixed by the sizes: the same bits for every instruction set") {
  tensor<float, shape<any>> x(shape<any>(100003));
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = counter_uniform(1, i) - 0.5f;
  tensor<float, shape<33, 77, 39>> cube;
  for (std::size_t i = 0; i < cube.size(); ++i) cube.data()[i] = counter_uniform(2, i) - 0.5f;
  reference plain;
  tensor<float, shape<>> all;
  tensor<float, shape<77, 39>> first;
  tensor<float, shape<33, 77>> last;
  into(plain, all) = sum(x);
  into(plain, first) = mean<0>(cube);
  into(plain, last) = sum<2>(cube);
  double right = 0;
  for (float value : x) right += static_cast<double>(value);
  CHECK(static_cast<double>(all()) == doctest::Approx(right).epsilon(1e-5));
  for (isa level : every_isa) {
    cpu fast{.isa = level};
    tensor<float, shape<>> other;
    into(fast, other) = sum(x);
    CHECK(bits_of(other()) == bits_of(all()));
    tensor<float, shape<77, 39>> other_first;
    into(fast, other_first) = mean<0>(cube);
    tensor<float, shape<33, 77>> other_last;
    into(fast, other_last) = sum<2>(cube);
    std::size_t different = 0;
    for (std::size_t i = 0; i < first.size(); ++i) different += first.data()[i] != other_first.data()[i];
    for (std::size_t i = 0; i < last.size(); ++i) different += last.data()[i] != other_last.data()[i];
    CHECK(different == 0);
  }
}

TEST_CASE("sums of nothing are 0") {
  const tensor<float, shape<any, 3>> x(shape<any, 3>(0));
  tensor<float, shape<3>> columns(shape<3>{}, 7);
  tensor<float, shape<>> all(shape<>{}, 7);
  reference plain;
  into(plain, columns) = sum<0>(x);
  into(plain, all) = sum(x);
  CHECK(columns(0) + columns(1) + columns(2) == 0);
  CHECK(all() == 0);
}
