// SPDX-License-Identifier: MIT
//
// Fused loops over types that are converted a run at a time: a chunk of each row is decoded, the loop works on float32
// that holds the same values, and a chunk of results is encoded. Rows of other types pass through.
#pragma once

#include <mezzo/backend/lanes.hpp>
#include <mezzo/backend/runs.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

inline constexpr std::size_t chunk_size = 512;

/// Whether a row holds a product together with its bias: a chunk of it does too.
template <class Row>
inline constexpr bool holds_completed = requires { requires Row::completed; };

/// A row seen from element `first`.
template <class Row>
struct chunk {
  static constexpr bool completed = holds_completed<Row>;

  Row row;
  std::size_t first = 0;

  MEZZO_INLINE constexpr void begin(std::size_t at, std::size_t) { first = at; }
  MEZZO_INLINE constexpr auto load(std::size_t i) const { return row.load(first + i); }
};

/// Neighbours in memory, decoded.
template <class Row, class T>
struct decoded_chunk {
  static constexpr bool completed = holds_completed<Row>;

  Row row;
  float values[chunk_size];

  constexpr explicit decoded_chunk(const Row& from) : row(from) {}
  MEZZO_INLINE constexpr void begin(std::size_t at, std::size_t count) { decode_run(row.at + at, values, count); }
  MEZZO_INLINE constexpr exact<T> load(std::size_t i) const { return {values[i]}; }
};

template <class Row>
inline constexpr bool is_run = requires(const Row& row) { row.at[0]; } && !requires(const Row& row) { row.step; };

template <class Row>
using loaded_t = decltype(std::declval<const Row&>().load(0));

template <class Row>
using chunk_of =
    std::conditional_t<carried_exact<loaded_t<Row>> && is_run<Row>, decoded_chunk<Row, loaded_t<Row>>, chunk<Row>>;

template <class Rows>
struct chunks_of;
/// Chunks of several rows. Not copied: what is decoded stays where it is.
template <class... Rows>
struct chunks_of<pack<Rows...>> {
  static constexpr bool needed = ((carried_exact<loaded_t<Rows>> && is_run<Rows>) || ...);
  using type = pack<chunk_of<Rows>...>;

  static constexpr type make(const pack<Rows...>& rows) {
    return apply_pack([](const Rows&... row) { return type{{{chunk_of<Rows>{row}}...}}; }, rows);
  }
};

/// Moves all chunks of a pack to elements [first, first + count).
template <class... Chunks>
MEZZO_INLINE constexpr void begin_all(pack<Chunks...>& chunks, std::size_t first, std::size_t count) {
  for_each_index<sizeof...(Chunks)>(
      [&](auto i) MEZZO_INLINE_LAMBDA { get<decltype(i)::value>(chunks).begin(first, count); });
}

/// A result as the run that is encoded holds it: a value of `T`, or a float32 that the encoding rounds.
template <class T, class V>
MEZZO_INLINE constexpr float to_encode(V value) {
  if constexpr (std::same_as<V, double>)
    return convert<float>(convert<T>(value));  // one rounding, not two
  else if constexpr (std::same_as<V, weak_value>)
    return convert<float>(convert<T>(value.as_double));
  else
    return uncarried<float>(value);
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
