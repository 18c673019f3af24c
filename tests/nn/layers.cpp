// SPDX-License-Identifier: MIT
#include <mezzo/nn/layers.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

template <class Module, std::size_t... In>
using parameters_of = typename Module::template parameters<shape<In...>>;
template <class List, std::size_t I>
using sizes_of = typename detail::list_element<List, I>::type::extents_type;
template <class List, std::size_t I>
using start_of = typename detail::list_element<List, I>::type::start;

// Sizes come from the input, the start from the number of terms in a sum.
using affine = parameters_of<dense<3>, 5>;
static_assert(affine::count == 2 && std::is_same_v<sizes_of<affine, 0>, shape<3, 5>> &&
              std::is_same_v<sizes_of<affine, 1>, shape<3>>);
static_assert(std::is_same_v<start_of<affine, 0>, he_uniform<5>> && std::is_same_v<start_of<affine, 1>, zeros>);
using image = parameters_of<conv2d<4, 3>, 2, 8, 8>;
static_assert(image::count == 2 && std::is_same_v<sizes_of<image, 0>, shape<4, 2, 3, 3>> &&
              std::is_same_v<sizes_of<image, 1>, shape<4, 1, 1>>);
static_assert(std::is_same_v<start_of<image, 0>, he_uniform<18>>);
using in_groups = parameters_of<conv2d<4, 3, same, stride<1>, groups<2>>, 6, 8, 8>;
static_assert(std::is_same_v<sizes_of<in_groups, 0>, shape<4, 3, 3, 3>> &&
              std::is_same_v<sizes_of<in_groups, 1>, shape<4, 1, 1>> &&
              std::is_same_v<start_of<in_groups, 0>, he_uniform<27>>);
using each = parameters_of<depthwise_conv2d<5>, 6, 8, 8>;
static_assert(std::is_same_v<sizes_of<each, 0>, shape<6, 1, 5, 5>> &&
              std::is_same_v<sizes_of<each, 1>, shape<6, 1, 1>> && std::is_same_v<start_of<each, 0>, he_uniform<25>>);
static_assert(std::is_same_v<detail::list_element<each, 0>::type::tag, op::depthwise_conv2d>);
static_assert(std::is_same_v<parameters_of<conv2d<6, 5, valid, stride<1>, depthwise>, 6, 8, 8>, each>);
static_assert(parameters_of<max_pool<2>, 2, 8, 8>::count == 0 && parameters_of<relu_layer, 5>::count == 0);
static_assert(std::is_empty_v<dense<3>> && std::is_empty_v<conv2d<4, 3>> && std::is_empty_v<flatten>);

/// `Module` on `x` and parameters equals `expression`, bit for bit.
template <class Module, class Expression, class X, class... Ps>
constexpr bool is_forward(const Expression& expression, const X& x, const Ps&... ps) {
  using result = typename Expression::extents_type;
  tensor<float, result> wanted;
  tensor<float, result> given;
  reference on;
  into(on, wanted) = expression;
  into(on, given) = Module::forward(x, ps...);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (bits_of(wanted.data()[i]) != bits_of(given.data()[i])) return false;
  return true;
}

constexpr bool products() {
  const floats<2, 3> x{1, 2, 3, 4, 5, -6};
  const floats<2, 3> w{1, 0.5f, 0, -1, 1, 0.25f};
  const floats<2> b{10, 20};
  const floats<1, 1, 3, 3> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const floats<1, 2, 2, 3> channels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const floats<2, 1, 2, 2> kernels{1, 0, 0, 1, 1, 1, -1, 1};
  const floats<2, 1, 1> bias{0.5f, -0.5f};
  return is_forward<dense<2>>(matmul(x, transpose(w)) + b, x, w, b) &&
         is_forward<conv2d<2, 2>>(convolve2d(pixels, kernels) + bias, pixels, kernels, bias) &&
         is_forward<conv2d<2, 2, same, stride<2>>>(convolve2d<same, stride<2>>(pixels, kernels, bias), pixels, kernels,
                                                   bias) &&
         is_forward<conv2d<2, 2, same, stride<1>, groups<2>>>(
             convolve2d<same, stride<1>, groups<2>>(channels, kernels, bias), channels, kernels, bias) &&
         is_forward<depthwise_conv2d<2, same, stride<2>>>(
             convolve2d<same, stride<2>, depthwise>(channels, kernels) + bias, channels, kernels, bias) &&
         is_forward<max_pool<2>>(max_pool2d<2>(pixels), pixels) &&
         is_forward<max_pool<2, 1>>(max_pool2d<2, 1>(pixels), pixels);
}
static_assert(products());

}  // namespace

TEST_CASE("modules without parameters are their function") {
  const floats<2, 3> x{1, -2, 3, -0.5f, 0, 0.25f};
  CHECK(is_forward<relu_layer>(relu(x), x));
  CHECK(is_forward<gelu_layer>(gelu(x), x));
  CHECK(is_forward<gelu_tanh_layer>(gelu_tanh(x), x));
  CHECK(is_forward<silu_layer>(silu(x), x));
  CHECK(is_forward<sigmoid_layer>(sigmoid(x), x));
  CHECK(is_forward<tanh_layer>(tanh(x), x));
  CHECK(is_forward<softmax_layer>(softmax(x), x));
  const floats<2, 3, 1> y{1, -2, 3, -0.5f, 0, 0.25f};
  CHECK(is_forward<flatten>(reshape<2, 3>(y), y));
}
