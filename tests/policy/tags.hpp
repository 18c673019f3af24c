// SPDX-License-Identifier: MIT
//
// A list of operation tags of which one thing is said at once.
#pragma once

#include <mezzo/policy/op_class.hpp>

#include <concepts>
#include <cstddef>

template <mezzo::op_tag... Tags>
struct tags {
  static constexpr std::size_t count = sizeof...(Tags);

  static constexpr bool are(mezzo::op_class expected) { return ((Tags::classification == expected) && ...); }

  template <class Base>
  static constexpr bool derive_from() {
    return (std::derived_from<Tags, Base> && ...);
  }
  template <class... Bases>
  static constexpr bool derive_from_none() {
    return !((derived_from_one_of<Tags, Bases...>) || ...);
  }

 private:
  template <class Tag, class... Bases>
  static constexpr bool derived_from_one_of = (std::derived_from<Tag, Bases> || ...);
};
