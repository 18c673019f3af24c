// SPDX-License-Identifier: MIT
//
// One binary, several instruction sets: a loop is compiled once for each and the processor chooses while the program
// runs, without compiler flags. The loops differ in nothing but the attribute, so their results are the same bits.
#pragma once

#include <mezzo/backend/tally.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Instruction sets in rising order: what every x86-64 (or other) processor has, AVX2 with FMA, AVX-512.
enum class isa { baseline, avx2, avx512 };

/// The best instruction set of this machine that the library has loops for.
[[nodiscard]] inline isa detect_isa() {
#if MEZZO_X86_DISPATCH
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return isa::avx512;
  if (avx2) return isa::avx2;
#endif
  return isa::baseline;
}

namespace detail {

template <isa Isa>
struct isa_constant {
  static constexpr isa value = Isa;
};

// Each compiles `f` for one instruction set, all of it inlined: code that is not to be copied into its callers is
// wrapped in one of these again.
template <class F>
MEZZO_FALLBACK_LOOPS MEZZO_OUTLINE void call_baseline(const F& f) {
  f(isa_constant<isa::baseline>{});
}
#if MEZZO_X86_DISPATCH
template <class F>
MEZZO_LOOPS [[gnu::noinline, gnu::target("avx2,fma,bmi2")]] void call_avx2(const F& f) {
  f(isa_constant<isa::avx2>{});
}
template <class F>
MEZZO_LOOPS [[gnu::noinline, gnu::target(MEZZO_AVX512)]] void call_avx512(const F& f) {
  f(isa_constant<isa::avx512>{});
}
#endif

/// Whether a loop computes enough for each byte it moves that 512 bits are worth a third copy of its code.
template <class F>
concept worth_wide = requires { requires F::worth_wide; };

/// Calls `f(isa_constant<level>{})` in a function compiled for that instruction set; a loop that only moves and
/// converts stays at AVX2.
template <class F>
void call_with(isa level, const F& f) {
#if MEZZO_X86_DISPATCH
  if constexpr (worth_wide<F>)
    if (level == isa::avx512) return call_avx512(f);
  if (level >= isa::avx2) return call_avx2(f);
#endif
  static_cast<void>(level);
  call_baseline(f);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
