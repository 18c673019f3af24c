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

/// Bytes of the vectors in which a run is read from memory, where a loop has `Bytes` at hand: float32 was measured to
/// arrive more quickly in half a register of AVX-512.
template <std::size_t Bytes, class Run>
inline constexpr std::size_t bytes_from_memory = loads_halves<Run> ? Bytes : row_bytes;

/// Products of two runs, each rounded.
template <class X, class Y>
struct product_terms {
  using value_type = typename X::value_type;
  static constexpr bool in_halves = loads_halves<X> && loads_halves<Y>;
  X x;
  Y y;
  template <class Index>
  MEZZO_INLINE constexpr value_type operator[](Index i) const {
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

/// Sums that are taken of one run of terms at once: `Terms::sums` of them, one by default.
template <class Terms>
inline constexpr std::size_t sums_of = 1;
template <class Terms>
  requires(Terms::sums > 1)
inline constexpr std::size_t sums_of<Terms> = Terms::sums;

template <class A, std::size_t K>
struct several_sums {
  A of[K];
};
template <class A, class Term, class Merge>
MEZZO_INLINE constexpr void merge_term(A (&lanes)[1][sum_lanes], std::size_t l, const Term& term, const Merge& merge) {
  merge(lanes[0][l], term);
}
template <class A, std::size_t K, class Merge>
MEZZO_INLINE constexpr void merge_term(A (&lanes)[K][sum_lanes], std::size_t l, const several_sums<A, K>& term,
                                       const Merge& merge) {
  for (std::size_t k = 0; k < K; ++k) merge(lanes[k][l], term.of[k]);
}
template <class Terms, class... V>
MEZZO_INLINE void load_terms(const Terms& terms, std::size_t i, V (&... to)[1]) {
  terms.load(i, to[0]...);
}
template <class Terms, class... V, std::size_t K>
MEZZO_INLINE void load_terms(const Terms& terms, std::size_t i, V (&... to)[K]) {
  terms.load(i, to...);
}

/// Terms [first, last) of several chains of sixteen lanes, whose latencies hide one another: in steps of all chains,
/// which are then brought together two and two, and in steps of one for what is left of more than a lane.
template <class A, std::size_t K, class Terms, class Merge>
MEZZO_INLINE constexpr std::size_t merge_steps(std::size_t first, std::size_t last, A (&lanes)[K][sum_lanes],
                                               const Terms& terms, const Merge& merge) {
  std::size_t i = first;
  if (last - first >= sum_chains * sum_lanes) {
    A others[sum_chains - 1][K][sum_lanes];
    for (auto& chain : others)
      for (std::size_t k = 0; k < K; ++k)
        for (std::size_t l = 0; l < sum_lanes; ++l) chain[k][l] = lanes[k][l];
    for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes) {
      for (std::size_t l = 0; l < sum_lanes; ++l) merge_term(lanes, l, terms[i + l], merge);
      for (std::size_t c = 1; c < sum_chains; ++c)
        for (std::size_t l = 0; l < sum_lanes; ++l) merge_term(others[c - 1], l, terms[i + c * sum_lanes + l], merge);
    }
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t l = 0; l < sum_lanes; ++l) {
        merge(lanes[k][l], others[1][k][l]);
        merge(others[0][k][l], others[2][k][l]);
        merge(lanes[k][l], others[0][k][l]);
      }
  }
  for (; i + sum_lanes <= last; i += sum_lanes)
    for (std::size_t l = 0; l < sum_lanes; ++l) merge_term(lanes, l, terms[i + l], merge);
  return i;
}

#if MEZZO_VECTORS
/// The same in vectors.
template <std::size_t Bytes, class A, std::size_t K, class Terms, class Merge>
MEZZO_INLINE std::size_t merge_vectors(std::size_t first, std::size_t last, A (&lanes)[K][sum_lanes],
                                       const Terms& terms, const Merge& merge) {
  using vector = typename vector_of<A, Bytes>::type;
  constexpr std::size_t width = Bytes / sizeof(A);
  constexpr std::size_t pieces = sum_lanes / width;
  vector sum[sum_chains][pieces][K];
#pragma GCC unroll 4
  for (std::size_t c = 0; c < sum_chains; ++c)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p)
#pragma GCC unroll 2
      for (std::size_t k = 0; k < K; ++k) load_vector(lanes[k] + p * width, sum[c][p][k]);
  std::size_t i = first;
  const auto add = [&](std::size_t at, vector(&to)[K]) MEZZO_INLINE_LAMBDA {
    vector term[K];
    load_terms(terms, at, term);
#pragma GCC unroll 2
    for (std::size_t k = 0; k < K; ++k) merge(to[k], term[k]);
  };
  if (last - first >= sum_chains * sum_lanes) {
    for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes)
#pragma GCC unroll 4
      for (std::size_t c = 0; c < sum_chains; ++c)
#pragma GCC unroll 4
        for (std::size_t p = 0; p < pieces; ++p) add(i + c * sum_lanes + p * width, sum[c][p]);
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p)
#pragma GCC unroll 2
      for (std::size_t k = 0; k < K; ++k) {
        merge(sum[0][p][k], sum[2][p][k]);
        merge(sum[1][p][k], sum[3][p][k]);
        merge(sum[0][p][k], sum[1][p][k]);
      }
  }
  for (; i + sum_lanes <= last; i += sum_lanes)
#pragma GCC unroll 4
    for (std::size_t p = 0; p < pieces; ++p) add(i + p * width, sum[0][p]);
#pragma GCC unroll 4
  for (std::size_t p = 0; p < pieces; ++p)
#pragma GCC unroll 2
    for (std::size_t k = 0; k < K; ++k) store_vector(sum[0][p][k], lanes[k] + p * width);
  return i;
}

/// The steps of all chains in vectors of elements two apart: one vector holds every other lane, of two chains where it
/// is that wide. Requires: the lanes are all the same yet.
template <std::size_t Bytes, class A, std::size_t K, class Terms, class Merge>
MEZZO_INLINE std::size_t merge_halves(std::size_t first, std::size_t last, A (&lanes)[K][sum_lanes],
                                      const Terms& terms, const Merge& merge) {
  using vector = typename vector_of<A, Bytes>::type;
  constexpr std::size_t width = Bytes / sizeof(A);
  constexpr std::size_t groups = sum_chains * sum_lanes / (2 * width);
  if (last - first < sum_chains * sum_lanes) return first;
  vector sum[groups][2][K];
#pragma GCC unroll 4
  for (std::size_t g = 0; g < groups; ++g)
#pragma GCC unroll 2
    for (std::size_t k = 0; k < K; ++k) {
      load_vector(lanes[k], sum[g][0][k]);
      load_vector(lanes[k], sum[g][1][k]);
    }
  std::size_t i = first;
  for (; i + sum_chains * sum_lanes <= last; i += sum_chains * sum_lanes)
#pragma GCC unroll 4
    for (std::size_t g = 0; g < groups; ++g) {
      vector even[K], odd[K];
      load_terms(terms, i + 2 * g * width, even, odd);
#pragma GCC unroll 2
      for (std::size_t k = 0; k < K; ++k) {
        merge(sum[g][0][k], even[k]);
        merge(sum[g][1][k], odd[k]);
      }
    }
#pragma GCC unroll 2
  for (std::size_t k = 0; k < K; ++k) {
#pragma GCC unroll 2
    for (std::size_t apart = groups / 2; apart > 0; apart /= 2)
#pragma GCC unroll 2
      for (std::size_t g = 0; g < apart; ++g) {
        merge(sum[g][0][k], sum[g + apart][0][k]);
        merge(sum[g][1][k], sum[g + apart][1][k]);
      }
    A own[2][width];
    store_vector(sum[0][0][k], own[0]);
    store_vector(sum[0][1][k], own[1]);
#pragma GCC unroll 16
    for (std::size_t l = 0; l < sum_lanes; ++l) {
      lanes[k][l] = own[l % 2][l / 2];
      if constexpr (2 * width > sum_lanes) merge(lanes[k][l], own[l % 2][l / 2 + sum_lanes / 2]);
    }
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
MEZZO_INLINE constexpr auto merge_terms(std::size_t first, std::size_t last, A start, const Terms& terms,
                                        const Merge& merge) {
  constexpr std::size_t K = sums_of<Terms>;
  A lanes[K][sum_lanes];
  for (auto& each : lanes)
    for (std::size_t l = 0; l < sum_lanes; ++l) each[l] = start;
  std::size_t i = first;
#if MEZZO_VECTORS
  if constexpr (loads_vectors<Terms>) {
    if (std::is_constant_evaluated()) {
      i = merge_steps(first, last, lanes, terms, merge);
    } else if constexpr (loads_halves<Terms>) {
      i = merge_halves<Bytes>(first, last, lanes, terms, merge);
      for (; i + sum_lanes <= last; i += sum_lanes)
        for (std::size_t l = 0; l < sum_lanes; ++l) merge_term(lanes, l, terms[i + l], merge);
    } else {
      i = merge_vectors<Bytes>(first, last, lanes, terms, merge);
    }
  } else
#endif
    i = merge_steps(first, last, lanes, terms, merge);
  for (std::size_t l = 0; i < last; ++i, ++l) merge_term(lanes, l, terms[i], merge);
  if constexpr (K == 1) {
    return merged_lanes(lanes[0], merge);
  } else {
    several_sums<A, K> sums{};
    for (std::size_t k = 0; k < K; ++k) sums.of[k] = merged_lanes(lanes[k], merge);
    return sums;
  }
}

/// Sum of `count` terms, for every 4,096 of them by themselves, then in order. A term passes through at most 64
/// additions in its chain, 2 where chains meet, 4 beyond them, 4 in the fold and one for each block: the error is below
/// (count/4096 + 75) units of roundoff times the sum of magnitudes (Higham 2002, section 4.2).
template <class A, std::size_t Bytes = row_bytes, class Terms>
MEZZO_INLINE constexpr auto sum_of_terms(std::size_t count, const Terms& terms) {
  decltype(merge_terms<Bytes>(count, count, A(0), terms, add_terms{})) sum{};
  for (std::size_t first = 0; first < count; first += sum_block) {
    const auto part =
        merge_terms<Bytes>(first, count - first < sum_block ? count : first + sum_block, A(0), terms, add_terms{});
    if constexpr (sums_of<Terms> == 1)
      sum += part;
    else
      for (std::size_t k = 0; k < sums_of<Terms>; ++k) sum.of[k] += part.of[k];
  }
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
