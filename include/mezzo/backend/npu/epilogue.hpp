// SPDX-License-Identifier: MIT
//
// What follows a product in the same kernel, read off the type of its sink: what rides on the way out of L0C, and what
// is left for the vector unit.
#pragma once

#include <mezzo/backend/npu/task.hpp>
#include <mezzo/backend/patch_operand.hpp>
#include <mezzo/backend/pointwise_loop.hpp>

#include <cstddef>      // size_t
#include <type_traits>  // type_identity

namespace mezzo::inline MEZZO_ABI {
namespace npu {
namespace detail {

/// A list of instructions as the cost model counts them.
[[nodiscard]] constexpr vector_work as_vector_work(const instructions& each, std::size_t reductions = 0) {
  vector_work work;
  work.add(vector_op::simple, element::float16, each.plain_16).add(vector_op::simple, element::float32, each.plain_32);
  work.add(vector_op::quotient, element::float16, each.slow_16);
  work.add(vector_op::quotient, element::float32, each.slow_32);
  return work.add(vector_op::reduction, element::float32, reductions);
}

/// The way of an accumulator to the root of a region.
struct way_out {
  bool reached = false;  // whether the accumulator is under this part
  bool rides = true;     // whether nothing but what rides was met so far
  bool bias = false, relu = false, scale = false;
  instructions tail{};
};

template <class Fn>
inline constexpr bool scales = std::same_as<Fn, mul_fn> || std::same_as<Fn, div_fn>;
template <class Region>
inline constexpr bool is_number = std::same_as<typename Region::value_type, mezzo::detail::weak>;

template <class Region, std::size_t Accumulator>
struct way_through {
  static constexpr way_out value{};
};
template <std::size_t I, class T>
struct way_through<region_slot<I, T>, I> {
  static constexpr way_out value{.reached = true};
};
template <class Fn, class Precision, class... Children, std::size_t Accumulator>
struct way_through<region_node<Fn, Precision, Children...>, Accumulator> {
  static constexpr way_out value = [] {
    way_out way;
    std::size_t reached = 0;
    const auto enter = [&]<class Child>(std::type_identity<Child>) {
      constexpr way_out under = way_through<Child, Accumulator>::value;
      if (under.reached) {
        const instructions work = way.tail;
        way = under;
        way.tail += work;
        ++reached;
      } else {
        way.tail += forward_work<Child>::value;
      }
    };
    (enter(std::type_identity<Children>{}), ...);
    if (reached == 0) return way;
    // Beside the accumulator: a bias, nothing, or a number.
    if (reached == 1 && way.rides && mezzo::detail::takes_accumulator<Fn> && !way.bias) {
      way.bias = true;
    } else if (reached == 1 && way.rides && std::same_as<Fn, relu_fn>) {
      way.relu = true;
    } else if (reached == 1 && way.rides && scales<Fn> && (is_number<Children> || ...)) {
      way.scale = true;
    } else {
      way.rides = false;
      way.tail += mezzo::detail::typed<typename Precision::output>(mezzo::detail::apply_steps<Fn>);
    }
    return way;
  }();
};

/// Which of the lanes is the accumulator, and bytes that the others read for each element.
template <class... Lanes>
constexpr std::size_t accumulator_among() {
  constexpr bool is[] = {requires { typename Lanes::accumulator_row; }..., true};
  std::size_t at = 0;
  while (!is[at]) ++at;
  return at;
}
template <class Lane>
constexpr std::size_t bytes_beside() {
  if constexpr (requires { Lane::step; })
    return Lane::step == inner_step::zero ? 0 : sizeof(typename Lane::value_type);
  else
    return 0;
}

/// Fills in what is known of a product from the loop in which it ends, or from where its results go; their memory.
template <class Region, class T, class Kept, class... Lanes>
constexpr const void* describe_sink(const pointwise_store<Region, T, Kept, Lanes...>& store, product_task& task,
                                    short_name& name) {
  constexpr way_out way = way_through<Region, accumulator_among<Lanes...>()>::value;
  task.out = element_of<T>;
  task.bias = way.bias;
  task.relu = way.relu;
  task.scale = way.scale;
  task.tail = as_vector_work(way.tail);
  const std::size_t beside = (std::size_t{0} + ... + bytes_beside<Lanes>());
  const std::size_t kept = mezzo::detail::writing_lane({}, store.kept, 1).bytes_out;
  task.tail_bytes_in = way.tail.count() == 0 ? kept : beside + kept;
  short_name ops;
  region_name<Region>::put(ops);
  if (ops.text[0] != '\0') name << "+" << ops.text;
  return store.out;
}
template <class Sink>
constexpr const void* describe_sink(const Sink& sink, product_task& task, short_name& name) {
  if constexpr (requires { sink.sink; }) {
    return describe_sink(sink.sink, task, name);
  } else if constexpr (requires { sink.data; }) {
    task.out = element_of<std::remove_cvref_t<decltype(*sink.data)>>;
    return sink.data;
  } else {
    return nullptr;
  }
}

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
