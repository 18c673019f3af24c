// SPDX-License-Identifier: MIT
#include <mezzo/expr/activation.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

using namespace mezzo;

namespace {

using doubles = tensor<double, shape<2, 7>>;

// What an adjoint reads is what training keeps: one tensor where the derivative can be written in the result.
static_assert(relu_fn::uses == reads::result && sigmoid_fn::uses == reads::result && tanh_fn::uses == reads::result);
static_assert(exp_fn::uses == reads::result && sqrt_fn::uses == reads::result);
static_assert(gelu_fn::uses == reads::operands && silu_fn::uses == reads::operands && log_fn::uses == reads::operands);

static_assert(relu_fn::apply(-1.0f) == 0 && relu_fn::apply(2.0f) == 2 && relu_fn::adjoint<0>(3.0f, 0.0f, 0.0f) == 0);
static_assert(relu_fn::adjoint<0>(3.0f, 2.0f, 2.0f) == 3 && relu_fn::adjoint<0>(3.0, 0.0, -1.0) == 0);

/// Value and derivative at `x` within a few units of the last place of `T`.
template <class Fn, class T>
void check(T x, double value, double derivative) {
  const double bound = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  const T y = Fn::apply(x);
  CHECK(double(y) == doctest::Approx(value).epsilon(bound));
  CHECK(double(Fn::template adjoint<0>(T(2), y, x)) == doctest::Approx(2 * derivative).epsilon(bound));
}
template <class T>
void check_all() {
  for (double at : {-2.5, -0.75, 0.25, 1.5, 3.0}) {
    const T x = static_cast<T>(at);
    const double s = 1 / (1 + std::exp(-at));
    const double cdf = std::erfc(-at / std::sqrt(2.0)) / 2;
    const double pdf = std::exp(-at * at / 2) / std::sqrt(2 * std::acos(-1.0));
    check<gelu_fn>(x, at * cdf, cdf + at * pdf);
    const double u = 2 * std::sqrt(2 / std::acos(-1.0)) * (at + 0.044715 * at * at * at), t = 1 / (1 + std::exp(-u));
    check<gelu_tanh_fn>(x, at * t,
                        t + at * t * (1 - t) * 2 * std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715 * at * at));
    check<silu_fn>(x, at * s, s + at * s * (1 - s));
    check<sigmoid_fn>(x, s, s * (1 - s));
    check<tanh_fn>(x, std::tanh(at), 1 - std::tanh(at) * std::tanh(at));
    check<exp_fn>(x, std::exp(at), std::exp(at));
    check<log_fn>(T(at * at), std::log(at * at), 1 / (at * at));
    check<sqrt_fn>(T(at * at), std::fabs(at), 0.5 / std::fabs(at));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("values and derivatives agree with the C library's functions", T, float, double) { check_all<T>(); }

TEST_CASE("gelu's tanh form and its derivative end where the largest numbers are") {
  for (const float x : {50.0f, 1e5f, 1e20f, 3e38f}) {
    CHECK(gelu_tanh_fn::apply(x) == x);
    CHECK(gelu_tanh_fn::apply(-x) == 0);
    CHECK(gelu_tanh_fn::adjoint<0>(1.0f, 0.0f, x) == 1);
    CHECK(gelu_tanh_fn::adjoint<0>(1.0f, 0.0f, -x) == 0);
  }
}

TEST_CASE("gradients of functions whose derivative reads the result") {
  auto x = uniform<doubles>(1, -2, 2);
  check_gradient([](auto& x_) { return relu(x_) + tanh(x_); }, x);
  check_gradient([](auto& x_) { return sigmoid(exp(x_)); }, x);
  auto positive = uniform<doubles>(2, 0.5, 2);
  check_gradient([](auto& x_) { return sqrt(x_); }, positive);
}

TEST_CASE("gradients of functions whose derivative reads the operand") {
  auto x = uniform<doubles>(1, -2, 2);
  check_gradient([](auto& x_) { return gelu(x_); }, x);
  check_gradient([](auto& x_) { return gelu_tanh(x_); }, x);
  check_gradient([](auto& x_) { return silu(x_) * 2.0; }, x);
  auto positive = uniform<doubles>(2, 0.5, 2);
  check_gradient([](auto& x_) { return log(x_); }, positive);
}
