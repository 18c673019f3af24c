// SPDX-License-Identifier: MIT
//
// float32 to float16 and bfloat16 for every code there is, against midpoints (reference.hpp), in the same loops that
// programs run: compiled for any x86-64 and for AVX2. Without arguments every 257th code and all codes near a midpoint;
// with --all each of the 2^32.
#include <mezzo/number/codec.hpp>

#include "reference.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define EXHAUSTIVE_X86 1
#include <immintrin.h>
#else
#define EXHAUSTIVE_X86 0
#endif

namespace {

using namespace mezzo;

struct tally {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;

  void add(const tally& other) {
    checked += other.checked;
    wrong += other.wrong;
  }
};

template <class Format>
struct sweep {
  /// Codes from, from + stride, ... (`count` of them) that differ from `expected`.
  static std::uint32_t portable(std::uint32_t from, std::uint32_t stride, std::uint32_t count, std::uint32_t expected) {
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      wrong += encode<Format>(std::bit_cast<float>(from + i * stride)) != expected ? 1U : 0U;
    return wrong;
  }
#if EXHAUSTIVE_X86
  [[gnu::target("avx2"), gnu::flatten]] static std::uint32_t avx2(std::uint32_t from, std::uint32_t stride,
                                                                  std::uint32_t count, std::uint32_t expected) {
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      wrong += encode<Format>(std::bit_cast<float>(from + i * stride)) != expected ? 1U : 0U;
    return wrong;
  }
#endif
};

template <class Format>
tally run(std::uint32_t from, std::uint32_t last, std::uint32_t stride, std::uint32_t expected) {
  if (from > last) return {};
  const std::uint32_t count = (last - from) / stride + 1;
#if EXHAUSTIVE_X86
  if (__builtin_cpu_supports("avx2")) return {count, sweep<Format>::avx2(from, stride, count, expected)};
#endif
  return {count, sweep<Format>::portable(from, stride, count, expected)};
}

/// All numbers of one sign, in runs between midpoints; then the NaNs, one by one.
template <class Format>
tally walk(const std::vector<std::uint64_t>& middle, std::uint32_t sign, std::uint32_t stride) {
  using codes = layout<Format>;
  tally total;
  std::uint32_t next = 0;
  for (std::uint32_t code = 0; code <= codes::exponent; ++code) {
    const bool top = code == codes::exponent;
    const std::uint32_t last = top ? 0x7F800000U : static_cast<std::uint32_t>(middle[code]) - code % 2;
    const tally part = run<Format>(sign + next, sign + last, stride, sign >> 16 | code);
    total.add(part);
    next += static_cast<std::uint32_t>(part.checked) * stride;
  }
  constexpr int drop = binary32::mantissa_bits - Format::mantissa_bits;
  for (std::uint32_t nan = 0x7F800001; nan <= 0x7FFFFFFF; nan += stride) {
    const std::uint32_t expected = sign >> 16 | codes::quiet_nan | (nan >> drop & codes::mantissa);
    total.add({1, encode<Format>(std::bit_cast<float>(sign | nan)) != expected ? 1U : 0U});
  }
  return total;
}

/// Five codes around every midpoint and every number, by the bisecting reference and the portable loop.
template <class Format>
tally walk_boundaries(const std::vector<std::uint64_t>& middle) {
  tally total;
  const auto check = [&](std::uint64_t centre) {
    for (std::uint64_t wide = centre < 2 ? 0 : centre - 2; wide <= centre + 2; ++wide)
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        const std::uint32_t expected = sign >> 16 | reference::nearest<binary32, Format>(middle, wide);
        total.add({1, sweep<Format>::portable(sign | static_cast<std::uint32_t>(wide), 1, 1, expected)});
      }
  };
  for (const std::uint64_t tie : middle) check(tie);
  for (unsigned code = 0; code <= layout<Format>::largest; ++code) {
    const reference::parts p = reference::take_apart<Format>(code);
    check(reference::assemble<binary32>(p.count, p.exponent));
  }
  return total;
}

template <class Format>
tally walk_both_signs(std::uint32_t stride) {
  const auto middle = reference::midpoints<binary32, Format>();
  tally negative;
  std::thread other([&] { negative = walk<Format>(middle, 0x80000000U, stride); });
  tally total = walk<Format>(middle, 0, stride);
  other.join();
  total.add(negative);
  total.add(walk_boundaries<Format>(middle));
  return total;
}

#if EXHAUSTIVE_X86
/// The processor's own conversion gives the same float16, and the same float32 back, NaNs included.
[[gnu::target("avx2,f16c"), gnu::flatten]] tally compare_with_hardware(std::uint32_t stride) {
  tally total;
  for (std::uint64_t start = 0; start < 1ULL << 32; start += 8ULL * stride) {
    alignas(32) std::uint32_t wide[8];
    alignas(16) std::uint16_t narrow[8];
    for (std::uint32_t i = 0; i < 8; ++i) wide[i] = static_cast<std::uint32_t>(start) + i * stride;
    const __m256 floats = _mm256_castsi256_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(wide)));
    _mm_store_si128(reinterpret_cast<__m128i*>(narrow), _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
    std::uint32_t wrong = 0;
    for (int i = 0; i < 8; ++i) wrong += encode<binary16>(std::bit_cast<float>(wide[i])) != narrow[i] ? 1U : 0U;
    total.add({8, wrong});
  }
  for (std::uint32_t start = 0; start < 0x10000; start += 8) {
    alignas(16) std::uint16_t narrow[8];
    alignas(32) std::uint32_t wide[8];
    for (std::uint32_t i = 0; i < 8; ++i) narrow[i] = static_cast<std::uint16_t>(start + i);
    const __m256 floats = _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(narrow)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(wide), _mm256_castps_si256(floats));
    std::uint32_t wrong = 0;
    for (int i = 0; i < 8; ++i) wrong += std::bit_cast<std::uint32_t>(decode<binary16>(narrow[i])) != wide[i] ? 1U : 0U;
    total.add({8, wrong});
  }
  return total;
}
#endif

bool report(const char* name, const tally& result) {
  std::printf("%-24s %11llu checked, %llu wrong\n", name, static_cast<unsigned long long>(result.checked),
              static_cast<unsigned long long>(result.wrong));
  return result.wrong == 0;
}

}  // namespace

int main(int count, char** arguments) {
  const bool all = count > 1 && std::strcmp(arguments[1], "--all") == 0;
  const std::uint32_t stride = all ? 1 : 257;
  bool right = report("float32 to float16", walk_both_signs<binary16>(stride));
  right = report("float32 to bfloat16", walk_both_signs<brain16>(stride)) && right;
#if EXHAUSTIVE_X86
  // Every processor with AVX2 has F16C; clang 14 cannot ask for the latter.
  if (__builtin_cpu_supports("avx2")) right = report("float16 and F16C", compare_with_hardware(stride)) && right;
#endif
  std::puts(right ? "every code agrees" : "FAILED");
  return right ? 0 : 1;
}
