// SPDX-License-Identifier: MIT
//
// std::hash of every number type: equal numbers have equal hashes, so the two zeros of a minifloat share one.
#pragma once

#include <mezzo/number/hifloat8.hpp>
#include <mezzo/number/minifloat.hpp>

#include <cstddef>    // size_t
#include <typeindex>  // hash, from the lightest standard header that declares it

template <class Format>
struct std::hash<mezzo::minifloat<Format>> {
  [[nodiscard]] constexpr std::size_t operator()(mezzo::minifloat<Format> value) const noexcept {
    const auto code = value.bits();
    return static_cast<std::size_t>((code & mezzo::layout<Format>::magnitude) == 0 ? 0 : code);
  }
};

template <>
struct std::hash<mezzo::hifloat8> {
  [[nodiscard]] constexpr std::size_t operator()(mezzo::hifloat8 value) const noexcept { return value.bits(); }
};
