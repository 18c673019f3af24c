// SPDX-License-Identifier: MIT
#include <mezzo/backend/reduce_loop.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

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
  plain.run(reduce_kernel<precision<as_given, float, float>, float, store_sink<float>>(x.data(), loop, reduced, 2,
                                                                                       {sums.data()}));
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
