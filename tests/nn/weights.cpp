// SPDX-License-Identifier: MIT
#include <mezzo/nn/weights.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using net = sequential<input<1, 4, 4>, conv2d<2, 3>, relu_layer, flatten, dense<3>>;
// 2·1·3·3 + 2 of the convolution, 3·8 + 3 of the product.
using O0 = weights<net, policies::O0<>>;
using O1 = weights<net, policies::O1<bfloat16>>;
using O2 = weights<net, policies::O2<float16>>;
using O2_kept = weights<net, policies::O2<float16, keep<float, op::linear>>>;
using O3 = weights<net, policies::O3<bfloat16>>;

static_assert(O0::size() == 47 && O2::size() == 47);
static_assert(O0().low().size() == 0 && O0().full().size() == 47 && O0().bytes() == 188);
static_assert(O1().low().size() == 0 && O1().bytes() == 188);
static_assert(O2().low().size() == 47 && O2().full().size() == 0 && O2().bytes() == 94);
static_assert(O2_kept().low().size() == 20 && O2_kept().full().size() == 27 && O2_kept().bytes() == 40 + 108);
static_assert(O3().bytes() == 94 && std::is_same_v<O3::low_type, bfloat16>);

static_assert(std::is_same_v<O2::value_type<0>, float16> && std::is_same_v<O0::value_type<0>, float>);
static_assert(std::is_same_v<O2_kept::value_type<1>, float16> && std::is_same_v<O2_kept::value_type<2>, float>);
// What is kept in a third type is held in float32.
static_assert(weights<net, policies::O2<float16, keep<bfloat16, op::conv2d>>>().full().size() == 20);

// Parameters lie one after another in their array, in the order of the network.
constexpr bool contiguous() {
  O2 one;
  O2_kept two;
  return one.get<0>().data() == one.low().data() && one.get<1>().data() == one.low().data() + 18 &&
         one.get<2>().data() == one.low().data() + 20 && one.get<3>().data() == one.low().data() + 44 &&
         two.get<1>().data() == two.low().data() + 18 && two.get<2>().data() == two.full().data() &&
         two.get<3>().data() == two.full().data() + 24;
}
static_assert(contiguous());
static_assert(O2::layout::offset(2) == 20 && O2_kept::layout::offset(2) == 0 && O2_kept::layout::offset(3) == 24);
static_assert(std::is_same_v<decltype(O2().get<0>())::extents_type, shape<2, 1, 3, 3>>);

// They start at zero, and are written through their views; a constant one gives views to read.
constexpr bool values() {
  O2_kept w;
  for (const float16& one : w.low())
    if (bits_of(one) != 0) return false;
  w.get<2>()(2, 7) = 5;
  const O2_kept& constant = w;
  return w.full()[23] == 5 && constant.get<2>()(2, 7) == 5 &&
         std::is_const_v<std::remove_pointer_t<decltype(constant.get<0>().data())>>;
}
static_assert(values());

/// The start of parameter `p`, in order.
template <class Weights>
heap_array<float> start_of(std::uint64_t seed, std::size_t p) {
  heap_array<float> low(Weights::layout::elements(true)), full(Weights::layout::elements(false));
  Weights::layout::start(seed, low.data(), full.data());
  heap_array<float> values(Weights::layout::size[p]);
  const heap_array<float>& from = Weights::layout::low[p] ? low : full;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = from[Weights::layout::offset(p) + i];
  return values;
}
template <class A, class B>
std::size_t equal_elements(const A& a, const B& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) count += a[i] == b[i];
  return count;
}

}  // namespace

TEST_CASE("a start depends on the seed alone, not on where the policy stores it") {
  CHECK(equal_elements(start_of<O0>(1, 2), start_of<O2_kept>(1, 2)) == 24);
  CHECK(equal_elements(start_of<O0>(1, 0), start_of<O3>(1, 0)) == 18);
  CHECK(equal_elements(start_of<O0>(1, 0), start_of<O0>(2, 0)) == 0);
  for (const float value : start_of<O0>(1, 1)) CHECK(value == 0.0f);
}

TEST_CASE("no parameter draws what another draws, whatever the seeds") {
  using twins = weights<sequential<input<16>, dense<16>, dense<16>>, policies::O0<>>;
  for (std::uint64_t other = 0; other < 8; ++other) {
    CHECK(equal_elements(start_of<twins>(4, 0), start_of<twins>(other, 2)) <= 1);
    if (other != 4) CHECK(equal_elements(start_of<twins>(4, 0), start_of<twins>(other, 0)) <= 1);
  }
}
