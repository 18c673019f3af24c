// SPDX-License-Identifier: MIT
// not under -Ofast: it may contract and reorder the arithmetic of a fused loop
#include <mezzo/store/evaluate.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

template <class Tensor>
Tensor random(std::uint64_t seed) {
  Tensor t;
  for (std::size_t i = 0; i < t.size(); ++i)
    t.data()[i] = convert<typename Tensor::value_type>(4 * counter_uniform(seed, i) - 2);
  return t;
}
template <class A, class B>
std::size_t different(const A& a, const B& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += bits_of(a.data()[i]) != bits_of(b.data()[i]);
  return count;
}

/// The result of one bound node, stored in the type it was resolved to.
template <class Backend, class Bound>
auto stored(Backend& on, const Bound& e) {
  tensor<typename Bound::value_type, typename Bound::extents_type> t(e.extents());
  into(on, t) = e;
  return t;
}

/// gelu(x·w + b)·c, then softmax, in one store and node by node.
template <class Policy, class Backend>
void check_fusion(Backend& on) {
  const auto x = random<floats<9, 20>>(1);
  const auto w = random<floats<20, 15>>(2);
  const auto b = random<floats<15>>(3);
  const auto c = random<tensor<bfloat16, shape<9, 1>>>(4);
  const auto product = stored(on, autocast<Policy>(matmul(x, w)));
  const auto sum = stored(on, autocast<Policy>(product + b));
  const auto bent = stored(on, autocast<Policy>(gelu(sum)));
  const auto scaled = stored(on, autocast<Policy>(bent * c));
  const auto fused = stored(on, autocast<Policy>(gelu(matmul(x, w) + b) * c));
  CHECK(different(fused, scaled) == 0);
  const auto shares = stored(on, autocast<Policy>(softmax(scaled)));
  const auto all = stored(on, autocast<Policy>(softmax(gelu(matmul(x, w) + b) * c)));
  CHECK(different(all, shares) == 0);
}

// The operation that ends in the loop is the first with the sizes of the result.
template <class Result, class Expression>
constexpr std::size_t fused_slot =
    detail::fused<Result, decltype(slot_sources(autocast<policies::native>(std::declval<Expression>())))>::slot;
template <class T>
T& a();
using square = floats<3, 3>;
static_assert(fused_slot<shape<3, 3>, decltype(a<square>() + matmul(a<square>(), a<square>()) +
                                               matmul(a<square>(), a<square>()))> == 1);
static_assert(fused_slot<shape<3, 3>, decltype(a<square>() - mean<0>(a<square>()))> == detail::no_slot);
static_assert(fused_slot<shape<3, 3>, decltype(a<square>() * a<square>())> == detail::no_slot);

}  // namespace

TEST_CASE_TEMPLATE("one fused store gives the bits of a store for each node", Policy, policies::native,
                   policies::O1<bfloat16>, policies::O2<float16>) {
  reference plain;
  check_fusion<Policy>(plain);
}

TEST_CASE("fusion changes no bit on the processor") {
  cpu fast;
  check_fusion<policies::O2<float16>>(fast);
}

TEST_CASE("several operations in one region: the first is fused, the others are stored before") {
  const auto x = random<floats<4, 5>>(1);
  const auto w = random<floats<5, 6>>(2);
  reference on;
  const auto product = stored(on, autocast<policies::native>(matmul(x, w)));
  const auto row = stored(on, autocast<policies::native>(sum<0>(product)));
  const auto all = stored(on, autocast<policies::native>(sum(x)));
  const auto apart = stored(on, autocast<policies::native>(product * product + row / all));
  const auto at_once =
      stored(on, autocast<policies::native>(matmul(x, w) * matmul(x, w) + sum<0>(matmul(x, w)) / sum(x)));
  CHECK(different(apart, at_once) == 0);
}

TEST_CASE("an expression past the fusion budget has the same bits and the same gradient as its parts") {
  tensor<float16, shape<40>> x, whole, part;
  for (std::size_t i = 0; i < 40; ++i) x(i) = float16(static_cast<float>(i) * 0.11f - 2.0f);
  reference plain;
  const auto twelve = [](const auto& e) {
    const auto f = [](const auto& v) { return sigmoid(tanh(v) * 3.0f) - 0.25f; };
    return f(f(f(e)));
  };
  into(plain, whole) = twelve(twelve(as_expression(x)));  // 24 operations
  into(plain, part) = twelve(x);
  tensor<float16, shape<40>> parts;
  into(plain, parts) = twelve(part);
  for (std::size_t i = 0; i < 40; ++i) CHECK(whole(i).bits() == parts(i).bits());

  tensor<double, shape<3>> v{0.2, -0.7, 1.4}, g(shape<3>{}, 1.0), dv, above, below;
  into(plain, dv) = gradient(twelve(twelve(as_expression(v))), g, wrt(v));
  constexpr double h = 1e-6;
  for (std::size_t i = 0; i < 3; ++i) {
    const double at = v(i);
    v(i) = at + h;
    into(plain, above) = twelve(twelve(as_expression(v)));
    v(i) = at - h;
    into(plain, below) = twelve(twelve(as_expression(v)));
    v(i) = at;
    // Rounding: about 2^-52/h of a value near 1; truncation: h^2.
    CHECK(dv(i) == doctest::Approx((above(i) - below(i)) / (2 * h)).epsilon(1e-7));
  }
}
