// SPDX-License-Identifier: MIT
//
// How a convolution is computed, forward and backward: as products over patches, group by group, or, where a group has
// one channel, by a loop of its own.
#pragma once

#include <mezzo/backend/depthwise_loop.hpp>
#include <mezzo/backend/patch_operand.hpp>
#include <mezzo/expr/convolve.hpp>
#include <mezzo/store/gather.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// What is known of a convolution's groups from its types.
enum class grouping { none, several, each_channel, open };

template <class Groups, class W>
constexpr grouping grouping_of() {
  constexpr std::size_t channels = W::extents_type::static_extent(1);
  if constexpr (std::same_as<Groups, groups<1>>)
    return grouping::none;
  else if constexpr (std::same_as<Groups, depthwise> || channels == 1)
    return grouping::each_channel;
  else
    return channels == dynamic_extent ? grouping::open : grouping::several;
}

/// A group's part of a sink; the only group has all of it.
template <grouping Grouping, class Sink>
constexpr auto part_of(const Sink& sink, std::size_t first) {
  if constexpr (Grouping == grouping::none)
    return sink;
  else
    return part_sink<Sink>{sink, first};
}

}  // namespace detail

template <class Padding, class Stride, bool Accumulator, class Groups>
struct gather<convolve_fn<Padding, Stride, Accumulator, Groups>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;

  template <class X, class W>
  static constexpr convolution_shape shape_of(const X& x, const W& w) {
    const auto y = convolve_fn<Padding, Stride, Accumulator, Groups>::extents(x.extents(), w.extents());
    const std::size_t count = Groups::count(x.extent(1));
    return {x.extent(0), w.extent(1), x.extent(2), x.extent(3), count == 0 ? 0 : w.extent(0) / count, w.extent(2),
            w.extent(3), y.extent(2), y.extent(3), Stride::value, before(x.extent(2), w.extent(2), y.extent(2)),
            before(x.extent(3), w.extent(3), y.extent(3)), count};
  }

  template <class Precision, class Backend, class Sink, class X, class W>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x, const W& w) {
    const convolution_shape s = shape_of(x, w);
    constexpr detail::grouping grouping = detail::grouping_of<Groups, W>();
    if constexpr (grouping == detail::grouping::each_channel)
      return forward_single<Precision>(backend, sink, x.data(), w.data(), s);
    if constexpr (grouping == detail::grouping::open)
      if (s.channels == 1) return forward_single<Precision>(backend, sink, x.data(), w.data(), s);
    if constexpr (grouping != detail::grouping::each_channel) {
      using patches = patch_operand<detail::read_types<Precision, typename X::value_type>, typename X::value_type,
                                    false, Stride::value>;
      const std::size_t terms = s.channels * s.window();
      const std::size_t plane = s.output_plane();
      tally sum;
      for (std::size_t g = 0; g < s.groups; ++g) {
        const auto part = detail::part_of<grouping>(sink, g * s.outputs * plane);
        sum += backend.multiply(detail::as_matrix<Precision>(w.data() + g * s.outputs * terms, terms),
                                patches{x.data() + g * s.channels * s.input_plane(), s},
                                product_shape{s.outputs, s.images * plane, terms},
                                plane_sink<std::remove_const_t<decltype(part)>>{part, s.groups * s.outputs, plane});
      }
      return sum;
    }
  }

  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class X, class W>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const X& x, const W& w) {
    const convolution_shape s = shape_of(x, w);
    constexpr detail::grouping grouping = detail::grouping_of<Groups, W>();
    if constexpr (grouping == detail::grouping::each_channel)
      return backward_single<Precision, I>(backend, g, sink, x.data(), w.data(), s);
    if constexpr (grouping == detail::grouping::open)
      if (s.channels == 1) return backward_single<Precision, I>(backend, g, sink, x.data(), w.data(), s);
    if constexpr (grouping != detail::grouping::each_channel) {
      tally sum;
      for (std::size_t n = 0; n < s.groups; ++n) {
        const std::size_t outputs = n * s.outputs, channels = n * s.channels;
        if constexpr (I == 0)
          sum += backward_data<Precision>(backend, g + outputs * s.output_plane(),
                                          detail::part_of<grouping>(sink, channels * s.input_plane()),
                                          w.data() + outputs * s.channels * s.window(), s);
        else
          sum += backward_weights<Precision>(backend, g + outputs * s.output_plane(),
                                             detail::part_of<grouping>(sink, outputs * s.channels * s.window()),
                                             x.data() + channels * s.input_plane(), s);
      }
      return sum;
    }
  }

 private:
  /// Zeros before the first row or column: what `Padding` says, or for `same` half of what the last window lacks.
  static constexpr std::size_t before(std::size_t in, std::size_t kernel, std::size_t out) {
    return Padding::before(in, kernel, Stride::value, out);
  }

  template <class Precision, class Backend, class G, class Sink, class W>
  static constexpr tally backward_data(Backend& backend, const G* g, const Sink& sink, const W* w,
                                       const convolution_shape& s) {
    return backend.multiply(weight_operand<detail::read_types<Precision, W>, W>{w, s.channels, s.window()},
                            patch_operand<detail::read_types<Precision, G>, G, true, Stride::value>{g, s},
                            product_shape{s.channels, s.images * s.input_plane(), s.outputs * s.window()},
                            plane_sink<Sink>{sink, s.groups * s.channels, s.input_plane()});
  }
  template <class Precision, class Backend, class G, class Sink, class X>
  static constexpr tally backward_weights(Backend& backend, const G* g, const Sink& sink, const X* x,
                                          const convolution_shape& s) {
    const std::size_t terms = s.channels * s.window();
    return backend.multiply(
        plane_operand<detail::read_types<Precision, G>, G>{g, s.groups * s.outputs, s.output_plane()},
        transposed(patch_operand<detail::read_types<Precision, X>, X, false, Stride::value>{x, s}),
        product_shape{s.outputs, terms, s.images * s.output_plane()}, matrix_sink<Sink>{sink, terms});
  }

  /// Groups of one channel.
  template <class Precision, class Backend, class Sink, class X, class W>
  static constexpr tally forward_single(Backend& backend, const Sink& sink, const X* x, const W* w,
                                        const convolution_shape& s) {
    const depthwise_layout layout(s, false);
    const buffer<window_tap> taps(backend.memory, layout.tap_count());
    layout.fill(taps.data());
    return backend.run(depthwise_kernel<detail::read_types<Precision, X>, X, detail::read_types<Precision, W>, W, Sink>{
        x, w, layout, taps.data(), sink});
  }
  template <class Precision, std::size_t I, class Backend, class G, class Sink, class X, class W>
  static constexpr tally backward_single(Backend& backend, const G* g, const Sink& sink, const X* x, const W* w,
                                         const convolution_shape& s) {
    const depthwise_layout layout(s, I == 0);
    const buffer<window_tap> taps(backend.memory, layout.tap_count());
    layout.fill(taps.data());
    if constexpr (I == 0)
      return backend.run(
          depthwise_data_kernel<detail::read_types<Precision, G>, G, detail::read_types<Precision, W>, W, Sink>{
              g, w, layout, taps.data(), sink});
    else
      return backend.run(
          depthwise_weights_kernel<detail::read_types<Precision, G>, G, detail::read_types<Precision, X>, X, Sink>{
              g, x, layout, taps.data(), sink});
  }
};

}  // namespace mezzo::inline MEZZO_ABI
