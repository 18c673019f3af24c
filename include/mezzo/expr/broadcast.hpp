// SPDX-License-Identifier: MIT
//
// Sizes of an elementwise result: aligned at the last axis, axes of size 1 and missing axes repeat, as in NumPy and
// PyTorch. What the types know is decided by the types.
#pragma once

#include <mezzo/tensor/extents.hpp>

#include <cstddef>  // size_t
#include <utility>  // index_sequence

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Size of axis `r` counted from the last, 1 where there is none.
template <class Extents>
constexpr std::size_t static_from_end(std::size_t r) {
  return r < Extents::rank() ? Extents::static_extent(Extents::rank() - 1 - r) : 1;
}
template <class Extents>
constexpr std::size_t from_end(const Extents& sizes, std::size_t r) {
  return r < Extents::rank() ? static_cast<std::size_t>(sizes.extent(Extents::rank() - 1 - r)) : 1;
}

/// Whether types allow that two sizes are one.
constexpr bool sizes_agree(std::size_t a, std::size_t b) { return a == b || given_later(a) || given_later(b); }
constexpr bool sizes_meet(std::size_t a, std::size_t b) { return sizes_agree(a, b) || a == 1 || b == 1; }

/// The size of which the types know more, which is the smaller: a dynamic one must be the other, or 1.
constexpr std::size_t broadcast_size(std::size_t a, std::size_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  return a < b ? a : b;
}

/// Whether two types of sizes may be the same sizes.
template <class A, class B>
constexpr bool extents_agree() {
  if (A::rank() != B::rank()) return false;
  for (std::size_t r = 0; r < A::rank(); ++r)
    if (!sizes_agree(A::static_extent(r), B::static_extent(r))) return false;
  return true;
}

template <class A, class B>
constexpr bool extents_meet() {
  const std::size_t rank = A::rank() > B::rank() ? A::rank() : B::rank();
  for (std::size_t r = 0; r < rank; ++r)
    if (!sizes_meet(static_from_end<A>(r), static_from_end<B>(r))) return false;
  return true;
}

}  // namespace detail

/// Sizes of an elementwise operation on operands of sizes `a` and `b`.
/// Error: two sizes of one axis differ and neither is 1.
template <class A, class B>
[[nodiscard]] constexpr auto broadcast(const A& a, const B& b) {
  static_assert(
      detail::extents_meet<A, B>(),
      "mezzo::broadcast: sizes of an axis, aligned at the last, must be equal or 1; given operands that differ in one; "
      "reshape an operand or insert an axis of size 1");
  constexpr std::size_t rank = A::rank() > B::rank() ? A::rank() : B::rank();
  return [&]<std::size_t... R>(std::index_sequence<R...>) {
    using result = shape<detail::broadcast_size(detail::static_from_end<A>(rank - 1 - R),
                                                detail::static_from_end<B>(rank - 1 - R))...>;
    const auto size = [&](std::size_t r) {
      const std::size_t x = detail::from_end(a, r);
      const std::size_t y = detail::from_end(b, r);
      if (x != y && x != 1 && y != 1)
        fail(sentence("mezzo::broadcast: sizes of an axis must be equal or 1; given ")
             << x << " and " << y << " on axis -" << r + 1 << "; reshape an operand");
      return x == 1 ? y : x;
    };
    if constexpr (rank == 0)
      return result{};
    else
      return result(size(rank - 1 - R)...);
  }(std::make_index_sequence<rank>{});
}

template <class A>
[[nodiscard]] constexpr auto broadcast(const A& a) {
  return broadcast(a, shape<>{});
}
template <class A, class B, class C, class... Rest>
[[nodiscard]] constexpr auto broadcast(const A& a, const B& b, const C& c, const Rest&... rest) {
  return broadcast(broadcast(a, b), c, rest...);
}

}  // namespace mezzo::inline MEZZO_ABI
