// SPDX-License-Identifier: MIT
#include <mezzo/nn/sequential.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace mezzo;

namespace {

constexpr std::size_t any = dynamic_extent;

/// A program's own module, as in the comment of layers.hpp.
struct scale_layer {
  template <class In>
  using parameters = parameter_list<parameter<In, op::mul, zeros>>;
  static constexpr auto forward(const auto& x, const auto& w) { return x * w; }
};

using net = sequential<input<1, 28, 28>, conv2d<32, 3, same>, relu_layer, max_pool<2>, flatten, dense<64>, gelu_layer,
                       scale_layer, dense<10>>;

template <class Net, std::size_t I>
using stage_of = pack_element_t<I, typename Net::stages>;

// Elementwise modules ride with the product, convolution or pooling before them; flatten is the same memory.
static_assert(net::stage_count == 4);
static_assert(stage_of<net, 0>::first_module == 0 && stage_of<net, 1>::first_module == 2 &&
              stage_of<net, 2>::first_module == 4 && stage_of<net, 3>::first_module == 7);
static_assert(stage_of<net, 0>::first_parameter == 0 && stage_of<net, 1>::first_parameter == 2 &&
              stage_of<net, 2>::first_parameter == 2 && stage_of<net, 3>::first_parameter == 5);
static_assert(stage_of<net, 2>::parameters::count == 3);

// Sizes are derived from the expressions.
static_assert(std::is_same_v<stage_of<net, 1>::extents_type, shape<any, 32, 28, 28>>);
static_assert(std::is_same_v<stage_of<net, 2>::extents_type, shape<any, 32 * 14 * 14>>);
static_assert(std::is_same_v<stage_of<net, 3>::extents_type, shape<any, 64>>);
static_assert(std::is_same_v<net::input_type, shape<1, 28, 28>> &&
              std::is_same_v<net::batch_type, shape<any, 1, 28, 28>>);
static_assert(std::is_same_v<net::output_type, shape<10>> && std::is_same_v<net::output_batch, shape<any, 10>>);
static_assert(net::parameters::count == 7 &&
              net::parameters::elements == 32 * 9 + 32 + 64 * 32 * 14 * 14 + 64 + 64 + 64 * 10 + 10);

// A network may begin with elementwise modules, and end with a flatten.
using other = sequential<input<3, 4, 4>, relu_layer, tanh_layer, conv2d<2, 3>, flatten>;
static_assert(other::stage_count == 2 && stage_of<other, 1>::first_module == 2);
static_assert(std::is_same_v<other::output_type, shape<2 * 2 * 2>>);
static_assert(sequential<input<5>, scale_layer>::stage_count == 1);

// A module with two products in it is one stage.
struct residual_layer {
  template <class In>
  using parameters = parameter_list<parameter<shape<In::static_extent(0), In::static_extent(0)>, op::linear, zeros>,
                                    parameter<shape<In::static_extent(0), In::static_extent(0)>, op::linear, zeros>>;
  static constexpr auto forward(const auto& x, const auto& a, const auto& b) {
    return x + matmul(relu(matmul(x, transpose(a))), transpose(b));
  }
};
using residual_net = sequential<input<6>, residual_layer, relu_layer, residual_layer>;
static_assert(residual_net::stage_count == 2 && std::is_same_v<residual_net::output_type, shape<6>>);

// The same module in the same place has the same type however deep the network: its code is compiled once.
static_assert(std::is_same_v<stage_of<sequential<input<6>, dense<6>, relu_layer, dense<6>>, 0>,
                             stage_of<sequential<input<6>, dense<6>, relu_layer, dense<6>, dense<6>>, 0>>);

}  // namespace

TEST_CASE("a stage bears the name of its first module") {
  CHECK(std::string(stage_of<net, 0>::name().text) == "conv2d");
  CHECK(std::string(stage_of<net, 1>::name().text) == "max_pool");
  CHECK(std::string(stage_of<net, 3>::name().text) == "dense");
  CHECK(std::string(stage_of<residual_net, 1>::name().text) == "residual_layer");
}
