// SPDX-License-Identifier: MIT
//
// The two loops that every elementwise region becomes: forward, which stores one result, and backward, which writes the
// gradients of the slots. Both work on a range of row-major positions, alone or as the epilogue of a product.
#pragma once

#include <mezzo/backend/chunks.hpp>
#include <mezzo/backend/lanes.hpp>
#include <mezzo/backend/region_work.hpp>
#include <mezzo/backend/sinks.hpp>
#include <mezzo/expr/sweep.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Elements that one task of an elementwise kernel handles: about the first-level cache.
inline constexpr std::size_t pointwise_grain = 8192;

namespace detail {

/// Calls `f(outer, inner, position, count)` for the parts of [first, first + count) that lie in one row of the loop.
template <class F>
MEZZO_INLINE constexpr void for_each_segment(const loop_shape& loop, std::size_t first, std::size_t count, const F& f) {
  const std::size_t width = loop.inner();
  std::size_t outer = first / width;
  std::size_t inner = first % width;
  for (const std::size_t last = first + count; first < last;) {
    const std::size_t part = width - inner < last - first ? width - inner : last - first;
    f(outer, inner, first, part);
    first += part;
    inner = 0;
    ++outer;
  }
}

template <class Lane, class A>
MEZZO_INLINE constexpr auto row_at(const loop_shape& loop, const Lane& l, std::size_t outer, std::size_t inner,
                                   const A* accumulators) {
  if constexpr (requires { typename Lane::accumulator_row; }) {
    return typename Lane::accumulator_row{accumulators};
  } else {
    std::ptrdiff_t offset = row_offset(loop, l, outer);
    const std::ptrdiff_t step = l.strides[loop.rank - 1];
    if constexpr (requires { Lane::step; }) {
      if constexpr (Lane::step == inner_step::unit) offset += static_cast<std::ptrdiff_t>(inner);
      if constexpr (Lane::step == inner_step::any) offset += static_cast<std::ptrdiff_t>(inner) * step;
    }
    return l.row(offset, step);
  }
}

template <class T, class V>
MEZZO_INLINE constexpr T store_as(V value) {
  if constexpr (std::same_as<V, weak_value>)
    return convert<T>(value.as_double);
  else
    return uncarried<T>(value);
}

/// `work` with what a lane reads for `total` elements: one where it stands still, nothing where it is no tensor.
template <class Lane>
constexpr kernel_work reading_lane(const kernel_work& work, const Lane& l, std::size_t total) {
  if constexpr (requires { Lane::step; })
    return work.reading(l.data, Lane::step == inner_step::zero ? 1 : total);
  else
    return work;
}
template <class Lane>
constexpr kernel_work writing_lane(const kernel_work& work, const Lane& l, std::size_t total) {
  if constexpr (requires { l.data; })
    return work.writing(l.data, total);
  else
    return work;
}
template <class Gradients>
struct row_types;
template <class... Gs>
struct row_types<pack<Gs...>> {
  using type = pack<typename Gs::row_type...>;
};
template <class Gradients>
using row_types_of = typename row_types<Gradients>::type;
template <class Region, class Rows, class T>
MEZZO_INLINE constexpr void store_row(const Rows& rows, T* const out, const std::size_t count, auto& sum) {
  if constexpr (carried_exact<T>) {
    auto chunks = chunks_of<Rows>::make(rows);
    float results[chunk_size];
    for (std::size_t first = 0; first < count; first += chunk_size) {
      const std::size_t part = count - first < chunk_size ? count - first : chunk_size;
      begin_all(chunks, first, part);
      MEZZO_INDEPENDENT
      for (std::size_t i = 0; i < part; ++i)
        results[i] = to_encode<T>(evaluate_for_store<Region, T>(chunks, i, sum));
      encode_run(results, out + first, part);
      sum.settle_run(out + first, part);
    }
  } else if constexpr (chunks_of<Rows>::needed) {
    auto chunks = chunks_of<Rows>::make(rows);
    for (std::size_t first = 0; first < count; first += chunk_size) {
      const std::size_t part = count - first < chunk_size ? count - first : chunk_size;
      begin_all(chunks, first, part);
      MEZZO_INDEPENDENT
      for (std::size_t i = 0; i < part; ++i)
        out[first + i] = sum.settled(store_as<T>(evaluate_region<Region>(chunks, i, sum)));
    }
  } else {
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i)
      out[i] = sum.settled(store_as<T>(evaluate_region<Region>(rows, i, sum)));
  }
}

/// The incoming gradient as a row.
template <class G>
using gradient_row = typename lane<G, inner_step::unit>::unit_row;

template <class Known>
struct known_chunk {
  chunk_of<Known> values;

  constexpr explicit known_chunk(const Known& row) : values{row} {}
  MEZZO_INLINE constexpr void begin(std::size_t at, std::size_t count) { values.begin(at, count); }
  MEZZO_INLINE constexpr auto load(std::size_t i) const { return values.load(i); }
};
template <>
struct known_chunk<no_sink> {
  constexpr explicit known_chunk(no_sink) {}
  MEZZO_INLINE constexpr void begin(std::size_t, std::size_t) {}
};

template <class Region, class Rows, class Known, class G, class Sinks>
MEZZO_INLINE constexpr void sweep_row(const Rows& rows, const Known& known, const G* const g, Sinks& sinks,
                                      const std::size_t count, auto& sum) {
  auto chunks = chunks_of<Rows>::make(rows);
  known_chunk<Known> result(known);
  chunk_of<gradient_row<G>> incoming{gradient_row<G>{g}};
  for (std::size_t first = 0; first < count; first += chunk_size) {
    const std::size_t part = count - first < chunk_size ? count - first : chunk_size;
    begin_all(chunks, first, part);
    result.begin(first, part);
    incoming.begin(first, part);
    begin_all(sinks, first, part);
    MEZZO_INDEPENDENT
    for (std::size_t i = 0; i < part; ++i) sweep_region<Region>(chunks, result, incoming.load(i), sinks, i, sum);
    for_each_index<Sinks::size>([&](auto k) MEZZO_INLINE_LAMBDA { get<decltype(k)::value>(sinks).end(part); });
  }
}

}  // namespace detail

/// Where a part of a region is kept for the backward pass, beside its result; nowhere by default.
template <class Part, class T>
struct kept_in {
  T* data;

  template <class Rows>
  MEZZO_INLINE constexpr void store(const Rows& rows, std::size_t position, std::size_t count, auto& sum) const {
    detail::store_row<Part>(rows, data + position, count, sum);
  }
};
struct kept_nowhere {
  template <class Rows>
  MEZZO_INLINE constexpr void store(const Rows&, std::size_t, std::size_t, auto&) const {}
};

/// Stores a region as elements of type `T`; also the sink of a product whose accumulators fill one of the slots.
template <class Region, class T, class Kept, class... Lanes>
struct pointwise_store {
  static constexpr std::size_t operations = region_cost<Region>::operations;
  static constexpr bool polynomials = region_cost<Region>::polynomials;

  loop_shape loop;
  pack<Lanes...> lanes;
  T* out;
  Kept kept;

  /// Of `total` elements; the accumulators of a product are not read from memory.
  [[nodiscard]] constexpr kernel_work work(std::size_t total) const {
    kernel_work result{{}, total, forward_work<Region>::value, 0, true};
    region_name<Region>::put(result.name);
    if constexpr (Region::slots == 1 && operations == 0) {
      constexpr bool same = std::same_as<typename Region::value_type, T>;
      result.name << (same ? "copy" : "cast");
      result.each = detail::typed<std::conditional_t<same, T, float>>({1, 0});
    }
    apply_pack([&](const Lanes&... l) { ((result = detail::reading_lane(result, l, total)), ...); }, lanes);
    result = detail::writing_lane(result.writing(out, total), kept, total);
    return result;
  }

  template <class A>
  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, const A* accumulators,
                                         auto& sum) const {
    detail::for_each_segment(
        loop, position, count,
        [&](std::size_t outer, std::size_t inner, std::size_t at, std::size_t part) MEZZO_INLINE_LAMBDA {
          const A* row = accumulators == nullptr ? nullptr : accumulators + (at - position);
          const auto values =
              apply_pack([&](const Lanes&... l)
                             MEZZO_INLINE_LAMBDA { return make_pack(detail::row_at(loop, l, outer, inner, row)...); },
                         lanes);
          detail::store_row<Region>(values, out + at, part, sum);
          kept.store(values, at, part, sum);
        });
  }
};

/// Writes a gradient with the sizes of the result, rounded to `T`, and inspects it.
template <class T>
struct gradient_lane {
  T* data;
  inspection what;

  struct write_row {
    T* out;
    T* at = nullptr;
    MEZZO_INLINE constexpr void begin(std::size_t first, std::size_t) { at = out + first; }
    template <class G>
    MEZZO_INLINE constexpr void put(std::size_t i, G g) {
      at[i] = convert<T>(g);
    }
    MEZZO_INLINE constexpr void end(std::size_t) {}
  };
  /// The same for a type that is encoded by the run.
  struct encode_row {
    T* out;
    T* at = nullptr;
    float values[detail::chunk_size];

    constexpr explicit encode_row(T* to) : out(to) {}
    MEZZO_INLINE constexpr void begin(std::size_t first, std::size_t) { at = out + first; }
    template <class G>
    MEZZO_INLINE constexpr void put(std::size_t i, G g) {
      values[i] = detail::to_encode<T>(g);
    }
    MEZZO_INLINE constexpr void end(std::size_t count) { encode_run(values, at, count); }
  };
  using row_type = std::conditional_t<carried_exact<T>, encode_row, write_row>;
  MEZZO_INLINE constexpr row_type row(std::size_t position) const { return row_type{data + position}; }
  MEZZO_INLINE constexpr void finish(std::size_t position, std::size_t count, auto& sum) const {
    sum.settle_run(data + position, count);
    inspect(what, data + position, count, sum);
  }
};

/// Adds to a gradient that has other parts.
template <class T>
struct gradient_sum_lane {
  T* data;

  struct add_row {
    T* out;
    T* at = nullptr;
    MEZZO_INLINE constexpr void begin(std::size_t first, std::size_t) { at = out + first; }
    template <class G>
    MEZZO_INLINE constexpr void put(std::size_t i, G g) {
      at[i] += convert<T>(g);
    }
    MEZZO_INLINE constexpr void end(std::size_t) {}
  };
  using row_type = add_row;
  MEZZO_INLINE constexpr add_row row(std::size_t position) const { return {data + position}; }
  MEZZO_INLINE constexpr void finish(std::size_t, std::size_t, auto&) const {}
};

/// No gradient wanted for this slot.
struct no_gradient_lane {
  using row_type = no_sink;
  MEZZO_INLINE constexpr no_sink row(std::size_t) const { return {}; }
  MEZZO_INLINE constexpr void finish(std::size_t, std::size_t, auto&) const {}
};

/// The known result of a region as a row, or nothing.
template <class T>
struct known_result {
  const T* data;
  MEZZO_INLINE constexpr auto row(std::size_t position) const {
    return typename lane<T, inner_step::unit>::unit_row{data + position};
  }
};
template <>
struct known_result<no_sink> {
  MEZZO_INLINE constexpr no_sink row(std::size_t) const { return {}; }
};

/// Pushes the gradient `g` through a region into gradient lanes.
template <class Region, class G, class Known, class Lanes, class Gradients>
struct pointwise_sweep {
  static constexpr std::size_t operations = region_cost<Region>::operations;
  static constexpr bool polynomials = region_cost<Region>::polynomials;

  loop_shape loop;
  Lanes lanes;
  known_result<Known> known;
  const G* g;
  Gradients gradients;

  [[nodiscard]] constexpr kernel_work work(std::size_t total) const {
    using rows = detail::row_types_of<Gradients>;
    kernel_work result{{}, total, backward_work<Region, rows>::value, 0, true};
    region_name<Region>::put(result.name);
    result.name << " gradient";
    result = result.reading(g, total);
    if constexpr (!std::same_as<Known, no_sink>) result = result.reading(known.data, total);
    apply_pack([&](const auto&... l) { ((result = detail::reading_lane(result, l, total)), ...); }, lanes);
    apply_pack([&](const auto&... l) { ((result = detail::writing_lane(result, l, total)), ...); }, gradients);
    return result;
  }

  MEZZO_INLINE constexpr void operator()(std::size_t position, std::size_t count, auto& sum) const {
    detail::for_each_segment(
        loop, position, count,
        [&](std::size_t outer, std::size_t inner, std::size_t at, std::size_t part) MEZZO_INLINE_LAMBDA {
          const auto rows = apply_pack(
              [&](const auto&... l) MEZZO_INLINE_LAMBDA {
                return make_pack(detail::row_at(loop, l, outer, inner, static_cast<const float*>(nullptr))...);
              },
              lanes);
          auto sinks = apply_pack([&]<class... Gs>(const Gs&... s)
                                      MEZZO_INLINE_LAMBDA { return pack<typename Gs::row_type...>{{{s.row(at)}...}}; },
                                  gradients);
          detail::sweep_row<Region>(rows, known.row(at), g + at, sinks, part, sum);
          apply_pack([&](const auto&... s) MEZZO_INLINE_LAMBDA { (s.finish(at, part, sum), ...); }, gradients);
        });
  }
};

/// Runs a loop over `total` positions as tasks of `pointwise_grain`.
template <class Loop, bool Inspects>
struct pointwise_kernel {
  using scratch = char;
  static constexpr bool inspects = Inspects;
  // Three operations, or one that takes a polynomial, outweigh the memory they read.
  static constexpr bool worth_wide = Loop::operations >= 3 || Loop::polynomials;

  Loop loop;
  std::size_t total;

  [[nodiscard]] constexpr kernel_work work() const { return loop.work(total); }

  [[nodiscard]] constexpr std::size_t tasks() const { return (total + pointwise_grain - 1) / pointwise_grain; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }

  MEZZO_INLINE constexpr void operator()(std::size_t task, scratch*, auto& sum) const {
    const std::size_t first = task * pointwise_grain;
    const std::size_t count = total - first < pointwise_grain ? total - first : pointwise_grain;
    if constexpr (requires { loop(first, count, sum); })
      loop(first, count, sum);
    else
      loop(first, count, static_cast<const float*>(nullptr), sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
