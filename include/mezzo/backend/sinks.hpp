// SPDX-License-Identifier: MIT
//
// Where a kernel delivers its results: runs of accumulators at row-major positions. A sink rounds once and stores, adds
// to a gradient that has other parts, or runs the fused loop that follows a product.
#pragma once

#include <mezzo/backend/runs.hpp>
#include <mezzo/backend/tally.hpp>
#include <mezzo/backend/work.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Stores results as `T`, and inspects what it stored.
template <class T>
struct store_sink {
  T* data = nullptr;
  inspection what = inspection::nothing;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, auto& sum) const {
    T* const out = data + position;
    store_run(values, out, count);
    sum.settle_run(out, count);
    inspect(what, out, count, sum);
  }
};

/// Whether a sink rounds and stores each result where it is computed; others take runs of them.
template <class Sink>
inline constexpr bool stores_each = false;
template <class T>
inline constexpr bool stores_each<store_sink<T>> = !carried_exact<T>;

/// Whether a loop from `Runs` to `Sink` works on halves of words: bfloat16 in and, if anything, bfloat16 out.
template <class Sink, class... Runs>
inline constexpr bool in_halves = std::same_as<Sink, store_sink<bfloat16>> && (detail::loads_halves<Runs> && ...);

/// Delivers f(0) … f(count − 1), of type `A`, to positions from `position` on; `own` is scratch for as many. `Halves`
/// as of `for_elements`.
template <bool Halves = false, class Sink, class A, class F>
MEZZO_INLINE constexpr void deliver_run(const Sink& sink, std::size_t position, std::size_t count, A* own, auto& sum,
                                        const F& f) {
  if constexpr (stores_each<Sink>) {
    auto* const out = sink.data + position;
    using T = std::remove_cvref_t<decltype(*out)>;
#if MEZZO_VECTORS
    if constexpr (Halves) {
      if (!std::is_constant_evaluated()) {
        MEZZO_INDEPENDENT
        for (std::size_t i = 0; i < count / 2; ++i)
          detail::store_two(f(detail::half_index<0>{i}), f(detail::half_index<1>{i}), out, i);
        if (count % 2 != 0) out[count - 1] = convert<T>(f(count - 1));
        sum.settle_run(out, count);
        return inspect(sink.what, out, count, sum);
      }
    }
#endif
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = sum.settled(convert<T>(f(i)));
    inspect(sink.what, out, count, sum);
  } else {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) own[i] = f(i);
    sink(position, count, own, sum);
  }
}

/// Adds results to sums of type `T`.
template <class T>
struct add_sink {
  T* data = nullptr;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, auto&) const {
    T* const out = data + position;
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] += convert<T>(values[i]);
  }
};

/// Delivers to a part of a result, which begins at position `first`.
template <class Sink>
struct part_sink {
  Sink sink;
  std::size_t first;

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* values, auto& sum) const {
    sink(first + position, count, values, sum);
  }
};

namespace detail {

/// `work` and what is done in `sink` with each of `results`.
template <class Sink>
constexpr kernel_work delivering(kernel_work work, const Sink& sink, std::size_t results) {
  if constexpr (requires { sink.work(results); }) {
    const kernel_work more = sink.work(results);
    work.name << "+" << more.name.text;
    work.each += more.each;
    work.bytes_in += more.bytes_in;
    work.bytes_out += more.bytes_out;
    for (std::size_t i = 0; i < 4; ++i) work.writes[i] = more.writes[i];
  } else if constexpr (requires { sink.sink; }) {
    return delivering(work, sink.sink, results);
  } else if constexpr (requires { sink.data; }) {
    return work.writing(sink.data, results);
  }
  return work;
}

/// A sink whose position 0 is `base` of another.
template <class Sink>
constexpr auto sink_from(const Sink& sink, std::size_t base) {
  return part_sink<Sink>{sink, base};
}
template <class T>
constexpr store_sink<T> sink_from(const store_sink<T>& sink, std::size_t base) {
  return {sink.data + base, sink.what};
}
template <class T>
constexpr add_sink<T> sink_from(const add_sink<T>& sink, std::size_t base) {
  return {sink.data + base};
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
