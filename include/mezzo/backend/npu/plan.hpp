// SPDX-License-Identifier: MIT
//
// The tiles of a matrix product: a tile of the result stays in L0C while slices of the operands pass through L1 and L0,
// each with one or two buffers. The planner estimates every shape of tile by its slowest pipe; a program may give tiles
// of its own, which are checked.
#pragma once

#include <mezzo/backend/npu/instructions.hpp>
#include <mezzo/base/contract.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Tile (m, n) of the result, slices of k in L0 and of l1_k in L1, and how many buffers each level has. All zero: the
/// planner chooses.
struct tiles {
  std::size_t m = 0, n = 0, k = 0, l1_k = 0;
  std::size_t l0_buffers = 2, l1_buffers = 2, c_buffers = 1;

  constexpr bool operator==(const tiles&) const = default;
};

/// A product cut up for a chip.
struct product_plan {
  tiles tile;
  std::size_t m_tiles, n_tiles;  // of one product
  std::size_t all_tiles;         // of all in the batch
  std::size_t k_steps;           // slices in L0 of one tile
  std::size_t cores, tiles_per_core;

  /// Bytes that MTE2 moves for the operands: M·K·⌈N/n⌉ + K·N·⌈M/m⌉ elements.
  [[nodiscard]] constexpr unsigned long long operand_bytes(const product_task& t) const {
    return static_cast<unsigned long long>(t.batch * t.parts * bytes_of(t.in)) *
           (detail::ceil_div(t.k * t.m, t.taps) * n_tiles + t.k * t.n * m_tiles);
  }
};

namespace detail {

/// A buffer that is too small; none if `where` is null.
struct shortage {
  const char* where = nullptr;
  std::size_t has = 0, takes = 0;
};

[[nodiscard]] constexpr shortage shortage_of(const chip& on, const product_task& task, const tiles& t) {
  const std::size_t bytes = bytes_of(task.in);
  const std::size_t l0a = t.m * t.k * bytes * t.l0_buffers, l0b = t.n * t.k * bytes * t.l0_buffers;
  const std::size_t l0c = t.m * t.n * 4 * t.c_buffers;
  const std::size_t l1 = (ceil_div(t.m * t.l1_k, task.taps) + t.n * t.l1_k) * bytes * task.parts * t.l1_buffers;
  if (l0a > on.l0a_bytes) return {"L0A", on.l0a_bytes, l0a};
  if (l0b > on.l0b_bytes) return {"L0B", on.l0b_bytes, l0b};
  if (l0c > on.l0c_bytes) return {"L0C", on.l0c_bytes, l0c};
  if (l1 > on.l1_bytes) return {"L1", on.l1_bytes, l1};
  return {};
}

/// Whole fractals, slices in L1 of whole slices in L0, one or two buffers, and no more than an instruction can take.
[[nodiscard]] constexpr bool well_formed(const chip& on, const product_task& task, const tiles& t) {
  const auto one_or_two = [](std::size_t n) { return n == 1 || n == 2; };
  return t.m != 0 && t.n != 0 && t.k != 0 && t.l1_k != 0 && t.m % 16 == 0 && t.n % 16 == 0 &&
         t.k % c0_of(task.in) == 0 && t.l1_k % t.k == 0 && t.l1_k <= on.l1_bytes &&
         one_or_two(t.l0_buffers) && one_or_two(t.l1_buffers) &&
         one_or_two(t.c_buffers) && t.m <= on.cube_extent && t.n <= on.cube_extent && t.k <= on.cube_extent;
}

/// Extents that the model counts with; larger ones are no tensor's.
inline constexpr std::size_t most_extent = std::size_t{1} << 30;

[[nodiscard]] constexpr bool complete(const product_task& t) {
  return t.m != 0 && t.n != 0 && t.k != 0 && t.batch != 0 && t.parts != 0 && t.terms != 0 && t.m <= most_extent &&
         t.n <= most_extent && t.k <= most_extent && t.batch <= most_extent;
}

[[nodiscard]] constexpr product_plan spread(const chip& on, const product_task& task, const tiles& t) {
  product_plan p{};
  p.tile = t;
  p.m_tiles = ceil_div(task.m, t.m);
  p.n_tiles = ceil_div(task.n, t.n);
  p.all_tiles = p.m_tiles * p.n_tiles * task.batch;
  p.k_steps = ceil_div(task.k, t.k);
  // As few cores as finish in the same number of rounds: CANN starts 16 of 20 for 64 tiles.
  p.tiles_per_core = ceil_div(p.all_tiles, on.cube_cores);
  p.cores = ceil_div(p.all_tiles, p.tiles_per_core);
  return p;
}

/// Slices for a tile (m, n): as deep as L0 takes, and in L1 the double of that while it fits, up to eight slices.
[[nodiscard]] constexpr tiles slices(const chip& on, const product_task& task, std::size_t m, std::size_t n) {
  const std::size_t c0 = c0_of(task.in), bytes = bytes_of(task.in);
  const auto deepest = [&](std::size_t capacity, std::size_t rows) { return capacity / (2 * rows * bytes) / c0 * c0; };
  const std::size_t a = deepest(on.l0a_bytes, m), b = deepest(on.l0b_bytes, n), padded = round_up(task.k, c0);
  tiles t{.m = m, .n = n};
  t.k = a < b ? a : b;
  // Slices of a power of two make rows of whole bursts.
  std::size_t power = c0;
  while (2 * power <= t.k) power *= 2;
  if (t.k != 0) t.k = power;
  if (t.k > padded) t.k = padded;
  t.l1_k = t.k;
  for (tiles deeper = t; deeper.l1_k < 8 * t.k && deeper.l1_k < padded;) {
    deeper.l1_k *= 2;
    if (shortage_of(on, task, deeper).where != nullptr) break;
    t.l1_k = deeper.l1_k;
  }
  tiles twice = t;
  twice.c_buffers = 2;
  return shortage_of(on, task, twice).where == nullptr ? twice : t;
}

/// Path cycles of both operands' slices of depth k.
[[nodiscard]] constexpr cycles operand_cycles(const chip& on, const product_task& task, std::size_t m, std::size_t n,
                                              std::size_t k, bool right) {
  const std::size_t bytes = bytes_of(task.in), extent = right ? n : m, whole = right ? task.n : task.m;
  if (!right && task.taps > 1) {  // rows of an image, one after another
    const std::size_t image = ceil_div(m * k, task.taps) * task.parts * bytes;
    return transfer_cycles(on, 1, image, image, on.path_bytes);
  }
  // The left operand is stored (m, k), the right one (k, n), unless transposed.
  const bool along_k = right ? task.right_transposed : !task.left_transposed;
  return along_k ? transfer_cycles(on, extent * task.parts, k * bytes, task.k * bytes, on.path_bytes)
                 : transfer_cycles(on, k * task.parts, extent * bytes, whole * bytes, on.path_bytes);
}

/// Cycles that the slowest core needs at the least: its slowest pipe, and what no other pipe can hide.
[[nodiscard]] constexpr cycles estimate(const chip& on, const product_task& task, const product_plan& p) {
  const tiles& t = p.tile;
  const std::size_t m = t.m < task.m ? t.m : task.m, n = t.n < task.n ? t.n : task.n;
  const std::size_t k = t.k < task.k ? t.k : task.k, l1_k = t.l1_k < task.k ? t.l1_k : task.k;
  const auto steps = static_cast<cycles>(p.k_steps * task.terms);
  const cycles cube = steps * cube_cycles(on, task.in, m, n, k);
  const cycles mte1 = steps * mte1_cycles(on, task.in, m, n, k);
  const cycles slice =
      operand_cycles(on, task, m, n, l1_k, false) + operand_cycles(on, task, m, n, l1_k, true);
  const cycles path = static_cast<cycles>(ceil_div(task.k, t.l1_k)) * slice;
  const cycles out = fixpipe_cycles(on, m, n * bytes_of(task.out), task.n * bytes_of(task.out));
  const cycles inner = larger(larger(cube + (t.c_buffers == 1 ? out : 0), mte1), path + out);
  // The first slice and the last tile's way out overlap with nothing.
  return larger(static_cast<cycles>(p.tiles_per_core) * inner + slice + out,
                shared_cycles(on, static_cast<double>(p.operand_bytes(task)), 0, 0));
}

}  // namespace detail

/// Cuts a product into `given` tiles, for `on`'s cores.
[[nodiscard]] constexpr product_plan plan_product(const chip& on, const product_task& task, const tiles& given) {
  if (!detail::complete(task))
    fail(sentence("mezzo::npu::plan_product: every extent must be at least 1 and at most 2^30; given ")
         << task.m << "x" << task.k << " times " << task.k << "x" << task.n << ", " << task.batch
         << " of them; leave out empty products");
  if (on.cube_cores == 0 || on.vector_cores == 0 || on.megahertz <= 0)
    fail(sentence("mezzo::npu::chip: a chip must have cores and a clock; given ")
         << on.name << " with " << on.cube_cores << " and " << on.vector_cores
         << " cores; start from a copy of one of the library's");
  if (!on.cube_takes(task.in))
    fail(sentence("mezzo::npu::plan_product: operands must be of a type that the cube of ")
         << on.name << " takes; given " << name_of(task.in) << "; compute in float16 or choose another chip");
  if (!detail::well_formed(on, task, given))
    fail(sentence("mezzo::npu::plan_product: tiles must be multiples of 16 in m and n, of ")
         << c0_of(task.in) << " in k, l1_k a multiple of k, none above " << on.cube_extent
         << ", with 1 or 2 buffers; given m " << given.m << ", n " << given.n << ", k " << given.k << ", l1_k "
         << given.l1_k << " and buffers " << given.l0_buffers << ", " << given.l1_buffers << ", " << given.c_buffers
         << "; round them");
  if (const detail::shortage s = detail::shortage_of(on, task, given); s.where != nullptr)
    fail(sentence("mezzo::npu::plan_product: tiles must fit ")
         << s.where << " of " << on.name << ", " << s.has << " bytes; given tiles that take " << s.takes
         << "; make them smaller or give them fewer buffers");
  return detail::spread(on, task, given);
}

/// Chooses tiles: the shape of the largest tile that has twice as many columns as rows, as CANN's 128 by 256, unless
/// another one is better by a tenth in the estimate: CANN keeps its tile where a fitter one would gain less.
[[nodiscard]] constexpr product_plan plan_product(const chip& on, const product_task& task,
                                                  const options& how = {}) {
  const std::size_t c0 = c0_of(task.in);
  tiles best{.m = 16, .n = 16, .k = c0, .l1_k = c0};
  product_plan plan = plan_product(on, task, best);  // checks the task
  if (how.tiling) {
    constexpr std::size_t extents[] = {128, 16, 32, 48, 64, 80, 96, 112, 160, 176, 192, 208, 256, 320, 384, 512};
    const std::size_t rows = detail::round_up(task.m, 16), columns = detail::round_up(task.n, 16);
    cycles least = 0;
    for (const std::size_t m0 : extents)
      for (std::size_t j = 0; j < sizeof extents / sizeof *extents; ++j) {
        // 256 columns come first, as 128 rows do.
        const std::size_t n0 = j == 0 ? 256 : extents[j] == 256 ? 128 : extents[j];
        const tiles t = detail::slices(on, task, m0 < rows ? m0 : rows, n0 < columns ? n0 : columns);
        if (t.k == 0 || detail::shortage_of(on, task, t).where != nullptr) continue;
        const product_plan candidate = detail::spread(on, task, t);
        const cycles estimate = detail::estimate(on, task, candidate);
        if (least == 0 || estimate + estimate / 10 < least) {
          least = estimate;
          plan = candidate;
        }
      }
  }
  if (!how.double_buffering) plan.tile.l0_buffers = plan.tile.l1_buffers = plan.tile.c_buffers = 1;
  return plan;
}

namespace detail {

template <const chip& Chip, element Type>
concept cube_takes =
    Chip.cube_takes(Type) ||
    unsatisfied<"mezzo::npu::static_plan: operands must be of a type that the chip's cube takes; given another; "
                "compute in float16 or choose another chip">();

template <const chip& Chip, product_task Task, tiles Tiles>
concept tiles_fit =
    (Tiles == tiles{}) || (well_formed(Chip, Task, Tiles) && shortage_of(Chip, Task, Tiles).where == nullptr) ||
    unsatisfied<"mezzo::npu::static_plan: tiles must be whole fractals that fit L0A, L0B, L0C and L1 with their "
                "buffers; given others; make them smaller or leave them to the planner">();

}  // namespace detail

/// The plan of a product whose sizes the compiler knows, such as `static_plan<ascend910b3, 512, 768, 64>`.
template <const chip& Chip, std::size_t M, std::size_t N, std::size_t K, element In = element::float16,
          element Out = In, tiles Tiles = tiles{}>
  requires detail::cube_takes<Chip, In> &&
               detail::tiles_fit<Chip, product_task{.m = M, .n = N, .k = K, .in = In, .out = Out}, Tiles>
inline constexpr product_plan static_plan =
    Tiles == tiles{} ? plan_product(Chip, product_task{.m = M, .n = N, .k = K, .in = In, .out = Out})
                     : plan_product(Chip, product_task{.m = M, .n = N, .k = K, .in = In, .out = Out}, Tiles);

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
