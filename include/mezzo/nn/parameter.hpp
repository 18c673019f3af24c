// SPDX-License-Identifier: MIT
//
// What a module learns: sizes, how they start, and the operation that reads them, from which the policy derives the
// type in which they are stored.
#pragma once

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/number/math.hpp>
#include <mezzo/policy/resolve.hpp>
#include <mezzo/tensor/extents.hpp>

#include <concepts>     // same_as
#include <type_traits>  // conditional_t

namespace mezzo::inline MEZZO_ABI {

/// Starts at zero.
struct zeros {
  static constexpr float value(std::uint64_t, std::uint64_t) { return 0.0f; }
};

/// Starts at one.
struct ones {
  static constexpr float value(std::uint64_t, std::uint64_t) { return 1.0f; }
};

/// Evenly from [−√(6/FanIn), √(6/FanIn)): keeps the variance of activations through rectifiers (He et al. 2015,
/// arXiv:1502.01852).
template <std::size_t FanIn>
struct he_uniform {
  static constexpr float value(std::uint64_t seed, std::uint64_t index) {
    constexpr float limit = static_cast<float>(math::sqrt(6.0 / static_cast<double>(FanIn)));
    return (2.0f * counter_uniform(seed, index) - 1.0f) * limit;
  }
};

/// Evenly from [−√(6/(FanIn + FanOut)), √(6/(FanIn + FanOut))): keeps the variance both ways through maps without
/// rectifiers (Glorot & Bengio 2010).
template <std::size_t FanIn, std::size_t FanOut>
struct glorot_uniform {
  static constexpr float value(std::uint64_t seed, std::uint64_t index) {
    constexpr float limit = static_cast<float>(math::sqrt(6.0 / static_cast<double>(FanIn + FanOut)));
    return (2.0f * counter_uniform(seed, index) - 1.0f) * limit;
  }
};

/// A learned array of static sizes `Extents`, read by operation `Tag`.
template <class Extents, class Tag, class Start>
struct parameter {
  using extents_type = Extents;
  using tag = Tag;
  using start = Start;
  static constexpr std::size_t size = Extents{}.size();
};

/// The parameters of a module or network, in order.
template <class... Parameters>
struct parameter_list {
  static constexpr std::size_t count = sizeof...(Parameters);
  static constexpr std::size_t elements = (std::size_t{0} + ... + Parameters::size);
};

namespace detail {

/// O0 and O1 store float32. O2 and O3 store low what the operation reads low, and float32 where many values meet or an
/// override keeps another type: a network has one low array.
template <class Policy, class Tag>
constexpr auto stored_parameter() {
  using low = typename Policy::low_type;
  if constexpr (Policy::level == level::O2 || Policy::level == level::O3) {
    using given = typename resolve<Policy, Tag, low>::operand;
    if constexpr (!std::same_as<given, as_given>)
      return std::conditional_t<std::same_as<given, low>, low, float>{};
    else
      return std::conditional_t<Tag::classification == op_class::full, float, low>{};
  } else {
    return float{};
  }
}

template <class List, std::size_t I>
struct list_element;
template <class First, class... Rest, std::size_t I>
struct list_element<parameter_list<First, Rest...>, I> : list_element<parameter_list<Rest...>, I - 1> {};
template <class First, class... Rest>
struct list_element<parameter_list<First, Rest...>, 0> {
  using type = First;
};

template <class... As, class... Bs>
parameter_list<As..., Bs...> join(parameter_list<As...>, parameter_list<Bs...>);

}  // namespace detail

/// Type in which `Policy` stores a parameter that operation `Tag` reads.
template <autocast_policy Policy, op_tag Tag>
using parameter_t = decltype(detail::stored_parameter<Policy, Tag>());

}  // namespace mezzo::inline MEZZO_ABI
