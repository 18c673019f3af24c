// SPDX-License-Identifier: MIT
//
// What a user changes about a level: operations that keep a type, operations that go low.
#pragma once

#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/number/traits.hpp>
#include <mezzo/policy/op_class.hpp>

#include <concepts>     // same_as
#include <cstddef>      // size_t
#include <type_traits>  // conditional_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Tag, class... Tags>
inline constexpr std::size_t occurrences = (std::size_t{0} + ... + std::size_t{std::same_as<Tag, Tags>});

}  // namespace detail

template <class... Tags>
concept each_named_once =
    ((detail::occurrences<Tags, Tags...> == 1) && ...) ||
    unsatisfied<"mezzo::policies: an override names each operation once; given one twice; remove the second",
                Tags...>();

template <bool Low, class... Tags>
concept each_safe_low =
    !Low || ((Tags::classification != op_class::unsafe) && ...) ||
    unsatisfied<"mezzo::policies: an operation of class unsafe cannot run in a low type; given one in an override that "
                "lowers it; keep it in float or use the form that takes logits",
                Tags...>();

/// Operands, computation and result of the operations `Tags` in `T`, whatever the level says.
template <real T, op_tag... Tags>
  requires each_named_once<Tags...> && each_safe_low<low_precision<T>, Tags...>
struct keep {
  template <class Tag>
  static constexpr bool names = (std::same_as<Tag, Tags> || ...);
  template <class Low>
  using type = T;
};

/// Operands and results of the operations `Tags` in the policy's low type, computed in float32.
template <op_tag... Tags>
  requires each_named_once<Tags...> && each_safe_low<true, Tags...>
struct lower {
  template <class Tag>
  static constexpr bool names = (std::same_as<Tag, Tags> || ...);
  template <class Low>
  using type = Low;
};

namespace detail {

template <class T>
concept policy_override = requires { typename T::template type<float>; };

// The sentence stands outside the fold: g++ 12 does not look into one for the reason of its failure.
template <class... Ts>
concept policy_overrides =
    (policy_override<Ts> && ...) ||
    unsatisfied<"mezzo::policies: what differs from the level is written as an override; given another type; write "
                "keep<float, op::gelu> or lower<op::gelu>",
                Ts...>();

struct no_override {};

/// The last of `Overrides` that names `Tag`, or `no_override`.
template <class Tag, class... Overrides>
struct last_override {
  using type = no_override;
};
template <class Tag, class First, class... Rest>
struct last_override<Tag, First, Rest...> {
  using later = typename last_override<Tag, Rest...>::type;
  using here = std::conditional_t<First::template names<Tag>, First, no_override>;
  using type = std::conditional_t<std::same_as<later, no_override>, here, later>;
};

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
