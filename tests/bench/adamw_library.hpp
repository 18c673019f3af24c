// SPDX-License-Identifier: MIT
//
// The optimizer's pass of the library, for gradients with and without a factor.
#pragma once

#include "adamw.hpp"

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/train/optimizer.hpp>

template <class Factor>
int run_library(const Factor& factor) {
  using namespace mezzo;
  using state = adamw_state<bfloat16>;
  state s;
  cpu on;
  const adamw options{};
  for (std::size_t step = 1; step <= state::steps; ++step)
    on.run(optimizer_kernel<adamw, bfloat16, bfloat16, Factor, true>{options.at(step), factor, state::size,
                                                                     s.weights.data(), s.masters.data(),
                                                                     s.gradients.data(), s.first.data(), s.second.data()});
  s.print();
  return 0;
}
