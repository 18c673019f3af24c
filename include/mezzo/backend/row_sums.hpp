// SPDX-License-Identifier: MIT
//
// Sums and largest elements of a run of numbers. The order in which they are brought together follows from the length
// alone: neither threads nor instruction sets change a bit.
#pragma once

#include <mezzo/base/config.hpp>
#include <mezzo/base/vectors.hpp>

#include <cstddef>      // size_t
#include <type_traits>  // is_constant_evaluated

namespace mezzo::inline MEZZO_ABI {

namespace detail {

inline constexpr std::size_t sum_lanes = 16;
inline constexpr std::size_t sum_chains = 4;
inline constexpr std::size_t sum_block = 4096;

struct add_terms {
  template <class V>
  MEZZO_INLINE constexpr void operator()(V& sum, const V& term) const {
    sum += term;
  }
};
/// NaNs are passed over.
struct take_larger {
  template <class V>
  MEZZO_INLINE constexpr void operator()(V& largest, const V& term) const {
    largest = term > largest ? term : largest;
  }
};

/// The terms f(i): one by one.
template <class A, class F>
struct computed_terms {
  const F& f;
  MEZZO_INLINE constexpr A operator[](std::size_t i) const { return f(i); }
};
/// Numbers side by side in memory: one by one, and in vectors.
template <class A>
struct number_run {
  using value_type = A;
  const A* x;
  MEZZO_INLINE constexpr A operator[](std::size_t i) const { return x[i]; }
#if MEZZO_VECTORS
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to) const {
    load_vector(x + i, to);
  }
#endif
};

template <class Run>
concept loads_vectors = requires { typename Run::value_type; } && MEZZO_VECTORS != 0;

/// Whether a run is read quickest as two vectors, of the elements two apart.
template <class Run>
concept loads_halves = loads_vectors<Run> && requires { requires Run::in_halves; };

/// Products of two runs, each rounded.
template <class X, class Y>
struct product_terms {
  using value_type = typename X::value_type;
  static constexpr bool in_halves = loads_halves<X> && loads_halves<Y>;
  X x;
  Y y;
  MEZZO_INLINE constexpr value_type operator[](std::size_t i) const {
    MEZZO_ROUND_EACH
    return x[i] * y[i];
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to) const {
    MEZZO_ROUND_EACH
    V other;
    x.load(i, to);
    y.load(i, other);
    to *= other;
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& even, V& odd) const {
    MEZZO_ROUND_EACH
    V other_even, other_odd;
    x.load(i, even, odd);
    y.load(i, other_even, other_odd);
    even *= other_even;
    odd *= other_odd;
  }
};
/// The squares of x_i − mean.
template <class X>
struct deviation_terms {
  using value_type = typename X::value_type;
  static constexpr bool in_halves = loads_halves<X>;
  X x;
  value_type mean;
  MEZZO_INLINE constexpr value_type operator[](std::size_t i) const {
    MEZZO_ROUND_EACH
    const value_type from = x[i] - mean;
    return from * from;
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& to) const {
    MEZZO_ROUND_EACH
    x.load(i, to);
    to -= mean;
    to *= to;
  }
  template <class V>
  MEZZO_INLINE void load(std::size_t i, V& even, V& odd) const {
    MEZZO_ROUND_EACH
    x.load(i, even, odd);
    even -= mean;
    odd -= mean;
    even *= even;
    odd *= odd;
  }
};

/// Terms [first, last) of several chains of sixteen lanes, whose latencies hide one another: in steps of all chains,
/// which are then brought together two and two, and in steps of one for what is left of more than a lane.
template <class A, class Terms, class Merge>
MEZZO_INLINE constexpr std::size_t merge_steps(std::size_t first, std::size_t last, A (&lanes)[sum_lanes],
                                               const Terms& terms, const Merge& merge) {
  std::size_t i = first;
  if (last - first >= sum_chains * sum_lanes) {
    A others[sum_chains - 1][sum_lanes];
    for (auto& chain : others)
      for (std::size_t l = 0; l < sum_lanes; ++l) chain[l] = lanes[l];
    for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes) {
      for (std::size_t l = 0; l < sum_lanes; ++l) merge(lanes[l], terms[i + l]);
      for (std::size_t c = 1; c < sum_chains; ++c)
        for (std::size_t l = 0; l < sum_lanes; ++l) merge(others[c - 1][l], terms[i + c * sum_lanes + l]);
    }
    for (std::size_t l = 0; l < sum_lanes; ++l) {
      merge(lanes[l], others[1][l]);
      merge(others[0][l], others[2][l]);
      merge(lanes[l], others[0][l]);
    }
  }
  for (; i + sum_lanes <= last; i += sum_lanes)
    for (std::size_t l = 0; l < sum_lanes; ++l) merge(lanes[l], terms[i + l]);
  return i;
}

#if MEZZO_VECTORS
/// The same in vectors.
template <std::size_t Bytes, class A, class Terms, class Merge>
MEZZO_INLINE std::size_t merge_vectors(std::size_t first, std::size_t last, A (&lanes)[sum_lanes], const Terms& terms,
                                       const Merge& merge) {
  using vector = typename vector_of<A, Bytes>::type;
  constexpr std::size_t width = Bytes / sizeof(A);
  constexpr std::size_t pieces = sum_lanes / width;
  vector sum[sum_chains][pieces];
#pragma GCC unroll 4
  for (std::size_t c = 0; c < sum_chains; ++c)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p) load_vector(lanes + p * width, sum[c][p]);
  std::size_t i = first;
  if (last - first >= sum_chains * sum_lanes) {
    for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes)
#pragma GCC unroll 4
      for (std::size_t c = 0; c < sum_chains; ++c)
#pragma GCC unroll 4
        for (std::size_t p = 0; p < pieces; ++p) {
          vector term;
          terms.load(i + c * sum_lanes + p * width, term);
          merge(sum[c][p], term);
        }
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p) {
      merge(sum[0][p], sum[2][p]);
      merge(sum[1][p], sum[3][p]);
      merge(sum[0][p], sum[1][p]);
    }
  }
  for (; i + sum_lanes <= last; i += sum_lanes)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p) {
      vector term;
      terms.load(i + p * width, term);
      merge(sum[0][p], term);
    }
#pragma GCC unroll 4
  for (std::size_t p = 0; p < pieces; ++p) store_vector(sum[0][p], lanes + p * width);
  return i;
}

/// The steps of all chains, which are as far from one another as `lanes` are wide, in vectors of elements two apart:
/// one vector holds every other lane, of two chains where it is that wide. Requires: the lanes are all the same yet.
template <std::size_t Bytes, class A, class Terms, class Merge>
MEZZO_INLINE std::size_t merge_halves(std::size_t first, std::size_t last, A (&lanes)[sum_lanes], const Terms& terms,
                                      const Merge& merge) {
  constexpr std::size_t width = Bytes / sizeof(A);
  constexpr std::size_t groups = sum_chains * sum_lanes / (2 * width);
  if (last - first < sum_chains * sum_lanes) return first;
  typename vector_of<A, Bytes>::type sum[groups][2];
#pragma GCC unroll 4
  for (std::size_t g = 0; g < groups; ++g) {
    load_vector(lanes, sum[g][0]);
    load_vector(lanes, sum[g][1]);
  }
  std::size_t i = first;
  for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes)
#pragma GCC unroll 4
    for (std::size_t g = 0; g < groups; ++g) {
      typename vector_of<A, Bytes>::type even, odd;
      terms.load(i + 2 * g * width, even, odd);
      merge(sum[g][0], even);
      merge(sum[g][1], odd);
    }
#pragma GCC unroll 2
  for (std::size_t apart = groups / 2; apart > 0; apart /= 2)
#pragma GCC unroll 2
    for (std::size_t g = 0; g < apart; ++g) {
      merge(sum[g][0], sum[g + apart][0]);
      merge(sum[g][1], sum[g + apart][1]);
    }
  A own[2][width];
  store_vector(sum[0][0], own[0]);
  store_vector(sum[0][1], own[1]);
#pragma GCC unroll 16
  for (std::size_t l = 0; l < sum_lanes; ++l) {
    lanes[l] = own[l % 2][l / 2];
    if constexpr (2 * width > sum_lanes) merge(lanes[l], own[l % 2][l / 2 + sum_lanes / 2]);
  }
  return i;
}
#endif

/// The lanes, merged pairwise.
template <class A, class Merge>
MEZZO_INLINE constexpr A merged_lanes(A (&lanes)[sum_lanes], const Merge& merge) {
  std::size_t width = sum_lanes / 2;
#if MEZZO_VECTORS
  // In vectors that every processor has, or compilers build them from single lanes.
  if (!std::is_constant_evaluated()) {
    using vector = typename vector_of<A, 16>::type;
    constexpr std::size_t least = 16 / sizeof(A);
    constexpr std::size_t pieces = sum_lanes / least;
    vector piece[pieces];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < pieces; ++p) load_vector(lanes + p * least, piece[p]);
#pragma GCC unroll 4
    for (std::size_t half = pieces / 2; half > 0; half /= 2)
#pragma GCC unroll 4
      for (std::size_t p = 0; p < half; ++p) merge(piece[p], piece[p + half]);
    store_vector(piece[0], lanes);
    width = least / 2;
  }
#endif
#pragma GCC unroll 4
  for (; width > 0; width /= 2)
    for (std::size_t l = 0; l < width; ++l) merge(lanes[l], lanes[l + width]);
  return lanes[0];
}

/// Merges terms [first, last) into `start`: chains of lanes, then single terms, then the lanes pairwise.
template <std::size_t Bytes = row_bytes, class A, class Terms, class Merge>
MEZZO_INLINE constexpr A merge_terms(std::size_t first, std::size_t last, A start, const Terms& terms,
                                     const Merge& merge) {
  A lanes[sum_lanes];
  for (std::size_t l = 0; l < sum_lanes; ++l) lanes[l] = start;
  std::size_t i = first;
#if MEZZO_VECTORS
  if constexpr (loads_vectors<Terms>) {
    if (std::is_constant_evaluated()) {
      i = merge_steps(first, last, lanes, terms, merge);
    } else if constexpr (loads_halves<Terms>) {
      i = merge_halves<Bytes>(first, last, lanes, terms, merge);
      for (; i + sum_lanes <= last; i += sum_lanes)
        for (std::size_t l = 0; l < sum_lanes; ++l) merge(lanes[l], terms[i + l]);
    } else {
      i = merge_vectors<Bytes>(first, last, lanes, terms, merge);
    }
  } else
#endif
    i = merge_steps(first, last, lanes, terms, merge);
  for (std::size_t l = 0; i < last; ++i, ++l) merge(lanes[l], terms[i]);
  return merged_lanes(lanes, merge);
}

/// Sum of `count` terms, for every 4,096 of them by themselves, then in order. A term passes through at most 64
/// additions in its chain, 2 where chains meet, 4 beyond them, 4 in the fold and one for each block: the error is below
/// (count/4096 + 75) units of roundoff times the sum of magnitudes (Higham 2002, section 4.2).
template <class A, std::size_t Bytes = row_bytes, class Terms>
MEZZO_INLINE constexpr A sum_of_terms(std::size_t count, const Terms& terms) {
  A sum = 0;
  for (std::size_t first = 0; first < count; first += sum_block)
    sum += merge_terms<Bytes>(first, count - first < sum_block ? count : first + sum_block, A(0), terms, add_terms{});
  return sum;
}

/// Σ f(i) for i in [0, count).
template <class A, class F>
MEZZO_INLINE constexpr A ordered_sum(std::size_t count, const F& f) {
  return sum_of_terms<A>(count, computed_terms<A, F>{f});
}
/// Σ x_i, in vectors of `Bytes`.
template <std::size_t Bytes = row_bytes, class X>
MEZZO_INLINE constexpr auto row_sum(const X& x, std::size_t count) {
  return sum_of_terms<typename X::value_type, Bytes>(count, x);
}
/// Σ x_i y_i, each product rounded.
template <std::size_t Bytes = row_bytes, class X, class Y>
MEZZO_INLINE constexpr auto row_dot(const X& x, const Y& y, std::size_t count) {
  return sum_of_terms<typename X::value_type, Bytes>(count, product_terms<X, Y>{x, y});
}
/// Σ (x_i − mean)², each difference and square rounded.
template <std::size_t Bytes = row_bytes, class X>
MEZZO_INLINE constexpr auto row_deviation(const X& x, std::size_t count, typename X::value_type mean) {
  return sum_of_terms<typename X::value_type, Bytes>(count, deviation_terms<X>{x, mean});
}
/// The largest x_i, but `least` if none is larger.
template <std::size_t Bytes = row_bytes, class X>
MEZZO_INLINE constexpr auto row_largest(const X& x, std::size_t count, typename X::value_type least) {
  return merge_terms<Bytes>(std::size_t{0}, count, least, x, take_larger{});
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
