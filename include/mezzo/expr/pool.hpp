// SPDX-License-Identifier: MIT
//
// Pooling over windows of an image.
#pragma once

#include <mezzo/expr/node.hpp>

namespace mezzo::inline MEZZO_ABI {

/// x (N, C, H, W) → (N, C, ⌊(H − Window)/Step⌋ + 1, …): the largest element of each window, NaN where it holds one.
/// The gradient goes to the first largest element in row-major order.
template <std::size_t Window, std::size_t Step>
struct max_pool_fn {
  using tag = op::max_pool2d;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr std::size_t window = Window;
  static constexpr std::size_t step = Step;
  static_assert(Window >= 1 && Step >= 1,
                "mezzo::max_pool2d: window and step must be at least 1; given 0; write max_pool2d<2>(x)");

  static constexpr std::size_t count(std::size_t in) {
    return detail::given_later(in) ? dynamic_extent : in < Window ? 0 : (in - Window) / Step + 1;
  }

  template <class X>
  static constexpr auto extents(const X& x) {
    static_assert(X::rank() == 4,
                  "mezzo::max_pool2d: the operand must have four axes (batch, channels, rows, columns); given another "
                  "number; reshape "
                  "it");
    if constexpr (X::rank() == 4) {
      static_assert(count(X::static_extent(2)) != 0 && count(X::static_extent(3)) != 0,
                    "mezzo::max_pool2d: the window must fit into the image; given a larger window; shrink it");
      if (count(x.extent(2)) == 0 || count(x.extent(3)) == 0)
        fail(sentence("mezzo::max_pool2d: the window must fit into the image; given an image of ")
             << x.extent(2) << " by " << x.extent(3) << "; shrink the window");
      return shape<X::static_extent(0), X::static_extent(1), count(X::static_extent(2)), count(X::static_extent(3))>(
          x.extent(0), x.extent(1), count(x.extent(2)), count(x.extent(3)));
    }
  }
};

/// Largest element of each `Window`×`Window` square, squares `Step` apart.
template <std::size_t Window, std::size_t Step = Window, class X>
  requires operands<X>
[[nodiscard]] constexpr auto max_pool2d(X&& x) {
  return make_node<max_pool_fn<Window, Step>>(std::forward<X>(x));
}

}  // namespace mezzo::inline MEZZO_ABI
