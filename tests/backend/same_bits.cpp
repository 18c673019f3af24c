// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers reorder sums differently in every loop
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

constexpr isa every_isa[] = {isa::baseline, isa::avx2, isa::avx512};

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

template <class A, class B>
std::size_t different(const A& a, const B& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += bits_of(a.data()[i]) != bits_of(b.data()[i]);
  return count;
}

}  // namespace

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

TEST_CASE("softmax and cross-entropy give the same bits on every instruction set") {
  floats<19, 37> x;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 8 * counter_uniform(1, i) - 4;
  tensor<std::int32_t, shape<19>> labels;
  for (std::size_t i = 0; i < labels.size(); ++i) labels.data()[i] = static_cast<std::int32_t>(counter_below(2, i, 37));
  floats<19, 37> y;
  floats<19, 37> dx;
  floats<> loss;
  reference plain;
  into(plain, y) = softmax<0>(x);
  into(plain, dx) = gradient(cross_entropy(x, labels), wrt(x));
  into(plain, loss) = cross_entropy(x, labels);
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    cpu fast{.isa = level};
    floats<19, 37> other;
    into(fast, other) = softmax<0>(x);
    CHECK(different(y, other) == 0);
    into(fast, other) = gradient(cross_entropy(x, labels), wrt(x));
    CHECK(different(dx, other) == 0);
    floats<> other_loss;
    into(fast, other_loss) = cross_entropy(x, labels);
    CHECK(different(loss, other_loss) == 0);
  }
}
