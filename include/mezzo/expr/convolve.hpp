// SPDX-License-Identifier: MIT
//
// Two-dimensional convolution (as networks use the word: correlation) over the layout batch, channels, rows, columns;
// of all channels, of groups of them, or of each by itself.
#pragma once

#include <mezzo/expr/product.hpp>

namespace mezzo::inline MEZZO_ABI {

/// `N` rows and columns of zeros on each side.
template <std::size_t N>
struct padding {
  static constexpr std::size_t before(std::size_t, std::size_t, std::size_t, std::size_t) { return N; }
  static constexpr std::size_t count(std::size_t in, std::size_t kernel, std::size_t step) {
    return in + 2 * N < kernel ? 0 : (in + 2 * N - kernel) / step + 1;
  }
};
/// No padding.
using valid = padding<0>;
/// As much padding as makes the result ⌈in / stride⌉ wide; of an odd amount the larger half comes after.
struct same {
  static constexpr std::size_t before(std::size_t in, std::size_t kernel, std::size_t step, std::size_t out) {
    const std::size_t covered = (out - 1) * step + kernel;
    return covered > in ? (covered - in) / 2 : 0;
  }
  static constexpr std::size_t count(std::size_t in, std::size_t, std::size_t step) { return (in + step - 1) / step; }
};

/// Distance between neighbouring windows, in both directions.
template <std::size_t N>
struct stride {
  static_assert(N >= 1, "mezzo::stride: the distance must be at least 1; given 0; write stride<1>");
  static constexpr std::size_t value = N;
};

/// `N` groups: the channels and the outputs are cut into as many parts, and each part is a convolution of its own.
template <std::size_t N>
struct groups {
  static_assert(N >= 1, "mezzo::groups: the number of groups must be at least 1; given 0; write groups<1>");
  using tag = op::conv2d;
  static constexpr std::size_t count(std::size_t) { return N; }
};
/// A group for each channel: filters of one channel.
struct depthwise {
  using tag = op::depthwise_conv2d;
  static constexpr std::size_t count(std::size_t channels) { return channels; }
};

namespace detail {

/// Whether `channels` are those of all groups of weights, and whether `outputs` fall to the groups evenly.
template <class Groups>
constexpr bool channels_fit(std::size_t channels, std::size_t of_a_group) {
  return channels == Groups::count(channels) * of_a_group;
}
template <class Groups>
constexpr bool outputs_fit(std::size_t channels, std::size_t outputs) {
  const std::size_t count = Groups::count(channels);
  return count == 0 ? outputs == 0 : outputs % count == 0;
}

template <class Padding, class Stride>
constexpr std::size_t window_count(std::size_t in, std::size_t kernel) {
  return given_later(in) || given_later(kernel) ? dynamic_extent : Padding::count(in, kernel, Stride::value);
}

}  // namespace detail

/// x (N, C, H, W), w (O, C/G, KH, KW) → (N, O, H', W'): y_noij = Σ_crs w_ocrs x_nc'kl with k = i·stride + r − before,
/// l = j·stride + s − before and c' channel c of the group that output o is in.
template <class Padding, class Stride, bool Accumulator, class Groups = groups<1>>
struct convolve_fn {
  using tag = typename Groups::tag;
  using padding = Padding;
  using step = Stride;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr bool keeps_accumulator = Accumulator;

  template <class X, class W>
  static constexpr auto extents(const X& x, const W& w) {
    static_assert(X::rank() == 4 && W::rank() == 4,
                  "mezzo::convolve2d: input and weights must have four axes (batch, channels, rows, columns) and "
                  "(outputs, channels, "
                  "rows, columns); given another number of axes; reshape an operand");
    if constexpr (X::rank() == 4 && W::rank() == 4) {
      check_channels(x, w);
      constexpr auto count = &detail::window_count<Padding, Stride>;
      constexpr std::size_t rows = count(X::static_extent(2), W::static_extent(2));
      constexpr std::size_t columns = count(X::static_extent(3), W::static_extent(3));
      static_assert(rows != 0 && columns != 0,
                    "mezzo::convolve2d: the window must fit into the padded input; given a larger window; pad the "
                    "input or shrink the "
                    "window");
      const std::size_t height = count(x.extent(2), w.extent(2));
      const std::size_t width = count(x.extent(3), w.extent(3));
      if (height == 0 || width == 0)
        fail(sentence("mezzo::convolve2d: the window must fit into the padded input; given a window of ")
             << w.extent(2) << " by " << w.extent(3) << "; pad the input or shrink the window");
      return shape<X::static_extent(0), W::static_extent(0), rows, columns>(x.extent(0), w.extent(0), height, width);
    }
  }

 private:
  template <class X, class W>
  static constexpr void check_channels(const X& x, const W& w) {
    constexpr std::size_t channels = X::static_extent(1), of_a_group = W::static_extent(1);
    constexpr bool known = !detail::given_later(channels) && !detail::given_later(of_a_group);
    constexpr bool fit = !known || detail::channels_fit<Groups>(channels, of_a_group);
    if constexpr (std::same_as<Groups, groups<1>>) {
      static_assert(fit,
                    "mezzo::convolve2d: input and weights must have the same number of channels; given other sizes; "
                    "check axis 1 of both");
      if (x.extent(1) != w.extent(1))
        fail(sentence("mezzo::convolve2d: input and weights must have the same number of channels; given ")
             << x.extent(1) << " and " << w.extent(1) << "; check axis 1 of both");
    } else {
      static_assert(fit,
                    "mezzo::convolve2d: the groups' weights must have as many channels together as the input has; "
                    "given other sizes; make axis 1 of the weights the input's channels divided by the number of "
                    "groups");
      static_assert(detail::given_later(channels) || detail::given_later(W::static_extent(0)) ||
                        detail::outputs_fit<Groups>(channels, W::static_extent(0)),
                    "mezzo::convolve2d: the outputs must divide evenly into the groups; given a remainder; make axis 0 "
                    "of the weights a multiple of the number of groups");
      const std::size_t count = Groups::count(x.extent(1));
      if (!detail::channels_fit<Groups>(x.extent(1), w.extent(1)))
        fail(sentence("mezzo::convolve2d: the groups' weights must have as many channels together as the input has; "
                      "given ")
             << count << " groups of " << w.extent(1) << " and an input of " << x.extent(1)
             << "; make axis 1 of the weights the input's channels divided by the number of groups");
      if (!detail::outputs_fit<Groups>(x.extent(1), w.extent(0)))
        fail(sentence("mezzo::convolve2d: the outputs must divide evenly into the groups; given ")
             << w.extent(0) << " outputs and " << count
             << " groups; make axis 0 of the weights a multiple of the number of groups");
    }
  }
};

/// Convolution without a bias, such as `convolve2d<same>(x, w)`, `convolve2d<padding<1>, stride<2>>(x, w)` or
/// `convolve2d<same, stride<1>, groups<4>>(x, w)`.
template <class Padding = valid, class Stride = stride<1>, class Groups = groups<1>, class X, class W>
  requires operands<X, W>
[[nodiscard]] constexpr auto convolve2d(X&& x, W&& w) {
  return make_node<convolve_fn<Padding, Stride, false, Groups>>(std::forward<X>(x), std::forward<W>(w));
}

/// Convolution plus a bias for each output channel, with one rounding; b has sizes (O, 1, 1) or broadcasts.
template <class Padding = valid, class Stride = stride<1>, class Groups = groups<1>, class X, class W, class B>
  requires operands<X, W, B>
[[nodiscard]] constexpr auto convolve2d(X&& x, W&& w, B&& b) {
  return make_node<bias_fn<typename Groups::tag>>(
      make_node<convolve_fn<Padding, Stride, true, Groups>>(std::forward<X>(x), std::forward<W>(w)),
      std::forward<B>(b));
}

}  // namespace mezzo::inline MEZZO_ABI
