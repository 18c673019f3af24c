// SPDX-License-Identifier: MIT
// not under -Ofast: nothing in it computes with floating point
#include <mezzo/backend/region_work.hpp>
#include <mezzo/expr/bind.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace mezzo;

namespace {

template <class Policy, class E>
constexpr auto region(const E& e) {
  return std::type_identity<region_t<decltype(bind<Policy>(e))>>{};
}
template <class Region>
std::string name_of(std::type_identity<Region>) {
  short_name name;
  region_name<Region>::put(name);
  return name.text;
}
template <class Region>
constexpr instructions forward(std::type_identity<Region>) {
  return forward_work<Region>::value;
}
template <class Region, class... Sinks>
constexpr instructions backward(std::type_identity<Region>, pack<Sinks...>) {
  return backward_work<Region, pack<Sinks...>>::value;
}

struct wanted_sink {};

}  // namespace

TEST_CASE("a node is an instruction, on 16-bit lanes where it is stored low") {
  const tensor<float16, shape<4>> a, b;
  const tensor<float, shape<4>> c;
  const auto low = forward(region<policies::native>(relu(a * b)));
  CHECK(low.plain_16 == 2);
  CHECK(low.count() == 2);
  const auto cast = forward(region<policies::native>(a + c));
  CHECK(cast.plain_32 == 2);  // the sum, and the cast of a
  CHECK(cast.plain_16 == 0);
  CHECK(forward(region<policies::native>(exp(a) / b)).slow_16 == 2);
  CHECK(forward(region<policies::native>(a * 2.0f)).count() == 1);  // a number is not cast
}

TEST_CASE("a gradient counts the adjoints that are wanted, and values that they read again") {
  const tensor<float, shape<4>> a, b;
  const auto sum = region<policies::native>(a + b);
  CHECK(backward(sum, pack<wanted_sink, wanted_sink>{}).count() == 0);
  const auto product = region<policies::native>(a * b);
  CHECK(backward(product, pack<wanted_sink, no_sink>{}).count() == 1);
  CHECK(backward(product, pack<wanted_sink, wanted_sink>{}).count() == 2);
  // d(exp(a)·b)/db reads exp(a).
  const auto again = region<policies::native>(exp(a) * b);
  CHECK(backward(again, pack<wanted_sink, no_sink>{}).slow_32 == 1);
}

TEST_CASE("a region is named from the leaves to the root") {
  const tensor<float, shape<4>> a, b;
  CHECK(name_of(region<policies::native>(relu(a * b))) == "mul+relu");
  CHECK(name_of(region<policies::native>(a)).empty());
}
