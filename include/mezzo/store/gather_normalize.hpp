// SPDX-License-Identifier: MIT
//
// Kernels of normalisations. The gradients of rows, gain and shift come from one pass.
#pragma once

#include <mezzo/backend/normalize_loop.hpp>
#include <mezzo/store/gather.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Precision, class T, class Extents>
constexpr norm_parameters<Precision, std::remove_const_t<T>> as_parameters(const view<T, Extents>& values) {
  return {values.data()};
}
template <class Precision>
constexpr norm_parameters<Precision, weak_value> as_parameters(const weak_value& number) {
  return {number};
}
template <class Precision, class Values>
using parameters_of = decltype(as_parameters<Precision>(std::declval<const Values&>()));

template <class Sink>
constexpr bool delivers(const Sink& sink) {
  if constexpr (std::same_as<Sink, no_sink>)
    return false;
  else
    return sink.data != nullptr;
}

}  // namespace detail

template <class Tag, class Rows, bool Centered>
struct gather<normalize_fn<Tag, Rows, Centered>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = I != 2;  // the shift's values do not enter its neighbours' gradients
  template <std::size_t I>
  static constexpr bool reads_transposed = false;
  static constexpr bool joint = true;

  template <class Precision, class Backend, class Sink, class X, class Gain, class Shift>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x, const Gain& gain, const Shift& shift,
                                 const weak_value& epsilon) {
    using read = detail::read_types<Precision, typename X::value_type>;
    return backend.run(
        normalize_kernel<read, Centered, Rows::shares, typename X::value_type, detail::parameters_of<read, Gain>,
                         detail::parameters_of<read, Shift>, Sink>{
            x.data(), Rows::rows_of(x.extents()), detail::as_parameters<read>(gain),
            detail::as_parameters<read>(shift), detail::enter<read, false>(epsilon), sink});
  }

  /// The gradients of all operands that have a sink.
  template <class Precision, class Backend, class G, class X, class Gain, class Shift, class SinkX, class SinkGain,
            class SinkShift>
  static constexpr tally backward_all(Backend& backend, const G* g, const pack<X, Gain, Shift, weak_value>& operands,
                                      const SinkX& to_x, const SinkGain& to_gain, const SinkShift& to_shift,
                                      const no_sink&) {
    using read = detail::read_types<Precision, typename X::value_type>;
    using A = typename read::compute;
    const X& x = get<0>(operands);
    const normalized_rows shape = Rows::rows_of(x.extents());
    const auto run = [&](const auto& sink) {
      using kernel =
          normalize_gradient_kernel<read, Centered, Rows::shares, typename X::value_type,
                                    detail::parameters_of<read, Gain>, G, std::remove_cvref_t<decltype(sink)>>;
      const std::size_t blocks = kernel::blocks(shape);
      const std::size_t rows_of_sums = blocks * shape.parameters();
      const buffer<A> gains(backend.memory, detail::delivers(to_gain) ? rows_of_sums : 0);
      const buffer<A> shifts(backend.memory, detail::delivers(to_shift) ? rows_of_sums : 0);
      tally sum = backend.run(kernel{x.data(), g, shape, detail::as_parameters<read>(get<1>(operands)),
                                     detail::enter<read, false>(get<3>(operands)), sink,
                                     gains.size() == 0 ? nullptr : gains.data(),
                                     shifts.size() == 0 ? nullptr : shifts.data()});
      sum += fold(backend, gains, blocks, shape.parameters(), to_gain);
      sum += fold(backend, shifts, blocks, shape.parameters(), to_shift);
      return sum;
    };
    return detail::delivers(to_x) ? run(to_x) : run(no_sink{});
  }

 private:
  template <class Backend, class A, class Sink>
  static constexpr tally fold(Backend& backend, const buffer<A>& sums, std::size_t blocks, std::size_t parameters,
                              const Sink& to) {
    if constexpr (std::same_as<Sink, no_sink>) {
      return {};
    } else {
      if (sums.size() == 0) return {};
      const loop_shape loop{2, {blocks, parameters}};
      const bool reduced[max_rank] = {true, false};
      return backend.run(reduce_kernel<precision<as_given, A, A>, A, Sink>(sums.data(), loop, reduced, A(1), to));
    }
  }
};

}  // namespace mezzo::inline MEZZO_ABI
