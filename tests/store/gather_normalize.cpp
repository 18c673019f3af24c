// SPDX-License-Identifier: MIT
#include <mezzo/store/gather_normalize.hpp>

#include "check_gradient.hpp"

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

using norm = gather<normalize_fn<op::layer_norm, trailing_axes<-1>, true>>;

// The backward pass reads rows, gains and ε, but neither results nor the values of shifts.
static_assert(!norm::reads_result && norm::reads_operands<0> && norm::reads_operands<1> && !norm::reads_operands<2>);

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

}  // namespace

TEST_CASE("gradients of low parameters are rounded once, from float32 sums") {
  const auto x = uniform<floats<40, 6>>(1), dy = uniform<floats<40, 6>>(2);
  const auto gain = uniform<tensor<bfloat16, shape<6>>>(3);
  const floats<6> shift;
  floats<6> wide_gain, exact_gain;
  tensor<bfloat16, shape<6>> dgain;
  floats<6> dshift;
  for (std::size_t i = 0; i < 6; ++i) wide_gain(i) = float(gain(i));
  cpu on;
  into(on, exact_gain) = gradient(layer_norm(x, wide_gain, shift), dy, wrt(wide_gain));
  into(on, dgain, dshift) = gradient(layer_norm(x, gain, shift), dy, wrt(gain, shift));
  for (std::size_t i = 0; i < 6; ++i) CHECK(dgain(i).bits() == bfloat16(exact_gain(i)).bits());
}

TEST_CASE("a tensor that is rows, gain and shift at once gets the sum of its gradients") {
  auto x = uniform<tensor<double, shape<5>>>(1, -2, 2);
  check_gradient([](auto& x_) { return layer_norm(x_, x_, x_); }, x);
}
