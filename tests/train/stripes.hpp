// SPDX-License-Identifier: MIT
//
// A task that small networks learn: upright and lying stripes with a little noise.
#pragma once

#include <mezzo/train/trainer.hpp>

#include "../nn/networks.hpp"

/// `Count` images of (1, 4, 4) with two classes, in turn.
template <std::size_t Count>
struct stripes {
  float pixels[Count * 16]{};
  int classes[Count]{};

  explicit stripes(std::uint64_t seed, float brightness = 1) {
    fill_drawn(pixels, seed, 0, 0.25f * brightness);
    for (std::size_t i = 0; i < Count; ++i) {
      classes[i] = static_cast<int>(i % 2);
      const std::size_t line = mezzo::counter_below(seed, i, 4);
      for (std::size_t k = 0; k < 4; ++k) pixels[i * 16 + (i % 2 == 0 ? k * 4 + line : line * 4 + k)] = brightness;
    }
  }
  mezzo::array_dataset<float, int> data() const { return {pixels, classes, Count, 16}; }
  mezzo::view<const float, mezzo::shape<mezzo::dynamic_extent, 1, 4, 4>> images(std::size_t first,
                                                                                std::size_t count) const {
    return {pixels + first * 16, mezzo::shape<mezzo::dynamic_extent, 1, 4, 4>(count)};
  }
  mezzo::view<const int, mezzo::shape<mezzo::dynamic_extent>> labels(std::size_t first, std::size_t count) const {
    return {classes + first, mezzo::shape<mezzo::dynamic_extent>(count)};
  }
};

using stripes_net =
    mezzo::sequential<mezzo::input<1, 4, 4>, mezzo::conv2d<2, 3>, mezzo::relu_layer, mezzo::flatten, mezzo::dense<2>>;

/// Whether two trainers hold the same weights and masters and ran as many steps.
template <class A, class B>
bool same_state(const A& a, const B& b) {
  return same_bits(a.network().parameters().low(), b.network().parameters().low()) &&
         same_bits(a.network().parameters().full(), b.network().parameters().full()) &&
         same_bits(a.masters(), b.masters()) && a.steps() == b.steps();
}
