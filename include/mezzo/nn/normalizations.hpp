// SPDX-License-Identifier: MIT
//
// Modules that normalise a sample by its own statistics, with learned gain and shift.
#pragma once

#include <mezzo/expr/normalize.hpp>
#include <mezzo/nn/parameter.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// The axes of a sample from `Axis`, negative from the end, to the last.
template <int Axis, class In>
struct trailing_shape {
  static_assert(Axis < 0 && Axis >= -static_cast<int>(In::rank()),
                "mezzo::layer_norm_layer: the first normalised axis must lie in [-rank, -1], counted from the end of a "
                "sample; given one outside; write layer_norm_layer<-1> for the last");
  static constexpr std::size_t count = Axis < 0 && Axis >= -static_cast<int>(In::rank()) ? std::size_t(-Axis) : 1;

  template <std::size_t... R>
  static auto of(std::index_sequence<R...>) -> shape<In::static_extent(In::rank() - count + R)...>;
  using type = decltype(of(std::make_index_sequence<count>{}));
};

}  // namespace detail

/// Layer normalisation over the axes from `Axis` to the last of a sample.
template <int Axis = -1>
struct layer_norm_layer {
  template <class In>
  using parameters = parameter_list<parameter<typename detail::trailing_shape<Axis, In>::type, op::layer_norm, ones>,
                                    parameter<typename detail::trailing_shape<Axis, In>::type, op::layer_norm, zeros>>;

  template <class X, class Gain, class Shift>
  static constexpr auto forward(const X& x, const Gain& gain, const Shift& shift) {
    return layer_norm<Axis>(x, gain, shift);
  }
};

/// Division by the root of the mean square over the axes from `Axis` to the last of a sample.
template <int Axis = -1>
struct rms_norm_layer {
  template <class In>
  using parameters = parameter_list<parameter<typename detail::trailing_shape<Axis, In>::type, op::rms_norm, ones>>;

  template <class X, class Gain>
  static constexpr auto forward(const X& x, const Gain& gain) {
    return rms_norm<Axis>(x, gain);
  }
};

/// Group normalisation of an image (channels, ...) in `Groups` groups of channels.
template <std::size_t Groups>
struct group_norm_layer {
  template <class In>
  using parameters = parameter_list<parameter<shape<In::static_extent(0)>, op::group_norm, ones>,
                                    parameter<shape<In::static_extent(0)>, op::group_norm, zeros>>;

  template <class X, class Gain, class Shift>
  static constexpr auto forward(const X& x, const Gain& gain, const Shift& shift) {
    return group_norm<Groups>(x, gain, shift);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
