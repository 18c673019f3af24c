// SPDX-License-Identifier: MIT
//
// Modules. A module is an empty type with a list of parameters, given the sizes of one sample, and its forward
// expression; nothing else is written, the backward pass is derived. A program adds its own in the same form:
//
//   struct scale_layer {
//     template <class In> using parameters = parameter_list<parameter<In, op::mul, zeros>>;
//     static constexpr auto forward(const auto& x, const auto& w) { return x * w; }
//   };
#pragma once

#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/convolve.hpp>
#include <mezzo/expr/pool.hpp>
#include <mezzo/expr/softmax.hpp>
#include <mezzo/nn/parameter.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Affine map of a flat sample: (In) → (Out), y = W·x + b with W (Out, In).
template <std::size_t Out>
struct dense {
  template <class In>
  struct checked {
    static_assert(In::rank() == 1,
                  "mezzo::dense: the input of a dense module must be flat; given a sample with several axes; put "
                  "flatten before it");
    static constexpr std::size_t width = In::rank() == 1 ? In::static_extent(0) : 1;
    using type = parameter_list<parameter<shape<Out, width>, op::linear, he_uniform<width>>,
                                parameter<shape<Out>, op::linear, zeros>>;
  };
  template <class In>
  using parameters = typename checked<In>::type;

  template <class X, class W, class B>
  static constexpr auto forward(const X& x, const W& weights, const B& bias) {
    return linear(x, transpose(weights), bias);
  }
};

/// Convolution: (C, H, W) → (Out, H', W') with square windows of `Kernel`; padding, stride and groups by type.
template <std::size_t Out, std::size_t Kernel, class Padding = valid, class Stride = stride<1>,
          class Groups = groups<1>>
struct conv2d {
  template <class In>
  struct checked {
    static_assert(In::rank() == 3,
                  "mezzo::conv2d: the input of a convolution must be an image (channels, rows, columns); given a "
                  "sample with another "
                  "number of axes; write input<channels, rows, columns>");
    static constexpr std::size_t channels = In::rank() == 3 ? In::static_extent(0) : 1;
    static constexpr std::size_t count = Groups::count(channels == 0 ? 1 : channels);
    static_assert(In::rank() != 3 || (channels % count == 0 && Out % count == 0),
                  "mezzo::conv2d: channels and outputs must divide evenly into the groups; given a remainder; choose a "
                  "number of groups that divides both");
    static constexpr std::size_t of_a_group = channels < count ? 1 : channels / count;
    using tag = typename Groups::tag;
    using type = parameter_list<parameter<shape<Out, of_a_group, Kernel, Kernel>, tag,
                                          he_uniform<of_a_group * Kernel * Kernel>>,
                                parameter<shape<Out, 1, 1>, tag, zeros>>;
  };
  template <class In>
  using parameters = typename checked<In>::type;

  template <class X, class W, class B>
  static constexpr auto forward(const X& x, const W& weights, const B& bias) {
    return convolve2d<Padding, Stride, Groups>(x, weights, bias);
  }
};

/// One filter for each channel: (C, H, W) → (C, H', W').
template <std::size_t Kernel, class Padding = valid, class Stride = stride<1>>
struct depthwise_conv2d {
  template <class In>
  struct checked {
    static_assert(In::rank() == 3,
                  "mezzo::depthwise_conv2d: the input must be an image (channels, rows, columns); given a sample with "
                  "another number of axes; write input<channels, rows, columns>");
    static constexpr std::size_t channels = In::rank() == 3 ? In::static_extent(0) : 1;
    using type = parameter_list<
        parameter<shape<channels, 1, Kernel, Kernel>, op::depthwise_conv2d, he_uniform<Kernel * Kernel>>,
        parameter<shape<channels, 1, 1>, op::depthwise_conv2d, zeros>>;
  };
  template <class In>
  using parameters = typename checked<In>::type;

  template <class X, class W, class B>
  static constexpr auto forward(const X& x, const W& weights, const B& bias) {
    return convolve2d<Padding, Stride, depthwise>(x, weights, bias);
  }
};

/// Base of modules without parameters.
struct no_parameters {
  template <class In>
  using parameters = parameter_list<>;
};

/// Largest element of each square window of an image.
template <std::size_t Window, std::size_t Step = Window>
struct max_pool : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return max_pool2d<Window, Step>(x);
  }
};

/// A sample as one row.
struct flatten : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return flatten_rows(x);
  }
};

struct relu_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return relu(x);
  }
};
struct gelu_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return gelu(x);
  }
};
struct gelu_tanh_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return gelu_tanh(x);
  }
};
struct silu_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return silu(x);
  }
};
struct sigmoid_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return sigmoid(x);
  }
};
struct tanh_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return tanh(x);
  }
};
struct softmax_layer : no_parameters {
  template <class X>
  static constexpr auto forward(const X& x) {
    return softmax(x);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
