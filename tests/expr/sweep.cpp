// SPDX-License-Identifier: MIT
#include <mezzo/expr/sweep.hpp>

#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/product.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

using floats = tensor<float, shape<3, 3>>;

template <class T = floats>
T& x();

template <class Expression>
using region = region_t<decltype(autocast<policies::native>(std::declval<Expression>()))>;

/// Whether the sweep reads slot `I` with the result at hand, and without.
template <class Expression, std::size_t I, bool Known, bool Unknown>
constexpr bool reads_when =
    sweep_reads<region<Expression>, I, true> == Known&& sweep_reads<region<Expression>, I, false> == Unknown;

// relu, sigmoid, tanh, exp and sqrt are differentiated from their result.
static_assert(reads_when<decltype(relu(x())), 0, false, true> && reads_when<decltype(tanh(x())), 0, false, true>);
static_assert(reads_when<decltype(exp(x())), 0, false, true> && reads_when<decltype(sqrt(x())), 0, false, true>);
// gelu, silu and log need their operand all the same.
static_assert(reads_when<decltype(gelu(x())), 0, true, true> && reads_when<decltype(silu(x())), 0, true, true>);
// Sums need nothing.
static_assert(reads_when<decltype(x() + x()), 0, false, false> && reads_when<decltype(-x()), 0, false, false>);
// A layer's activation, from its result: neither product nor bias is read.
using layer = decltype(relu(matmul(x(), x()) + x()));
static_assert(reads_when<layer, 0, false, true> && reads_when<layer, 1, false, true>);
// A product of a sum needs the sum, and with it its operands.
using scaled = decltype((x() + x()) * x());
static_assert(reads_when<scaled, 0, true, true> && reads_when<scaled, 1, true, true> &&
              reads_when<scaled, 2, true, true>);
// A sum of an activation needs the activation's result.
using shifted = decltype(relu(x()) + x());
static_assert(reads_when<shifted, 0, true, true> && reads_when<shifted, 1, false, false>);
// The operand of a gelu over a sum; a relu under a gelu.
static_assert(reads_when<decltype(gelu(x() + x())), 1, true, true>);
static_assert(reads_when<decltype(relu(gelu(x()))), 0, true, true>);

// What is worth keeping for the sweep instead of a product: its result, with the bias that completes it.
using biased = region<decltype(relu(linear(x(), x(), x())))>;
static_assert(std::is_same_v<kept_part<biased, 0>::type, region<decltype(linear(x(), x(), x()))>>);
using plain = region<layer>;
static_assert(std::is_same_v<kept_part<plain, 0>::type, region_slot<0, float>>);
static_assert(std::is_void_v<kept_part<plain, 7>::type>);

struct row {
  float value;
  constexpr float load(std::size_t) const { return value; }
};
struct sink {
  float gradient = 0;
  constexpr void put(std::size_t, float g) { gradient += g; }
};

// (a + 2b)·c at (1, 3, 5) with g = 2.
constexpr bool swept() {
  using expression = decltype((x() + 2 * x()) * x());
  const auto rows = make_pack(row{1}, row{2}, row{3}, row{5});
  auto sinks = make_pack(sink{}, no_sink{}, sink{}, sink{});
  sweep_region<region<expression>>(rows, no_sink{}, 2.0f, sinks, 0);
  return get<0>(sinks).gradient == 10 && get<2>(sinks).gradient == 20 && get<3>(sinks).gradient == 14;
}
static_assert(swept());

// With the result at hand the operands do not matter.
constexpr bool from_result() {
  const auto rows = make_pack(row{-1});
  auto sinks = make_pack(sink{});
  sweep_region<region<decltype(relu(x()))>>(rows, row{3}, 2.0f, sinks, 0);
  return get<0>(sinks).gradient == 2;
}
static_assert(from_result());

}  // namespace

TEST_CASE("gradients are not rounded inside a region") {
  // g = 1 + 2^-11 in float32 through two float16 nodes.
  using expression = decltype(-(-std::declval<tensor<float16, shape<1>>&>()));
  const auto rows = make_pack(row{1});
  auto sinks = make_pack(sink{});
  sweep_region<region<expression>>(rows, no_sink{}, 1 + 0x1p-11f, sinks, 0);
  CHECK(get<0>(sinks).gradient == 1 + 0x1p-11f);
}
