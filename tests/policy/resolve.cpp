// SPDX-License-Identifier: MIT
#include <mezzo/policy/resolve.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <type_traits>

namespace {

namespace op = mezzo::op;
namespace policies = mezzo::policies;
using mezzo::as_given;
using mezzo::bfloat16;
using mezzo::compute_t;
using mezzo::float16;
using mezzo::keep;
using mezzo::lower;
using mezzo::precision;
using mezzo::resolve;
using native = policies::native;
using number = mezzo::detail::weak;  // written in the program

template <class... Overrides>
using O0 = policies::O0<Overrides...>;
template <class... Overrides>
using O1 = policies::O1<float16, Overrides...>;
template <class... Overrides>
using O2 = policies::O2<float16, Overrides...>;
template <class... Overrides>
using O3 = policies::O3<float16, Overrides...>;

/// Operands of the types `Operands`, and the type in which their values meet.
template <class Widest, class... Operands>
struct meeting {};

/// The three outcomes of an operation whose operands meet in `Widest`: in its own type, with a wide result, or low.
template <class Widest, class Low>
struct own : std::type_identity<precision<as_given, compute_t<Widest>, Widest>> {};
template <class Widest, class Low>
struct wide : std::type_identity<precision<as_given, compute_t<Widest>, compute_t<Widest>>> {};
template <class Widest, class Low>
struct low : std::type_identity<precision<Low, float, Low>> {};
template <class Low>
struct low<double, Low> : std::type_identity<precision<as_given, double, double>> {};  // never lowered unasked

template <class Policy, class Tag, template <class, class> class Expected, class Widest, class... Operands>
constexpr bool agrees(meeting<Widest, Operands...>) {
  return std::same_as<resolve<Policy, Tag, Operands...>,
                      typename Expected<Widest, typename Policy::low_type>::type>;
}

template <class Policy, class Tag, template <class, class> class Expected, class... Meetings>
constexpr bool agrees_for_all() {
  return (agrees<Policy, Tag, Expected>(Meetings{}) && ...);
}

/// Whether `Tag` has the expected outcome under `Policy` for all kinds of operands.
template <class Policy, class Tag, template <class, class> class Expected>
constexpr bool is = agrees_for_all<
    Policy, Tag, Expected, meeting<float16, float16>, meeting<bfloat16, bfloat16>, meeting<float, float>,
    meeting<double, double>, meeting<float16, float16, float16>, meeting<float, float16, bfloat16>,
    meeting<float, bfloat16, float16, float16>, meeting<float, float16, float>, meeting<float, float, bfloat16>,
    meeting<double, float, double>, meeting<double, float16, bfloat16, double>, meeting<float16, float16, number>,
    meeting<float16, number, float16>, meeting<bfloat16, number, number, bfloat16, number>,
    meeting<double, number, double>, meeting<float, float16, number, bfloat16>, meeting<float, number>,
    meeting<float, number, number>, meeting<float>>();

/// One row of the table: native, O0, O1, O2, O3.
template <class Tag, template <class, class> class Native, template <class, class> class AtO0,
          template <class, class> class AtO1, template <class, class> class AtO2, template <class, class> class AtO3>
constexpr bool row = is<native, Tag, Native> && is<O0<>, Tag, AtO0> && is<O1<>, Tag, AtO1> && is<O2<>, Tag, AtO2> &&
                     is<O3<>, Tag, AtO3> && is<policies::O1<bfloat16>, Tag, AtO1> &&
                     is<policies::O2<bfloat16>, Tag, AtO2> && is<policies::O3<bfloat16>, Tag, AtO3>;

//                                              native O0    O1    O2    O3
static_assert(row<op::matmul /*             */, own, wide, low, low, low>);
static_assert(row<op::linear /*             */, own, wide, low, low, low>);
static_assert(row<op::conv2d /*             */, own, wide, low, low, low>);
static_assert(row<op::exp /* pointwise      */, own, wide, wide, low, low>);
static_assert(row<op::log /* pointwise      */, own, wide, wide, low, low>);
static_assert(row<op::softplus /* pointwise */, own, wide, wide, low, low>);
static_assert(row<op::sum /* reduction      */, own, wide, wide, wide, low>);
static_assert(row<op::mean /* reduction     */, own, wide, wide, wide, low>);
static_assert(row<op::layer_norm /*         */, own, wide, wide, wide, low>);
static_assert(row<op::rms_norm /*           */, own, wide, wide, wide, low>);
static_assert(row<op::softmax /*            */, own, wide, wide, wide, low>);
static_assert(row<op::log_softmax /*        */, own, wide, wide, wide, low>);
static_assert(row<op::batch_norm_stats /*   */, wide, wide, wide, wide, wide>);
static_assert(row<op::cross_entropy_loss /* */, wide, wide, wide, wide, wide>);
static_assert(row<op::mse_loss /*           */, wide, wide, wide, wide, wide>);
static_assert(row<op::gelu /* accumulate    */, own, wide, own, own, low>);
static_assert(row<op::sigmoid /* accumulate */, own, wide, own, own, low>);
static_assert(row<op::add /* promote        */, own, wide, own, own, low>);
static_assert(row<op::dot /* promote        */, own, wide, own, own, low>);
static_assert(row<op::relu /* neutral       */, own, wide, own, own, low>);
static_assert(row<op::max_pool2d /* neutral */, own, wide, own, own, low>);
static_assert(row<op::isfinite /* index     */, own, wide, own, own, own>);
static_assert(row<op::adam_step /* state    */, wide, wide, wide, wide, wide>);
static_assert(is<native, op::binary_cross_entropy, own> && is<O0<>, op::binary_cross_entropy, wide>);
static_assert(std::same_as<resolve<O2<>, op::binary_cross_entropy, double>, precision<as_given, double, double>>);

// The same in plain words, where a mistake would be dear.
template <class Policy, class Tag, class... Operands>
struct resolved {
  template <class Operand, class Compute, class Output>
  static constexpr bool to = std::same_as<resolve<Policy, Tag, Operands...>, precision<Operand, Compute, Output>>;
};
static_assert(resolved<O2<>, op::matmul, float, float>::to<float16, float, float16>);
static_assert(resolved<O2<>, op::matmul, bfloat16, bfloat16>::to<float16, float, float16>);
static_assert(resolved<O1<>, op::exp, float16>::to<as_given, float, float>);
static_assert(resolved<O2<>, op::exp, float>::to<float16, float, float16>);
static_assert(resolved<O2<>, op::softmax, float16>::to<as_given, float, float>);
static_assert(resolved<O3<>, op::cross_entropy_loss, float16, number>::to<as_given, float, float>);
static_assert(resolved<O3<>, op::layer_norm, float, float, float>::to<float16, float, float16>);
static_assert(resolved<native, op::sum, float16>::to<as_given, float, float16>);
static_assert(resolved<O0<>, op::sum, float16>::to<as_given, float, float>);
static_assert(resolved<O0<>, op::matmul, double, float>::to<as_given, double, double>);

// Two 16-bit types meet in float32, which holds the values of both; a number in the text promotes nothing.
static_assert(resolved<O1<>, op::add, float16, bfloat16>::to<as_given, float, float>);
static_assert(resolved<O1<>, op::mul, float16, number>::to<as_given, float, float16>);
static_assert(resolved<O1<>, op::where, number, bfloat16, number>::to<as_given, float, bfloat16>);

// Results and statistics accumulate in float32 at least.
static_assert(std::same_as<resolve<O3<>, op::matmul, float16>::accumulate, float> &&
              std::same_as<resolve<native, op::sum, bfloat16>::accumulate, float> &&
              std::same_as<resolve<O2<>, op::mean, double>::accumulate, double>);

// Overrides reach every level, whatever the operands.
template <class Tag, class Operand, class Compute, class Output, class... Policies>
constexpr bool everywhere = ((resolved<Policies, Tag, float>::template to<Operand, Compute, Output> &&
                              resolved<Policies, Tag, float16, bfloat16>::template to<Operand, Compute, Output> &&
                              resolved<Policies, Tag, double>::template to<Operand, Compute, Output>)&&...);
using kept = keep<float, op::sigmoid, op::matmul>;
static_assert(everywhere<op::matmul, float, float, float, O0<kept>, O1<kept>, O2<kept>, O3<kept>>);
static_assert(everywhere<op::sigmoid, float, float, float, O0<kept>, O1<kept>, O2<kept>, O3<kept>>);
using lowered = lower<op::gelu, op::softmax>;
static_assert(everywhere<op::gelu, float16, float, float16, O1<lowered>, O2<lowered>, O3<lowered>>);
static_assert(everywhere<op::softmax, float16, float, float16, O1<lowered>, O2<lowered>, O3<lowered>>);
static_assert(everywhere<op::gelu, float, float, float, O0<lowered>>, "the low type of O0 is float32");
using other = keep<bfloat16, op::exp>;
static_assert(everywhere<op::exp, bfloat16, float, bfloat16, O0<other>, O1<other>, O2<other>, O3<other>>);
using exact = keep<double, op::sum>;
static_assert(everywhere<op::sum, double, double, double, O0<exact>, O1<exact>, O2<exact>, O3<exact>>);

// An operation that no override names is as the level says.
static_assert(is<O2<kept, lowered>, op::linear, low> && is<O2<kept, lowered>, op::tanh, own>);

// Of two overrides that name one operation the later wins.
static_assert(resolved<O2<keep<float, op::gelu>, lower<op::gelu>>, op::gelu, float>::to<float16, float, float16>);
static_assert(resolved<O2<lower<op::gelu>, keep<float, op::gelu>>, op::gelu, float>::to<float, float, float>);
static_assert(resolved<O1<keep<float, op::gelu>, keep<bfloat16, op::gelu>, keep<float, op::exp>>, op::gelu,
                       float>::to<bfloat16, float, bfloat16>);
static_assert(resolved<O1<lower<op::exp, op::gelu>, keep<float, op::gelu>>, op::exp,
                       float>::to<float16, float, float16>);

// The unsafe operation is safe where it is kept wide, and its form that takes logits is safe everywhere.
static_assert(everywhere<op::binary_cross_entropy, float, float, float, O1<keep<float, op::binary_cross_entropy>>,
                         O2<keep<float, op::binary_cross_entropy>>, O3<keep<float, op::binary_cross_entropy>>>);
static_assert(is<O3<>, op::binary_cross_entropy_with_logits, wide>);

// A program's own operation is resolved by its class, and a policy by another name as the policy it derives from.
struct swish : op::full_pointwise_op {};
struct house_policy : O2<keep<float, op::gelu>> {};
static_assert(row<swish, own, wide, wide, low, low>);
static_assert(resolved<house_policy, op::gelu, float16>::to<float, float, float> &&
              resolved<house_policy, op::matmul, float>::to<float16, float, float16>);

// Policies that agree on an operation give it one type, and so one kernel.
static_assert(std::same_as<resolve<O1<>, op::matmul, float>, resolve<O3<keep<float, op::exp>>, op::matmul, float16>>);

}  // namespace

TEST_CASE("a feed-forward product that overflows float16 is kept in float32 by name") {
  using kept_wide = resolve<O2<keep<float, op::linear>>, op::linear, float16, float16>;
  using lowered_too = resolve<O2<>, op::linear, float16, float16>;
  const float product = static_cast<float>(float16(300)) * static_cast<float>(float16(300));
  CHECK(static_cast<float>(static_cast<kept_wide::output>(product)) == 90000.0f);
  CHECK(mezzo::non_finite(static_cast<lowered_too::output>(product)));
}

TEST_CASE("a policy answers for an operation that no kernel knows of") {
  CHECK(is<O1<>, op::rms_norm, wide>);
  CHECK(is<O2<>, op::rms_norm, wide>);
  CHECK(is<policies::native, op::rms_norm, own>);
}
