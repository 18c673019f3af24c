// SPDX-License-Identifier: MIT
//
// The AI Core as a backend: the same program, with the values that the chip would give as far as they are known, and a
// profile of where its cycles go. Products pass tile by tile through the layouts and buffers of the cube; vector
// results end in the chip's overflow mode; the status flag is a member.
//
// Not claimed: the bits of float products, whose order of additions is not published; the last digits of exponentials
// and the like; what a first launch costs; several cards.
#pragma once

#include <mezzo/backend/backend.hpp>
#include <mezzo/backend/npu/cube.hpp>
#include <mezzo/backend/npu/recorder.hpp>
#include <mezzo/backend/supported.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// `npu::model<npu::ascend910b1>{.order = npu::summation::pairwise}`; every member has a default.
template <const chip& Chip>
struct model {
  static constexpr const char* name = Chip.name;

  summation order = summation::exact;  ///< in which the cube adds
  overflow_mode mode =
      Chip.overflow == overflow_modes::saturation_only ? overflow_mode::saturation : overflow_mode::infinity;
  bool hf32 = false;                ///< float32 products round their operands to HF32
  bool padded_lanes_raise = false;  ///< the zeros that fill a vector's last repeat raise the status flag too
  options how{};                    ///< fusion, double buffering, tiling
  tiles tile{};                     ///< of products; the planner chooses unless given
  npu::profile profile{};           ///< what ran since it was cleared
  memory_formats formats{};         ///< of tensors that kernels wrote
  launches pending{};               ///< of a group that is one launch of each kind
  status_register status{};
  workspace memory{};

  /// Integers are labels; float64 is on no chip.
  template <class Tag, class T>
  static constexpr bool supports = !std::same_as<T, double> && (Chip.bfloat16 || !std::same_as<T, bfloat16>);

  /// Whether the cube takes `T` as it is. Without float32 it takes three products of float16 parts.
  template <real T>
  [[nodiscard]] constexpr bool native() const {
    if constexpr (std::same_as<T, double>)
      return false;
    else
      return Chip.cube_takes(element_of<T>);
  }

  /// The program wrote `data` and leaves it as it is until it says so again: a layout that a kernel needs is made once.
  constexpr void host_wrote(const void* data) { formats.write(data, memory_format::row_major); }
  /// What runs in between is one kernel of each kind, on all their operands.
  constexpr void begin_group() { pending.begin(profile); }
  constexpr void end_group() { pending.end(Chip, profile, how); }

  /// The sticky status flag: whether a result was infinite or NaN since it was cleared.
  [[nodiscard]] constexpr bool overflow() const { return status.raised; }
  constexpr void clear_overflow() {
    status.raised = false;
    status.watched = true;
  }
  constexpr void raise_overflow() { status.raised = true; }
  /// Whether only the flag shows an overflow.
  [[nodiscard]] constexpr bool saturates() const { return mode == overflow_mode::saturation; }

  template <class Kernel>
  constexpr tally run(const Kernel& kernel) {
    check_mode();
    observed seen = run_tasks(kernel);
    if constexpr (requires { kernel.work(); }) recorder().kernel(kernel);
    status.raised = status.raised || seen.raised;
    return seen;
  }

  template <class Left, class Right, class Sink>
  constexpr tally multiply(const Left& a, const Right& b, const product_shape& shape, const Sink& sink) {
    static_assert(std::same_as<typename Left::A, float>,
                  "mezzo::npu::model: products are summed in float32; given float64 operands; use float, float16 or "
                  "bfloat16");
    check_mode();
    observed seen(mode);
    if (shape.m == 0 || shape.n == 0 || shape.k == 0) return seen;
    const tiles planned = recorder().product(a, b, shape, sink, hf32);
    if constexpr (mezzo::detail::is_patches<Right>) {
      // A convolution has the positions as rows, and its terms in the order of NC1HWC0 and FRACTAL_Z.
      const auto positions = transposed(b);
      const auto weights = transposed(a);
      const detail::channel_blocks terms{b.planes(), b.shape.window()};
      on_cube(detail::turned_call{positions, weights, terms, {shape.n, shape.m, shape.k}, sink, planned}, seen);
    } else {
      on_cube(detail::cube_call{a, b, detail::plain_terms{shape.k}, shape, sink, planned}, seen);
    }
    status.raised = status.raised || seen.raised;
    return seen;
  }

 private:
  constexpr void check_mode() const {
    if (Chip.overflow == overflow_modes::saturation_only && mode == overflow_mode::infinity)
      fail(sentence("mezzo::npu::model: the chip must have the overflow mode; given INF/NAN mode on ")
           << Chip.name << ", which saturates; leave the mode as it is");
    if (hf32 && !Chip.cube_takes(element::hf32))
      fail(sentence("mezzo::npu::model: the chip must have HF32; given ")
           << Chip.name << ", whose cube has float16; leave hf32 as it is");
  }

  template <class Kernel>
  MEZZO_LOOPS constexpr observed run_tasks(const Kernel& kernel) {
    const buffer<typename Kernel::scratch> scratch(memory, kernel.scratch_size());
    observed total(mode);
    if constexpr (requires { kernel.loop.lanes; })
      if (padded_lanes_raise && kernel.total * detail::widest_lane(kernel.loop.lanes) % Chip.vector_bytes != 0)
        detail::run_padded_lane(kernel.loop, total);
    const std::size_t tasks = kernel.tasks();
    for (std::size_t task = 0; task < tasks; ++task) {
      observed part(mode);
      kernel(task, scratch.data(), part);
      total += part;
      total.raised = total.raised || part.raised;
    }
    return total;
  }

  /// Whoever asks values where they saturate, and does not know of the flag, is told.
  constexpr detail::recorder recorder() {
    return {Chip, how, tile, profile, formats, saturates() && !status.watched};
  }

  template <class Call>
  constexpr void on_cube(const Call& call, observed& seen) {
    using T = typename Call::element;
    using detail::part;
    constexpr detail::pass whole[] = {{part::whole, part::whole, 0}};
    if constexpr (!std::same_as<T, float>) {
      in_order<T, fractal_rows>(call, whole, seen);
    } else if constexpr (!Chip.cube_takes(element::float32)) {
      // What float16 leaves of a float32 number, scaled so that it is not subnormal, is multiplied by the other's
      // float16; the product of both rests is below float32's last digit (SGEMM).
      constexpr detail::pass parts[] = {
          {part::high, part::high, 0}, {part::high, part::low, 1}, {part::low, part::high, 1}};
      in_order<float16, fractal_rows>(call, parts, seen);
    } else if (hf32) {
      in_order<float, Chip.step(element::hf32).k>(call, whole, seen);
    } else {
      in_order<float, Chip.step(element::float32).k>(call, whole, seen);
    }
  }

  template <class T, std::size_t Depth, class Call, std::size_t Passes>
  constexpr void in_order(const Call& call, const detail::pass (&passes)[Passes], observed& seen) {
    switch (order) {
      case summation::exact: return flow<summation::exact, T, Depth>(call, passes, seen);
      case summation::pairwise: return flow<summation::pairwise, T, Depth>(call, passes, seen);
      case summation::sequential: return flow<summation::sequential, T, Depth>(call, passes, seen);
    }
  }

  template <summation Order, class T, std::size_t Depth, class Call, std::size_t Passes>
  constexpr void flow(const Call& call, const detail::pass (&passes)[Passes], observed& seen) {
    const buffer<float> line(memory, call.tile.m > call.tile.n ? call.tile.m : call.tile.n);
    detail::cube_product<Order, T, Depth, Call, observed> product{call, hf32, seen};
    product.run(memory, passes,
                [&](std::size_t i, std::size_t j, std::size_t rows, std::size_t columns, const auto& block) {
                  // A row at a time through the FixPipe, from NZ to row-major.
                  for (std::size_t r = 0; r < (Call::turned ? columns : rows); ++r) {
                    const std::size_t count = Call::turned ? rows : columns;
                    for (std::size_t c = 0; c < count; ++c) line.data()[c] = Call::turned ? block(c, r) : block(r, c);
                    call.sink.tile_row(Call::turned ? j + r : i + r, Call::turned ? i : j, count, line.data(), seen);
                  }
                });
  }
};

namespace detail {

template <class Model, class Expression>
concept chip_has_types = mezzo::detail::supported<Model, Expression>::value || unsatisfied<
    "mezzo::npu::model: the chip must have every type that the policy chooses; given bfloat16 on a chip of the first "
    "generation, which has float16 and float32, or float64, which none has; choose float16, or a chip of the second",
    Model, Expression>();

}  // namespace detail
}  // namespace npu

/// The sentence names the chip in the type of the model.
template <const npu::chip& Chip, class Expression>
struct check_support<npu::model<Chip>, Expression> {
  static_assert(npu::detail::chip_has_types<npu::model<Chip>, Expression>);
  static constexpr bool value = true;
};

}  // namespace mezzo::inline MEZZO_ABI
