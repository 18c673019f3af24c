// SPDX-License-Identifier: MIT
#include <mezzo/expr/region.hpp>

#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/product.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

using namespace mezzo;

namespace {

using floats = tensor<float, shape<2, 3>>;
using halves = tensor<float16, shape<2, 3>>;
using square = tensor<float, shape<3, 3>>;
using given = precision<as_given, float, float>;

template <class T>
T& a();
template <class Policy, class Expression>
using region = region_t<decltype(autocast<Policy>(std::declval<Expression>()))>;
using native = policies::native;

// Slots are numbered in the order in which operands are read; a product is one of them.
using layer = decltype(relu(matmul(a<floats>(), a<square>()) + a<floats>() * 2));
static_assert(
    std::is_same_v<
        region<native, layer>,
        region_node<relu_fn, given,
                    region_node<add_fn, given, region_slot<0, float>,
                                region_node<mul_fn, given, region_slot<1, float>, region_slot<2, detail::weak>>>>>);
static_assert(region<native, layer>::slots == 3);

// A root that is not elementwise is a single slot.
static_assert(std::is_same_v<region<native, decltype(matmul(a<floats>(), a<square>()))>, region_slot<0, float>>);
static_assert(std::is_same_v<region_t<expression_t<halves&>>, region_slot<0, float16>>);

// Regions name no tensor, size or policy: equal arithmetic is one type.
using other = tensor<float, shape<dynamic_extent>>;
static_assert(std::is_same_v<region<native, decltype(a<floats>() + a<floats>())>,
                             region<native, decltype(a<other>() + a<other>())>>);
static_assert(std::is_same_v<region<native, decltype(a<floats>() + a<floats>())>,
                             region<policies::O1<bfloat16>, decltype(a<floats>() + a<floats>())>>);

// Operands enter rounded to the operand type, unless they are accumulators or numbers of the program.
using low = precision<float16, float, float16>;
static_assert(detail::enter<low, false>(2049.0f) == 2048 && detail::enter<low, true>(2049.0f) == 2049);
static_assert(detail::enter<low, false>(weak_value{2049.0f, 2049.0}) == 2049);
static_assert(detail::enter<given, false>(float16(1.5f)) == 1.5f);
static_assert(detail::enter<precision<as_given, double, double>, false>(weak_value{0.1f, 0.1}) == 0.1);

template <class T>
struct constant_row {
  T value;
  constexpr T load(std::size_t) const { return value; }
};

// Every node rounds once: 2048 + 1 is lost in float16, and not in float32.
template <class Precision>
using sum_of_three =
    region_node<add_fn, Precision, region_node<add_fn, Precision, region_slot<0, float>, region_slot<1, float>>,
                region_slot<2, float>>;
constexpr auto rows = make_pack(constant_row<float>{2048}, constant_row<float>{1}, constant_row<float>{1});
static_assert(detail::uncarried<float>(evaluate_region<sum_of_three<precision<as_given, float, float16>>>(rows, 0)) ==
              2048);
static_assert(evaluate_region<sum_of_three<given>>(rows, 0) == 2050);

}  // namespace

TEST_CASE("the sources of the slots are the operands that are not elementwise, in order") {
  const floats x;
  const square w;
  const auto e = autocast<native>(relu(matmul(x, w) + x * 2));
  const auto sources = slot_sources(e);
  CHECK(get<0>(sources).extents() == shape<2, 3>{});
  CHECK(get<1>(sources).source.data() == x.data());
  CHECK(get<2>(sources).as_double == 2);
}

namespace {

template <int Length, class X>
constexpr auto chain(const X& x) {
  if constexpr (Length == 0)
    return x;
  else
    return tanh(chain<Length - 1>(x));
}
template <int Length>
using bound_chain = decltype(bind<native>(chain<Length>(std::declval<const expression_t<floats&>&>())));

// A loop takes operations up to the budget; what is more becomes a slot of the next.
static_assert(detail::fused_ops<bound_chain<16>>::value == 16);
static_assert(detail::fused_ops<bound_chain<17>>::value == 1);
static_assert(detail::fused_ops<bound_chain<40>>::value == 8);

}  // namespace

TEST_CASE("an expression past the budget is cut, and its cut part is a source") {
  const floats x;
  const auto sources = slot_sources(autocast<native>(chain<17>(as_expression(x))));
  CHECK(detail::pointwise_bound<std::remove_cvref_t<decltype(get<0>(sources))>>);
}

TEST_CASE("a function that commutes with rounding reads its operand unrounded and gives the same bits") {
  using to_half = precision<as_given, float, float16>;
  using low_sum = region_node<add_fn, to_half, region_slot<0, float>, region_slot<1, float>>;
  using fused = region_node<relu_fn, to_half, low_sum>;
  using apart = region_node<relu_fn, to_half, region_slot<0, float16>>;
  static_assert(detail::reads_unrounded<relu_fn, to_half, low_sum>);
  static_assert(!detail::reads_unrounded<tanh_fn, to_half, low_sum>);
  static_assert(!detail::reads_unrounded<relu_fn, precision<as_given, float, float>, low_sum>);
  const float inf = std::numeric_limits<float>::infinity();
  for (float x : {0.0f, -0.0f, 1e-9f, -1e-9f, 1.0004f, -1.0004f, 2049.0f, 65519.9f, 65520.0f, -70000.0f, inf, -inf,
                  std::numeric_limits<float>::quiet_NaN(), 0x1p-25f, -0x1p-25f, 0x1.8p-25f})
    for (float y : {0.0f, -0.0f, 1.0f, -1.0f}) {
      CAPTURE(x);
      CAPTURE(y);
      const auto row = make_pack(constant_row<float>{x}, constant_row<float>{y});
      const auto sum = detail::uncarried<float>(evaluate_region<low_sum>(row, 0));
      const auto one = detail::uncarried<float>(evaluate_region<fused>(row, 0));
      const auto half = make_pack(constant_row<float16>{float16(sum)});
      const auto two = detail::uncarried<float>(evaluate_region<apart>(half, 0));
      CHECK(float16(one).bits() == float16(two).bits());
      CHECK(float16(evaluate_for_store<fused, float16>(row, 0)).bits() == float16(two).bits());
    }
}
