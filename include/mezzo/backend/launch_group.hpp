// SPDX-License-Identifier: MIT
//
// Many small kernels that are one to a device: the products of all heads of an attention, or of stacked matrices. A
// backend that counts launches is told where they begin and end; others are not.
#pragma once

#include <mezzo/base/config.hpp>

namespace mezzo::inline MEZZO_ABI {

/// A backend `b` that takes what runs between `b.begin_group()` and `b.end_group()` for one launch of each kind.
template <class B>
concept groups_launches = requires(B& b) {
  b.begin_group();
  b.end_group();
};

/// A group for the life of a scope; groups in groups are part of the outermost.
template <class Backend>
class launch_group {
 public:
  constexpr explicit launch_group(Backend& on) : on_(on) {
    if constexpr (groups_launches<Backend>) on_.begin_group();
  }
  launch_group(const launch_group&) = delete;
  launch_group& operator=(const launch_group&) = delete;
  constexpr ~launch_group() {
    if constexpr (groups_launches<Backend>) on_.end_group();
  }

 private:
  Backend& on_;
};

}  // namespace mezzo::inline MEZZO_ABI
