// SPDX-License-Identifier: MIT
//
// A fused loop taken apart, node by node: each operation as a kernel of its own, for comparison; what practice warns of
// in it; and what the lanes compute that fill a vector's last repeat.
#pragma once

#include <mezzo/backend/npu/epilogue.hpp>
#include <mezzo/backend/npu/profile.hpp>
#include <mezzo/backend/npu/status.hpp>

#include <cstddef>      // size_t
#include <type_traits>  // type_identity

namespace mezzo::inline MEZZO_ABI {
namespace npu {
namespace detail {

/// A kernel's work as a task for the vector cores; no elements where there is nothing to do.
[[nodiscard]] constexpr vector_task task_of(const kernel_work& work) {
  const bool wide = work.each.plain_32 + work.each.slow_32 + work.reduced != 0;
  const std::size_t reductions = work.elements == 0 ? 0 : ceil_div(work.reduced, work.elements);
  std::size_t operands = 0;
  for (const tensor_use& use : work.reads) operands += static_cast<std::size_t>(use.data != nullptr);
  for (const tensor_use& use : work.writes) operands += static_cast<std::size_t>(use.data != nullptr);
  return {.elements = work.elements,
          .type = wide ? element::float32 : element::float16,
          .work = as_vector_work(work.each, reductions),
          .bytes_in = work.bytes_in,
          .bytes_out = work.bytes_out,
          .operands = operands};
}

/// Bytes that an operand of an operation has in memory.
template <class Child, class Lanes>
constexpr std::size_t operand_bytes(std::type_identity<Child>, const Lanes&, std::size_t total) {
  return sizeof(typename Child::value_type) * total;
}
template <std::size_t I, class T, class Lanes>
constexpr std::size_t operand_bytes(std::type_identity<region_slot<I, T>>, const Lanes& lanes, std::size_t total) {
  if constexpr (requires { typename pack_element_t<I, Lanes>::accumulator_row; })
    return sizeof(T) * total;
  else
    return mezzo::detail::reading_lane({}, get<I>(lanes), total).bytes_in;
}

/// float32 sums as `T`.
template <class T>
constexpr kernel_work cast_of_sums(std::size_t total) {
  kernel_work work{short_name{} << "cast", total, {0, 1, 0, 0}};
  work.bytes_in = sizeof(float) * total;
  work.bytes_out = sizeof(T) * total;
  return work;
}

/// Calls `f(work)` for every node of a region as a kernel that reads and writes memory.
template <class Region>
struct operations_of {
  template <class Lanes, class F>
  static constexpr void visit(const Lanes&, std::size_t, const F&) {}
};
template <class Fn, class Precision, class... Children>
struct operations_of<region_node<Fn, Precision, Children...>> {
  template <class Lanes, class F>
  static constexpr void visit(const Lanes& lanes, std::size_t total, const F& f) {
    (operations_of<Children>::visit(lanes, total, f), ...);
    // A bias is added to sums of float32.
    using output = typename Precision::output;
    constexpr bool to_sums = mezzo::detail::takes_accumulator<Fn> && low_precision<output>;
    using lane = std::conditional_t<to_sums, float, output>;
    kernel_work work{unqualified_name<typename Fn::tag>(), total,
                     mezzo::detail::typed<lane>(mezzo::detail::apply_steps<Fn>)};
    work.bytes_out = sizeof(lane) * total;
    ((work.each += mezzo::detail::cast_steps<typename Children::value_type, lane>(),
      work.bytes_in += operand_bytes(std::type_identity<Children>{}, lanes, total)),
     ...);
    f(work);
    if constexpr (to_sums) f(cast_of_sums<output>(total));
  }
};

/// The same for the gradient of every node.
template <class Region, class Sinks>
struct adjoints_of {
  template <class F>
  static constexpr void visit(std::size_t, const F&) {}
};
template <class Fn, class Precision, class... Children, class Sinks>
struct adjoints_of<region_node<Fn, Precision, Children...>, Sinks> {
  template <class F>
  static constexpr void visit(std::size_t total, const F& f) {
    using lane = typename Precision::compute;
    constexpr std::size_t read = Fn::uses == reads::nothing ? 0 : Fn::uses == reads::result ? 1 : sizeof...(Children);
    const auto push = [&]<class Child>(std::type_identity<Child>) {
      if constexpr (mezzo::detail::wanted<Child, Sinks>::value) {
        constexpr mezzo::detail::steps own = mezzo::detail::adjoint_steps<Fn>;
        if (own.plain + own.slow != 0) {
          kernel_work work{unqualified_name<typename Fn::tag>(), total, mezzo::detail::typed<lane>(own)};
          work.bytes_in = (1 + read) * sizeof(lane) * total;
          work.bytes_out = sizeof(lane) * total;
          work.name << " gradient";
          f(work);
        }
        adjoints_of<Child, Sinks>::visit(total, f);
      }
    };
    (push(std::type_identity<Children>{}), ...);
  }
};

/// Calls `f(work)` for each operation of a kernel: of a fused loop its nodes, else the kernel itself.
template <class Loop, class F>
constexpr void visit_operations(const Loop& loop, std::size_t total, const F& f) {
  f(loop.work(total));
}
template <class Region, class T, class Kept, class... Lanes, class F>
constexpr void visit_operations(const pointwise_store<Region, T, Kept, Lanes...>& loop, std::size_t total,
                                const F& f) {
  if constexpr (region_cost<Region>::operations < 2)
    f(loop.work(total));
  else
    operations_of<Region>::visit(loop.lanes, total, f);
}
template <class Region, class G, class Known, class Lanes, class Gradients, class F>
constexpr void visit_operations(const pointwise_sweep<Region, G, Known, Lanes, Gradients>& loop, std::size_t total,
                                const F& f) {
  if constexpr (region_cost<Region>::operations < 2)
    f(loop.work(total));
  else
    adjoints_of<Region, mezzo::detail::row_types_of<Gradients>>::visit(total, f);
}

/// The same for what follows a product, whose sums of float32 are all that leaves the cube.
template <class Region, class T, class Kept, class... Lanes, class F>
constexpr void visit_after_product(const pointwise_store<Region, T, Kept, Lanes...>& loop, std::size_t total,
                                   const F& f) {
  using lane = pack_element_t<accumulator_among<Lanes...>(), pack<Lanes...>>;
  using value = typename lane::value_type;
  if constexpr (low_precision<value>) f(cast_of_sums<value>(total));
  operations_of<Region>::visit(loop.lanes, total, f);
}
template <class Sink, class F>
constexpr void visit_after_product(const Sink& sink, std::size_t total, const F& f) {
  if constexpr (requires { sink.sink; }) {
    visit_after_product(sink.sink, total, f);
  } else if constexpr (requires { sink.data; }) {
    using value = std::remove_cvref_t<decltype(*sink.data)>;
    if constexpr (low_precision<value>) f(cast_of_sums<value>(total));
  }
}

/// A multiplication by a quotient of a number.
template <class Region>
inline constexpr bool is_reciprocal = false;
template <class Precision, class One, class Rest>
inline constexpr bool is_reciprocal<region_node<div_fn, Precision, One, Rest>> = is_number<One>;

/// Whether `value`, which is not 0, is 0 or subnormal as a number of `T`.
template <class T>
constexpr bool vanishes(float value) {
  if constexpr (low_precision<T>) {
    const auto size = bits_of(convert<T>(value)) & layout<format_of<T>>::magnitude;
    return value != 0 && size < layout<format_of<T>>::smallest_normal;
  } else {
    return false;
  }
}

template <class Region>
struct hazards_of {
  template <class Lanes>
  static constexpr void visit(const Lanes&, profile&) {}
};
template <class Fn, class Precision, class... Children>
struct hazards_of<region_node<Fn, Precision, Children...>> {
  template <class Lanes>
  static constexpr void visit(const Lanes& lanes, profile& log) {
    (hazards_of<Children>::visit(lanes, log), ...);
    (look_at(std::type_identity<Children>{}, lanes, log), ...);
    if constexpr (std::same_as<Fn, mul_fn> && (is_reciprocal<Children> || ...))
      log.warn(hazard::reciprocal, unqualified_name<typename Fn::tag>());
  }

 private:
  template <class Child, class Lanes>
  static constexpr void look_at(std::type_identity<Child>, const Lanes&, profile&) {}
  template <std::size_t I, class Lanes>
  static constexpr void look_at(std::type_identity<region_slot<I, mezzo::detail::weak>>, const Lanes& lanes,
                                profile& log) {
    const float number = get<I>(lanes).value.as_float;
    if (vanishes<typename Precision::output>(number))
      log.warn(hazard::vanishing_constant, unqualified_name<typename Fn::tag>());
    if (!non_finite(number) && non_finite(convert<typename Precision::output>(number)))
      log.warn(hazard::overflowing_constant, unqualified_name<typename Fn::tag>());
  }
};

/// What practice warns of in a loop, or in where results go.
template <class Region, class T, class Kept, class... Lanes>
constexpr void find_hazards(const pointwise_store<Region, T, Kept, Lanes...>& loop, profile& log) {
  hazards_of<Region>::visit(loop.lanes, log);
}
template <class Sink>
constexpr void find_hazards(const Sink& sink, profile& log) {
  if constexpr (requires { sink.sink; }) find_hazards(sink.sink, log);
}

/// Whether values are asked whether they are finite.
template <class Kernel>
constexpr bool asks_values(const Kernel& kernel) {
  if constexpr (requires { kernel.what; })
    return kernel.what != inspection::nothing;
  else if constexpr (requires { kernel.sink; })
    return asks_values(kernel.sink);
  else if constexpr (requires { kernel.loop.gradients; })
    return apply_pack([](const auto&... l) { return (asks_values(l) || ...); }, kernel.loop.gradients);
  else
    return false;
}

/// Bytes of the widest operand of a loop.
template <class... Lanes>
constexpr std::size_t widest_lane(const pack<Lanes...>&) {
  std::size_t widest = 2;
  const auto look = [&]<class Lane>(std::type_identity<Lane>) {
    if constexpr (requires { typename Lane::value_type; })
      if (sizeof(typename Lane::value_type) > widest) widest = sizeof(typename Lane::value_type);
  };
  (look(std::type_identity<Lanes>{}), ...);
  return widest;
}

/// A lane that holds the zeros of a padded place.
template <class Lane>
constexpr auto padded_row(const Lane&) {
  return typename absent_lane<typename Lane::value_type>::absent_row{};
}
constexpr auto padded_row(const number_lane& l) { return l.row(0, 0); }

/// Computes what the padded lanes of a loop compute, for the flag's sake.
template <class Region, class T, class Kept, class... Lanes>
constexpr void run_padded_lane(const pointwise_store<Region, T, Kept, Lanes...>& loop, observed& seen) {
  const auto rows = apply_pack([](const Lanes&... l) { return make_pack(padded_row(l)...); }, loop.lanes);
  static_cast<void>(seen.settled(mezzo::detail::store_as<T>(evaluate_region<Region>(rows, 0, seen))));
}
template <class Loop>
constexpr void run_padded_lane(const Loop&, observed&) {}

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
