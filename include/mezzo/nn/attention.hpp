// SPDX-License-Identifier: MIT
//
// Modules of transformers over samples (time, width): attention of a sample to itself, a layer for every point in time,
// and what is added to its own input.
#pragma once

#include <mezzo/expr/attention.hpp>
#include <mezzo/nn/sequential.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Affine map at every point in time: (T, In) → (T, Out), y_t = W·x_t + b with W (Out, In).
template <std::size_t Out>
struct time_dense {
  template <class In>
  struct checked {
    static_assert(In::rank() == 2,
                  "mezzo::time_dense: a sample must have two axes (time, width); given another number; reshape it, or "
                  "write dense for flat samples");
    static constexpr std::size_t width = In::rank() == 2 ? In::static_extent(1) : 1;
    using type = parameter_list<parameter<shape<Out, width>, op::linear, glorot_uniform<width, Out>>,
                                parameter<shape<Out>, op::linear, zeros>>;
  };
  template <class In>
  using parameters = typename checked<In>::type;

  template <class X, class W, class B>
  static constexpr auto forward(const X& x, const W& weights, const B& bias) {
    return linear(x, transpose(weights), bias);
  }
};

/// Attention of `Heads` heads of a sample (T, C) to itself, between a projection to queries, keys and values (3C, C)
/// and one back (C, C), both with a bias.
template <std::size_t Heads, class Mask = no_mask>
struct self_attention_layer {
  template <class In>
  struct checked {
    static_assert(In::rank() == 2,
                  "mezzo::self_attention_layer: a sample must have two axes (time, width); given another number; "
                  "reshape it");
    static constexpr std::size_t width = In::rank() == 2 ? In::static_extent(1) : 1;
    using type = decltype(detail::join(typename time_dense<3 * width>::template parameters<In>{},
                                       typename time_dense<width>::template parameters<In>{}));
  };
  template <class In>
  using parameters = typename checked<In>::type;

  template <class X, class W, class B, class V, class C>
  static constexpr auto forward(const X& x, const W& weights, const B& bias, const V& back, const C& back_bias) {
    constexpr std::size_t width = X::extents_type::static_extent(2);
    return time_dense<width>::forward(
        self_attention<Heads, Mask>(time_dense<3 * width>::forward(x, weights, bias)), back, back_bias);
  }
};

/// What `Modules` make of their input, added to it (He et al. 2016, arXiv:1512.03385). Only the input is kept for the
/// backward pass, which computes what is inside again: memory for time (Chen et al. 2016, arXiv:1604.06174).
template <class... Modules>
struct residual {
  template <class In>
  using parameters = typename detail::chained<typename detail::batched<In>::type, Modules...>::parameters;

  template <class X, class... Parameters>
  static constexpr auto forward(const X& x, const Parameters&... parameters) {
    return x + detail::apply_modules<0, Modules...>(x, make_pack(parameters...));
  }
};

}  // namespace mezzo::inline MEZZO_ABI
