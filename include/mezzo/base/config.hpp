// SPDX-License-Identifier: MIT
//
// Compiler facts, gathered in the one header that looks at compilers. The single header undefines every macro below
// when it ends; a program may predefine MEZZO_INLINE to choose its own inlining.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "mezzo: the language must be C++20 or later; given an earlier one; compile with -std=c++20 (/std:c++20)"
#endif

#define MEZZO_VERSION_MAJOR 0
#define MEZZO_VERSION_MINOR 1
#define MEZZO_VERSION_PATCH 0

// The inline namespace carries what must not be mixed in one program: the version.
#define MEZZO_ABI v0_1

// The evaluators of an expression collapse into one loop only when they are inlined for certain; in a build without
// optimisation the same force costs compile time and helps nobody.
#if !defined(MEZZO_INLINE)
#if defined(__OPTIMIZE__) && (defined(__GNUC__) || defined(__clang__))
#define MEZZO_INLINE [[gnu::always_inline]] inline
#else
#define MEZZO_INLINE inline
#endif
#endif

// Kept out of its callers: code that arranges loops, and that several places would copy.
#if defined(__GNUC__) || defined(__clang__)
#define MEZZO_OUTLINE [[gnu::noinline]]
#else
#define MEZZO_OUTLINE
#endif

// Promises that the iterations of the next loop do not depend on one another through memory.
#if defined(__clang__)
#define MEZZO_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define MEZZO_INDEPENDENT _Pragma("GCC ivdep")
#else
#define MEZZO_INDEPENDENT
#endif

// First line of a function whose products and sums must round separately, so that instruction sets with a fused
// multiply-add give the bits of those without. g++ takes the same promise from the attribute of the loop that the
// function is inlined into (MEZZO_TARGET).
#if defined(__clang__)
#define MEZZO_ROUND_EACH _Pragma("clang fp contract(off)")
#else
#define MEZZO_ROUND_EACH
#endif

// A sum that flags like -ffast-math must not let a compiler take apart again.
#if defined(__clang__)
#if __has_builtin(__arithmetic_fence)
#define MEZZO_KEPT_SUM(x) __arithmetic_fence(x)
#endif
#elif defined(__GNUC__) && __GNUC__ >= 12
#define MEZZO_KEPT_SUM(x) __builtin_assoc_barrier(x)
#endif
#if !defined(MEZZO_KEPT_SUM)
#define MEZZO_KEPT_SUM(x) (x)
#endif

// 1 where keeping a sum together would stop a loop from becoming vectors.
#if defined(__clang__) && defined(__FAST_MATH__)
#define MEZZO_KEPT_SUM_IS_SCALAR 1
#else
#define MEZZO_KEPT_SUM_IS_SCALAR 0
#endif

// 1 where one binary can hold loops for several x86-64 instruction sets and choose among them while it runs.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define MEZZO_X86_DISPATCH 1
#else
#define MEZZO_X86_DISPATCH 0
#endif

// 1 where vectors can be written as types, of any width and for any instruction set.
#if defined(__GNUC__) || defined(__clang__)
#define MEZZO_VECTORS 1
#else
#define MEZZO_VECTORS 0
#endif

// Target of the AVX-512 loops; g++ prefers half the width unless told.
#if defined(__clang__)
#define MEZZO_AVX512 "avx2,fma,bmi2,avx512f,avx512bw,avx512dq,avx512vl"
#else
#define MEZZO_AVX512 "avx2,fma,bmi2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif

// A lambda that is inlined for certain stands between its parameters and its body.
#if defined(__OPTIMIZE__) && (defined(__GNUC__) || defined(__clang__))
#define MEZZO_INLINE_LAMBDA __attribute__((always_inline))
#else
#define MEZZO_INLINE_LAMBDA
#endif

// Attributes of a function that holds loops. g++ makes vectors at -O2 only where they cost nothing, unless told;
// no-trapping-math lets it turn selects into masks, and fp-contract=off keeps the bits equal on every instruction set;
// products, whose sums are promised within a bound only, contract.
// Where better instruction sets are chosen at run time the baseline is the fallback, and is kept small.
#if defined(__clang__)
#define MEZZO_LOOPS [[gnu::flatten]]
#define MEZZO_CONTRACTED_LOOPS MEZZO_LOOPS
#define MEZZO_FALLBACK_LOOPS MEZZO_LOOPS
#elif defined(__GNUC__) && defined(__OPTIMIZE__)
#define MEZZO_LOOPS                                                                                       \
  [[gnu::flatten, gnu::optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "fp-contract=off", \
                                "no-math-errno", "no-trapping-math")]]
#define MEZZO_CONTRACTED_LOOPS                                                                             \
  [[gnu::flatten, gnu::optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "fp-contract=fast", \
                                "no-math-errno", "no-trapping-math")]]
#if MEZZO_X86_DISPATCH
#define MEZZO_FALLBACK_LOOPS \
  [[gnu::flatten, gnu::optimize("O1", "fp-contract=off", "no-math-errno", "no-trapping-math")]]
#else
#define MEZZO_FALLBACK_LOOPS MEZZO_LOOPS
#endif
#else
#define MEZZO_LOOPS
#define MEZZO_CONTRACTED_LOOPS
#define MEZZO_FALLBACK_LOOPS
#endif

namespace mezzo::inline MEZZO_ABI {

/// Version of the library, as in its macros.
struct version {
  static constexpr int major = MEZZO_VERSION_MAJOR;
  static constexpr int minor = MEZZO_VERSION_MINOR;
  static constexpr int patch = MEZZO_VERSION_PATCH;
};

}  // namespace mezzo::inline MEZZO_ABI
