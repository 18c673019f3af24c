// SPDX-License-Identifier: MIT
//
// What the hardware does at most, measured beside the work: multiply-adds from registers in the vectors of an
// instruction set, the bfloat16 dot product, and memory streams.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>

#include <cstddef>
#include <cstdint>

namespace bench {

/// Independent multiply-adds that hide each other's latency; the volatile factors keep the loop.
struct multiply_add_loop {
  static constexpr long turns = 20000;
  static constexpr std::size_t sums = 12;
  float* out;

  template <mezzo::isa Isa>
  MEZZO_INLINE void operator()(mezzo::detail::isa_constant<Isa>) const {
    constexpr std::size_t bytes = mezzo::detail::product_tile<Isa>::bytes;
    using vector = typename mezzo::detail::vector_of<float, bytes>::type;
    volatile float factor = 0.999f, addend = 0.001f;
    const vector f = vector{} + factor, a = vector{} + addend;
    vector sum[sums];
    for (std::size_t i = 0; i < sums; ++i) sum[i] = vector{} + static_cast<float>(i);
    for (long n = 0; n < turns; ++n)
#pragma GCC unroll 12
      for (std::size_t i = 0; i < sums; ++i) sum[i] = sum[i] * f + a;
    vector total = sum[0];
    for (std::size_t i = 1; i < sums; ++i) total += sum[i];
    *out = total[0];
  }
  /// Floating-point operations of one call, in 1e9.
  static double work(mezzo::isa level) {
    const double lanes = level >= mezzo::isa::avx512 ? 16 : level == mezzo::isa::avx2 ? 8 : 4;
    return 2e-9 * static_cast<double>(turns) * sums * lanes;
  }
};

inline void run_multiply_adds(mezzo::isa level) {
  static float out;
  mezzo::detail::call_contracted(level, multiply_add_loop{&out});
}

#if MEZZO_X86_DISPATCH
/// The same for vdpbf16ps: 16 sums of two products in one instruction.
[[gnu::noinline, gnu::target(MEZZO_AVX512)]] inline float run_pair_products() {
  typedef float vector __attribute__((vector_size(64)));
  typedef std::uint32_t pairs __attribute__((vector_size(64)));
  pairs left = pairs{} + 0x3f803f80u, right = pairs{} + 0x3c003c00u;
  vector sum[12]{};
  for (long n = 0; n < multiply_add_loop::turns; ++n)
#pragma GCC unroll 12
    for (std::size_t i = 0; i < 12; ++i) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum[i]) : "v"(left), "v"(right));
  for (std::size_t i = 1; i < 12; ++i) sum[0] += sum[i];
  return sum[0][0];
}
inline double pair_work() { return 2e-9 * static_cast<double>(multiply_add_loop::turns) * 12 * 32; }
#endif

}  // namespace bench
