// SPDX-License-Identifier: MIT
#include <mezzo/nn/parameter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

using namespace mezzo;

namespace {

template <class Policy, class Tag, class Type>
inline constexpr bool stored_as = std::is_same_v<parameter_t<Policy, Tag>, Type>;

// O0 and O1 store float32, whatever reads it.
static_assert(stored_as<policies::O0<>, op::linear, float> && stored_as<policies::O1<float16>, op::linear, float>);
static_assert(stored_as<policies::O1<float16, lower<op::linear>>, op::linear, float>);

// O2 and O3 store products low, O2 what meets in sums float32.
static_assert(stored_as<policies::O2<float16>, op::linear, float16>);
static_assert(stored_as<policies::O2<bfloat16>, op::conv2d, bfloat16>);
static_assert(stored_as<policies::O3<bfloat16>, op::linear, bfloat16>);
static_assert(stored_as<policies::O2<float16>, op::softmax, float> &&
              stored_as<policies::O3<float16>, op::softmax, float16>);
// What takes part in arithmetic between tensors is stored as the activations are.
static_assert(stored_as<policies::O2<float16>, op::mul, float16>);

// An override acts on its operation only; what is kept in a third type is stored in float32 and rounded as it is read.
using mixed = policies::O2<float16, keep<float, op::linear>, keep<bfloat16, op::conv2d>, keep<double, op::gelu>>;
static_assert(stored_as<mixed, op::linear, float> && stored_as<mixed, op::conv2d, float> &&
              stored_as<mixed, op::gelu, float>);
static_assert(stored_as<mixed, op::matmul, float16>);

// Sizes.
static_assert(parameter<shape<3, 4>, op::linear, zeros>::size == 12 &&
              parameter<shape<>, op::linear, zeros>::size == 1);
using list = parameter_list<parameter<shape<3, 4>, op::linear, zeros>, parameter<shape<3>, op::linear, zeros>>;
static_assert(list::count == 2 && list::elements == 15 && parameter_list<>::elements == 0);
static_assert(detail::list_element<list, 1>::type::size == 3);

// Starts are functions of seed and place.
static_assert(zeros::value(1, 2) == 0);
static_assert(he_uniform<6>::value(1, 2) == he_uniform<6>::value(1, 2));
static_assert(he_uniform<6>::value(1, 2) != he_uniform<6>::value(2, 2) &&
              he_uniform<6>::value(1, 2) != he_uniform<6>::value(1, 3));

}  // namespace

TEST_CASE("a start fills its interval evenly") {
  // √(6/24) = 1/2: the mean is 0 and the variance 1/12; of 10000 draws the mean deviates by 0.0029, the variance by
  // 0.0008.
  constexpr int draws = 10000;
  float least = 0;
  float greatest = 0;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const float value = he_uniform<24>::value(7, i);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
    sum += double(value);
    squares += double(value) * double(value);
  }
  CHECK(least >= -0.5f);
  CHECK(greatest < 0.5f);
  CHECK(least < -0.499f);
  CHECK(greatest > 0.499f);
  CHECK(std::fabs(sum / draws) < 5 * 0.0029);
  CHECK(std::fabs(squares / draws - 1.0 / 12) < 5 * 0.0008);
}
