// SPDX-License-Identifier: MIT
//
// Whether two views share memory. A store asks it of its destination and every operand, so that a result never
// depends on the order in which elements are written.
#pragma once

#include <mezzo/tensor/view.hpp>

#include <cstdint>      // uintptr_t
#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {

/// How the bytes of two views relate: not at all, element for element, or in some other way.
enum class overlap_kind { none, same, partial };

/// Relation of the bytes of `a` and `b`. Views are taken to fill the range from their first to their last element. In
/// constant evaluation, where addresses have no order, only equal first elements are seen.
template <class A, class B>
[[nodiscard]] constexpr overlap_kind overlap(const A& a, const B& b) {
  if (a.size() == 0 || b.size() == 0) return overlap_kind::none;
  const auto same_mapping = [&] {
    if constexpr (A::rank() != B::rank() || sizeof(typename A::value_type) != sizeof(typename B::value_type)) {
      return false;
    } else if constexpr (!detail::strided<typename A::mapping_type> || !detail::strided<typename B::mapping_type>) {
      return std::is_same_v<typename A::layout_type, typename B::layout_type> && a.extents() == b.extents();
    } else {
      for (std::size_t r = 0; r < A::rank(); ++r)
        if (a.extent(r) != b.extent(r) || (a.extent(r) > 1 && a.stride(r) != b.stride(r))) return false;
      return true;
    }
  };
  if (std::is_constant_evaluated()) {
    if constexpr (std::is_same_v<typename A::value_type, typename B::value_type>)
      if (a.data() == b.data()) return same_mapping() ? overlap_kind::same : overlap_kind::partial;
    return overlap_kind::none;
  }
  const auto address = [](const auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const auto first_a = address(a.data());
  const auto first_b = address(b.data());
  const auto last_a = first_a + a.mapping().required_span_size() * sizeof(typename A::value_type);
  const auto last_b = first_b + b.mapping().required_span_size() * sizeof(typename B::value_type);
  if (last_a <= first_b || last_b <= first_a) return overlap_kind::none;
  return first_a == first_b && same_mapping() ? overlap_kind::same : overlap_kind::partial;
}

}  // namespace mezzo::inline MEZZO_ABI
