// SPDX-License-Identifier: MIT
//
// Normalisation of rows by their own statistics: layer (Ba et al. 2016, arXiv:1607.06450), root mean square (Zhang &
// Sennrich 2019, arXiv:1910.07467) and group normalisation (Wu & He 2018, arXiv:1803.08494). Statistics are float32 or
// wider; the variance is taken in a second pass, around the mean.
#pragma once

#include <mezzo/expr/broadcast.hpp>
#include <mezzo/expr/reduce.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Rows of `length` neighbours, each with statistics of its own. `repeat` neighbours share a gain and a shift, and the
/// parameters begin anew after `cycle` rows.
struct normalized_rows {
  std::size_t rows, length, cycle, repeat;

  [[nodiscard]] constexpr std::size_t parameters() const { return length / repeat * cycle; }
};

/// Axes from `Axis` to the last are normalised together; each of their elements has its own gain and shift.
template <int Axis>
struct trailing_axes {
  static constexpr bool shares = false;

  template <class X>
  static constexpr normalized_rows rows_of(const X& x) {
    constexpr std::size_t first = detail::axis_index<Axis, X::rank()>();
    normalized_rows rows{1, 1, 1, 1};
    for (std::size_t r = 0; r < X::rank(); ++r) (r < first ? rows.rows : rows.length) *= x.extent(r);
    return rows;
  }
  template <class X, class P>
  static constexpr bool fits() {
    constexpr std::size_t axes = X::rank() - detail::axis_index<Axis, X::rank()>();
    if (P::rank() != axes) return false;
    for (std::size_t r = 0; r < axes; ++r)
      if (!detail::sizes_agree(detail::static_from_end<X>(r), detail::static_from_end<P>(r))) return false;
    return true;
  }
  template <class X, class P>
  static constexpr void check(const X& x, const P& p) {
    static_assert(fits<X, P>(),
                  "mezzo::layer_norm, rms_norm: gain and shift must have the sizes of the normalised axes; given other "
                  "sizes; check their shapes");
    if constexpr (fits<X, P>())
      for (std::size_t r = 0; r < P::rank(); ++r)
        if (detail::from_end(x, r) != detail::from_end(p, r))
          fail(sentence("mezzo::layer_norm, rms_norm: gain and shift must have the sizes of the normalised axes, ")
               << rows_of(x).length << " elements; given " << p.size() << "; check their shapes");
  }
};

/// The channels (axis 1) of a sample are normalised in `Groups` groups, each with its planes; a channel has one gain
/// and one shift.
template <std::size_t Groups>
struct channel_groups {
  static_assert(Groups >= 1, "mezzo::group_norm: there must be at least one group; given 0; write group_norm<1>");
  static constexpr bool shares = true;

  template <class X>
  static constexpr normalized_rows rows_of(const X& x) {
    static_assert(X::rank() >= 2,
                  "mezzo::group_norm: the operand must have at least two axes (batch, channels, ...); given fewer; "
                  "reshape it");
    if constexpr (X::rank() >= 2) {
      constexpr std::size_t channels = X::static_extent(1);
      static_assert(detail::given_later(channels) || channels % Groups == 0,
                    "mezzo::group_norm: the number of channels must be a multiple of the number of groups; given one "
                    "that is not; choose another number of groups");
      if (x.extent(1) % Groups != 0)
        fail(sentence("mezzo::group_norm: the number of channels must be a multiple of the number of groups; given ")
             << x.extent(1) << " channels and " << Groups << " groups; choose another number of groups");
      std::size_t plane = 1;
      for (std::size_t r = 2; r < X::rank(); ++r) plane *= x.extent(r);
      return {x.extent(0) * Groups, x.extent(1) / Groups * plane, Groups, plane};
    } else {
      return {1, 1, 1, 1};
    }
  }
  template <class X, class P>
  static constexpr bool fits() {
    if (P::rank() != 1 || X::rank() < 2) return false;
    return detail::sizes_agree(X::static_extent(1), P::static_extent(0));
  }
  template <class X, class P>
  static constexpr void check(const X& x, const P& p) {
    static_assert(fits<X, P>(),
                  "mezzo::group_norm: gain and shift must have one element for each channel; given other sizes; check "
                  "their shapes");
    if constexpr (fits<X, P>())
      if (x.extent(1) != p.extent(0))
        fail(sentence("mezzo::group_norm: gain and shift must have one element for each channel, ")
             << x.extent(1) << "; given " << p.extent(0) << "; check their shapes");
  }
};

/// y = (x − mean)·gain/√(variance + ε) + shift over the rows that `Rows` says, or y = x·gain/√(mean x² + ε) + shift
/// unless `Centered`. Its gradient, by hand since the derived one would read x three times more, is with x̂ the
/// normalised row and h = gain·dy: dx = (h − mean h − x̂·mean(h·x̂))/√(variance + ε), without mean h unless centred.
template <class Tag, class Rows, bool Centered>
struct normalize_fn {
  using tag = Tag;
  using rows = Rows;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr bool centered = Centered;

  template <class X, class Gain, class Shift, class Epsilon>
  static constexpr X extents(const X& x, const Gain& gain, const Shift& shift, const Epsilon&) {
    static_cast<void>(Rows::rows_of(x));
    check(x, gain);
    check(x, shift);
    return x;
  }

 private:
  template <class X, class P>
  static constexpr void check(const X& x, const P& p) {
    if constexpr (P::rank() != 0) Rows::check(x, p);
  }
};

namespace detail {

/// A gain or a shift: a tensor with axes, or a number for all elements.
template <class P>
concept norm_parameter = std::is_arithmetic_v<std::remove_cvref_t<P>> || requires {
  requires std::remove_cvref_t<P>::extents_type::rank() > 0;
} || unsatisfied<"mezzo::layer_norm, rms_norm, group_norm: gain and shift must be a tensor with axes or a plain "
                 "number; given a tensor without axes; give it an axis or read its number",
                 P>();

template <class Tag, class Rows, bool Centered, class... Ts>
constexpr auto make_normalize(Ts&&... values) {
  return make_node<normalize_fn<Tag, Rows, Centered>>(std::forward<Ts>(values)...);
}

}  // namespace detail

/// Layer normalisation over the axes from `Axis` to the last: mean 0 and variance 1, then `gain` and `shift`, of the
/// sizes of those axes or plain numbers. `epsilon` is added to the variance.
template <int Axis = -1, class X, class Gain = float, class Shift = float>
  requires operands<X, Gain, Shift> && detail::norm_parameter<Gain> && detail::norm_parameter<Shift>
[[nodiscard]] constexpr auto layer_norm(X&& x, Gain&& gain = 1, Shift&& shift = 0, double epsilon = 1e-5) {
  return detail::make_normalize<op::layer_norm, trailing_axes<Axis>, true>(
      std::forward<X>(x), std::forward<Gain>(gain), std::forward<Shift>(shift), epsilon);
}

/// Division by the root of the mean square over the axes from `Axis` to the last, then `gain`.
template <int Axis = -1, class X, class Gain = float>
  requires operands<X, Gain> && detail::norm_parameter<Gain>
[[nodiscard]] constexpr auto rms_norm(X&& x, Gain&& gain = 1, double epsilon = 1e-6) {
  return detail::make_normalize<op::rms_norm, trailing_axes<Axis>, false>(std::forward<X>(x), std::forward<Gain>(gain),
                                                                          0.0f, epsilon);
}

/// Normalisation of x (N, C, ...) over `Groups` groups of channels with their planes, then a gain and a shift for each
/// channel (C), or plain numbers. As many groups as channels is instance normalisation.
template <std::size_t Groups, class X, class Gain = float, class Shift = float>
  requires operands<X, Gain, Shift> && detail::norm_parameter<Gain> && detail::norm_parameter<Shift>
[[nodiscard]] constexpr auto group_norm(X&& x, Gain&& gain = 1, Shift&& shift = 0, double epsilon = 1e-5) {
  return detail::make_normalize<op::group_norm, channel_groups<Groups>, true>(
      std::forward<X>(x), std::forward<Gain>(gain), std::forward<Shift>(shift), epsilon);
}

}  // namespace mezzo::inline MEZZO_ABI
