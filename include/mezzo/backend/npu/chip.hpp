// SPDX-License-Identifier: MIT
//
// What is known of Ascend's AI Core, as one constant a chip. A new chip is a copy with other members; nothing else in
// the model has a number of a chip in it. Origins: HPCA21 = Liao et al., Ascend, HPCA 2021, and Hot Chips 31. SGEMM =
// SGEMM-cube, arXiv 2507.23387. SCAN = Parallel Scan on Ascend. VER = Verrocchio, JPDC 175 (2023). mstt = published
// profiles of Ascend-mstt. pub = vendor's public documentation. derived = follows from published measurements.
// calibrated = fitted to measured rows. assumed = neither.
#pragma once

#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/number/minifloat.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // int8_t, int32_t

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Clock cycles, and differences of them.
using cycles = long long;

/// Element types of the cube and of vectors. hf32 is float32 whose operands are rounded inside the cube.
enum class element : unsigned char { float16, bfloat16, float32, hf32, int8, int32 };
inline constexpr std::size_t element_count = 6;

[[nodiscard]] constexpr std::size_t bytes_of(element e) {
  return e == element::int8 ? 1 : e == element::float16 || e == element::bfloat16 ? 2 : 4;
}
/// Elements of a 32-byte block, the innermost extent of the layouts on the chip.
[[nodiscard]] constexpr std::size_t c0_of(element e) { return 32 / bytes_of(e); }
[[nodiscard]] constexpr const char* name_of(element e) {
  constexpr const char* names[element_count] = {"float16", "bfloat16", "float32", "hf32", "int8", "int32"};
  return names[static_cast<std::size_t>(e)];
}

namespace detail {

template <class T>
inline constexpr int element_index = -1;
template <>
inline constexpr int element_index<float16> = static_cast<int>(element::float16);
template <>
inline constexpr int element_index<bfloat16> = static_cast<int>(element::bfloat16);
template <>
inline constexpr int element_index<float> = static_cast<int>(element::float32);
template <>
inline constexpr int element_index<std::int8_t> = static_cast<int>(element::int8);
template <>
inline constexpr int element_index<std::int32_t> = static_cast<int>(element::int32);

template <class T>
concept has_element =
    element_index<T> >= 0 || unsatisfied<"mezzo::npu::element_of: the type must be one that the chips hold; given "
                                         "another; use float16, bfloat16, float, int8_t or int32_t",
                                         T>();

template <class Integer>
[[nodiscard]] constexpr Integer ceil_div(Integer a, Integer b) {
  return (a + b - 1) / b;
}
[[nodiscard]] constexpr std::size_t round_up(std::size_t a, std::size_t to) { return ceil_div(a, to) * to; }
[[nodiscard]] constexpr cycles larger(cycles a, cycles b) { return a < b ? b : a; }

}  // namespace detail

/// The chip's element type for a C++ type.
template <detail::has_element T>
inline constexpr element element_of = static_cast<element>(detail::element_index<T>);

/// What the cube multiplies and adds in one cycle; all zero for a type that it does not take.
struct cube_step {
  std::size_t m, k, n;
};

/// Whether overflowing results are held at the largest number, or become infinite unless that is asked for.
enum class overflow_modes { saturation_only, infinity_by_default };

struct chip {
  const char* name;
  std::size_t cube_cores, vector_cores;
  /// One instruction stream for cube and vector, L0C goes to UB; otherwise a cube core and two vector cores have
  /// streams of their own, meet in global memory only, and L0C leaves by FixPipe.
  bool combined;
  long long megahertz;
  std::size_t l0a_bytes, l0b_bytes, l0c_bytes, l1_bytes, ub_bytes, l2_bytes;
  double hbm_gigabytes, l2_gigabytes;  // a second
  bool bfloat16;
  overflow_modes overflow;
  cube_step steps[element_count];

  // Cube: an instruction is its steps and this in a steady pipeline (derived, spread 7 to 17) ...
  cycles cube_instruction = 10;
  // ... and its result is there this many cycles after the steps (derived, 61 to 63).
  cycles cube_drained = 62;
  // Largest m, n and k of one instruction (pub).
  std::size_t cube_extent = 4095;

  // MTE1: bytes a cycle into L0A and L0B, cycles of a pair of loads (derived).
  long long l0a_rate = 256, l0b_rate = 128;
  cycles mte1_pair = 47;

  // The path to global memory, one way at a time (VER), that MTE2 shares with FixPipe or MTE3. A row is moved in bursts
  // of up to 512 bytes (pub); a burst takes two cycles and its bytes at the path's width (both calibrated: rows of 512
  // bytes arrive at 85 bytes a cycle, of 256 at 64; derived were 28 to 85).
  std::size_t path_bytes = 128, vector_path_bytes = 64, burst_bytes = 512;
  cycles burst_cycles = 2;
  // Cycles until a transfer that nothing hides is usable (derived).
  cycles transfer_latency = 80;
  // What is left of HBM's bandwidth where as much is written as read (calibrated), and for rows of tiles (pub: thin
  // products, whose weights come from there, read 1270 to 1330 GB a second).
  double hbm_mixed = 0.77, hbm_rows = 0.8;

  // FixPipe: bytes a cycle out of L0C, as written (pub: a sample's tiles of 65536 bytes take about 1000 cycles).
  long long fixpipe_rate = 64;

  // Vector: bytes of a repeat, cycles of an instruction beside its repeats (derived, 22 to 24), repeats that one
  // instruction can ask for (pub), cycles of a reduction's repeat (derived), bytes of an operand that make it worth
  // while to start another core (calibrated).
  std::size_t vector_bytes = 256;
  cycles vector_instruction = 23;
  std::size_t vector_repeats = 255;
  cycles reduction_repeat = 7;
  std::size_t bytes_per_core = 4096;

  // Scalar: cycles to issue an instruction with its flags, cycles before a product's first one (calibrated). Before a
  // vector kernel's, some for the kernel and some for the address and extents of each operand (both calibrated).
  cycles issue = 40, prologue = 1700, vector_prologue = 1000, vector_operand = 180;

  // Launch, in microseconds: a kernel of one block, and each block more (mstt: 3 with 48 blocks). All blocks read the
  // same lines of arguments and of code, one after another, so that each block more takes longer by so much for each
  // operand beyond two, and by so much for code that is in no cache (both calibrated; the latter is what the slowest
  // call of a kernel takes longer than the quickest: 0.3 with 4 blocks, 5 with 48).
  double launch_first = 0.5, launch_more = 2.5 / 47, launch_operand = 0.015, launch_cold = 0.11;

  [[nodiscard]] constexpr const cube_step& step(element e) const { return steps[static_cast<std::size_t>(e)]; }
  [[nodiscard]] constexpr bool cube_takes(element e) const { return step(e).m != 0; }
  [[nodiscard]] constexpr double microseconds(cycles n) const {
    return static_cast<double>(n) / static_cast<double>(megahertz);
  }
  /// Largest number of multiplications and additions a second in the cubes, in units of 1e12.
  [[nodiscard]] constexpr double peak_teraflops(element e) const {
    const cube_step& s = step(e);
    return 2e-6 * static_cast<double>(s.m * s.k * s.n * cube_cores) * static_cast<double>(megahertz);
  }
};

/// First generation. Sizes from HPCA21; one path constant is calibrated on SGEMM, the other costs are assumed to be
/// those that were measured on the second generation.
inline constexpr chip ascend910a = {
    .name = "ascend910a",
    .cube_cores = 32,
    .vector_cores = 32,
    .combined = true,
    .megahertz = 1000,
    .l0a_bytes = 64 * 1024,
    .l0b_bytes = 64 * 1024,
    .l0c_bytes = 256 * 1024,
    .l1_bytes = 1024 * 1024,
    .ub_bytes = 256 * 1024,
    .l2_bytes = 32 * 1024 * 1024,
    .hbm_gigabytes = 1160,  // achieved of 1200 (SGEMM)
    .l2_gigabytes = 4000,   // HPCA21
    .bfloat16 = false,
    .overflow = overflow_modes::saturation_only,
    .steps = {{16, 16, 16}, {}, {}, {}, {16, 32, 16}, {}},
    // Calibrated on SGEMM; HPCA21 has 94 bytes a cycle of the last-level cache for a core.
    .path_bytes = 64,
    .vector_path_bytes = 64,
    .launch_first = 2.05,  // VER
    .launch_more = 0,
    .launch_operand = 0,
    .launch_cold = 0,
};

/// Second generation, split cores.
inline constexpr chip ascend910b1 = {
    .name = "ascend910b1",
    .cube_cores = 24,
    .vector_cores = 48,
    .combined = false,
    .megahertz = 1850,  // mstt
    .l0a_bytes = 64 * 1024,
    .l0b_bytes = 64 * 1024,
    .l0c_bytes = 128 * 1024,
    .l1_bytes = 512 * 1024,
    .ub_bytes = 192 * 1024,
    .l2_bytes = 192 * 1024 * 1024,
    .hbm_gigabytes = 1650,  // pub: 1600 to 1800; calibrated within
    .l2_gigabytes = 5000,   // derived
    .bfloat16 = true,
    .overflow = overflow_modes::infinity_by_default,
    .steps = {{16, 16, 16}, {16, 16, 16}, {16, 4, 16}, {16, 8, 16}, {16, 32, 16}, {}},
};

namespace detail {

/// A bin of the second generation.
[[nodiscard]] constexpr chip bin_of_910b(const char* name, std::size_t cores, long long megahertz) {
  chip c = ascend910b1;
  c.name = name;
  c.cube_cores = cores;
  c.vector_cores = 2 * cores;
  c.megahertz = megahertz;
  return c;
}
[[nodiscard]] constexpr chip smaller_memory(chip c) {
  c.l2_bytes = 96 * 1024 * 1024;
  c.hbm_gigabytes = 800;  // SCAN
  return c;
}

}  // namespace detail

inline constexpr chip ascend910b2 = detail::bin_of_910b("ascend910b2", 24, 1800);
inline constexpr chip ascend910b3 = detail::bin_of_910b("ascend910b3", 20, 1800);
inline constexpr chip ascend910b4 = detail::smaller_memory(detail::bin_of_910b("ascend910b4", 20, 1500));

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
