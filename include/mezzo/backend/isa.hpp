// SPDX-License-Identifier: MIT
//
// One binary, several instruction sets: a loop is compiled once for each and the processor chooses while the program
// runs, without compiler flags. The loops differ in nothing but the attribute, so their results are the same bits.
#pragma once

#include <mezzo/backend/tally.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Instruction sets in rising order: what every x86-64 (or other) processor has, AVX2 with FMA, AVX-512, AVX-512 with
/// the dot product of bfloat16 pairs.
enum class isa { baseline, avx2, avx512, avx512_bf16 };

/// The most that this machine can run.
[[nodiscard]] inline isa supported_isa() {
#if MEZZO_X86_DISPATCH
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return __builtin_cpu_supports("avx512bf16") ? isa::avx512_bf16 : isa::avx512;
  if (avx2) return isa::avx2;
#endif
  return isa::baseline;
}

/// The quickest instruction set of this machine. The bfloat16 dot product is one only where it does twice the work of a
/// float32 multiply-add, as on AMD's Zen 4; on Intel's Sapphire Rapids it was measured to take four times as long as
/// one, so that widening operands while packing them is quicker.
[[nodiscard]] inline isa detect_isa() {
  const isa best = supported_isa();
#if MEZZO_X86_DISPATCH
  if (best == isa::avx512_bf16 && !__builtin_cpu_is("amd")) return isa::avx512;
#endif
  return best;
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
template <class F>
MEZZO_CONTRACTED_LOOPS [[gnu::noinline, gnu::target("avx2,fma,bmi2")]] void call_avx2_contracted(const F& f) {
  f(isa_constant<isa::avx2>{});
}
template <class F>
MEZZO_CONTRACTED_LOOPS [[gnu::noinline, gnu::target(MEZZO_AVX512)]] void call_avx512_contracted(const F& f) {
  f(isa_constant<isa::avx512>{});
}
#endif

/// Whether a loop computes enough for each byte it moves that 512 bits are worth a third copy of its code.
template <class F>
concept worth_wide = requires { requires F::worth_wide; };

/// Whether a loop exists for AVX-512 only.
template <class F>
concept only_wide = requires { requires F::only_wide; };

/// Calls `f(isa_constant<level>{})`, its products and sums free to round once, as one multiply-add.
template <class F>
void call_contracted(isa level, const F& f) {
#if MEZZO_X86_DISPATCH
  if (only_wide<F> || level >= isa::avx512) return call_avx512_contracted(f);
  if constexpr (!only_wide<F>)
    if (level >= isa::avx2) return call_avx2_contracted(f);
#endif
  static_cast<void>(level);
  if constexpr (!only_wide<F>) call_baseline(f);
}

/// The same where the caller is compiled for `Isa` already: a function of its own, for code that would make the caller
/// too large.
template <isa Isa, class F>
MEZZO_INLINE void call_contracted_apart(const F& f) {
#if MEZZO_X86_DISPATCH
  if constexpr (Isa >= isa::avx512) return call_avx512_contracted(f);
  if constexpr (Isa == isa::avx2) return call_avx2_contracted(f);
#endif
  if constexpr (Isa == isa::baseline) call_baseline(f);
}

/// Calls `f(isa_constant<level>{})` in a function compiled for that instruction set; a loop that only moves and
/// converts stays at AVX2.
template <class F>
void call_with(isa level, const F& f) {
#if MEZZO_X86_DISPATCH
  if constexpr (worth_wide<F>)
    if (level >= isa::avx512) return call_avx512(f);
  if (level >= isa::avx2) return call_avx2(f);
#endif
  static_cast<void>(level);
  call_baseline(f);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
