// SPDX-License-Identifier: MIT
//
// What the hardware does at most, measured beside the work: multiply-adds from registers in the vectors of an
// instruction set, and the bfloat16 dot product. How many sums it takes to hide the latency of one differs between
// processors, so several numbers are tried and the quickest is kept.
#pragma once

#include "timing.hpp"

#include <mezzo/backend/cpu/tile.hpp>

#include <cstddef>
#include <cstdint>

namespace bench {

/// Additions to sums in one call, shared out evenly among any of the numbers of sums.
inline constexpr long steps = 240000;

/// Independent multiply-adds; the volatile factors keep the loop.
template <std::size_t Sums>
struct multiply_adds_to {
  float* out;

  template <mezzo::isa Isa>
  MEZZO_INLINE void operator()(mezzo::detail::isa_constant<Isa>) const {
    constexpr std::size_t bytes = mezzo::detail::product_tile<Isa>::bytes;
    using vector = typename mezzo::detail::vector_of<float, bytes>::type;
    volatile float factor = 0.999f, addend = 0.001f;
    const vector f = vector{} + factor, a = vector{} + addend;
    vector sum[Sums];
#pragma GCC unroll 24
    for (std::size_t i = 0; i < Sums; ++i) sum[i] = vector{} + static_cast<float>(i);
    for (long n = 0; n < steps / static_cast<long>(Sums); ++n)
#pragma GCC unroll 24
      for (std::size_t i = 0; i < Sums; ++i) sum[i] = sum[i] * f + a;
    vector total = sum[0];
#pragma GCC unroll 24
    for (std::size_t i = 1; i < Sums; ++i) total += sum[i];
    *out = total[0];
  }
};

using ceiling_call = void (*)(mezzo::isa);

template <std::size_t Sums>
void multiply_adds(mezzo::isa level) {
  static float out;
  mezzo::detail::call_contracted(level, multiply_adds_to<Sums>{&out});
}

#if MEZZO_X86_DISPATCH
/// The same for vdpbf16ps, two products in one instruction. Whatever is not in a register would be timed instead.
template <std::size_t Sums>
[[gnu::noinline, gnu::target(MEZZO_AVX512)]] void pair_products(mezzo::isa) {
  typedef float vector __attribute__((vector_size(64)));
  typedef std::uint32_t pairs __attribute__((vector_size(64)));
  const pairs left = pairs{} + 0x3f803f80u, right = pairs{} + 0x3c003c00u;
  vector sum[Sums];
#pragma GCC unroll 24
  for (std::size_t i = 0; i < Sums; ++i) sum[i] = vector{};
  for (long n = 0; n < steps / static_cast<long>(Sums); ++n)
#pragma GCC unroll 24
    for (std::size_t i = 0; i < Sums; ++i)
      __asm__ volatile("vdpbf16ps %2, %1, %0" : "+v"(sum[i]) : "v"(left), "v"(right));
}
#endif

/// The quickest of some calls that do the same work.
inline ceiling_call quickest(mezzo::isa level, const std::vector<ceiling_call>& calls) {
  std::vector<double> least(calls.size(), 1);
  for (int turn = 0; turn < 32; ++turn)
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const double before = seconds();
      calls[i](level);
      least[i] = std::min(least[i], seconds() - before);
    }
  return calls[static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin())];
}

struct multiply_add_loop {
  /// Floating-point operations of one call, in 1e9.
  static double work(mezzo::isa level) {
    const double lanes = level >= mezzo::isa::avx512 ? 16 : level == mezzo::isa::avx2 ? 8 : 4;
    return 2e-9 * static_cast<double>(steps) * lanes;
  }
};

/// 16 registers hold 12 sums and the operands, 32 hold 24.
inline void run_multiply_adds(mezzo::isa level) {
  if (level >= mezzo::isa::avx512) {
    static const ceiling_call best = quickest(
        level, {multiply_adds<8>, multiply_adds<12>, multiply_adds<16>, multiply_adds<20>, multiply_adds<24>});
    best(level);
  } else {
    static const ceiling_call best = quickest(level, {multiply_adds<8>, multiply_adds<10>, multiply_adds<12>});
    best(level);
  }
}
#if MEZZO_X86_DISPATCH
inline double pair_work() { return 2e-9 * static_cast<double>(steps) * 32; }
inline void run_pair_products() {
  static const ceiling_call best = quickest(mezzo::isa::avx512_bf16, {pair_products<8>, pair_products<12>,
                                                                      pair_products<16>, pair_products<24>});
  best(mezzo::isa::avx512_bf16);
}
#endif

}  // namespace bench
