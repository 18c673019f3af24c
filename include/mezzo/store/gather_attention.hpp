// SPDX-License-Identifier: MIT
//
// Attention as products and rows, for a block of queries at a time: the scores of a block stay in the cache, no matrix
// of all queries and keys is ever held, and the backward pass computes the scores again (Rabe & Staats 2021,
// arXiv:2112.05682; Dao et al. 2022, arXiv:2205.14135). The keys' and values' gradients are summed over blocks in the
// compute type.
#pragma once

#include <mezzo/backend/attention_loop.hpp>
#include <mezzo/store/gather_normalize.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Where the rows of all heads lie, one for each sample and time: `width` numbers of a head beside those of the next,
/// from `column` of a row of `stride` on.
struct head_rows {
  std::size_t time, width, stride, column;

  [[nodiscard]] constexpr std::size_t begin(std::size_t sample, std::size_t head, std::size_t first) const {
    return (sample * time + first) * stride + column + head * width;
  }
};

/// The passes of attention over `Heads` heads, wherever queries, keys, values and results lie.
template <std::size_t Heads, class Mask, class Precision>
struct attention_passes {
  using A = typename Precision::compute;

  std::size_t samples;
  head_rows query, key, value, result;
  A scale;

  /// One head of one sample, and queries [first, first + rows) with all keys that one of them sees.
  struct block {
    std::size_t sample, head, first, rows, keys;
  };

  template <class Backend, class Sink, class Q, class K, class V>
  constexpr tally forward(Backend& backend, const Sink& sink, const Q* q, const K* k, const V* v) const {
    const launch_group<Backend> group(backend);
    const buffer<A> scores(backend.memory, block_rows() * key.time);
    tally sum;
    for_each_block([](std::size_t, std::size_t) {},
                   [&](const block& b) {
                     weigh(backend, b, q, k, scores.data());
                     sum += backend.multiply(as_matrix<Precision>(scores.data(), b.keys),
                                             rows_at(v, value, b, 0),
                                             product_shape{b.rows, value.width, b.keys},
                                             sink_at(sink, result, b, b.first));
                   },
                   [](std::size_t, std::size_t) {});
    return sum;
  }

  /// Gradients to the sinks that are none, or have data.
  template <class Backend, class G, class Q, class K, class V, class SinkQ, class SinkK, class SinkV>
  constexpr tally backward(Backend& backend, const G* g, const Q* q, const K* k, const V* v, const SinkQ& to_q,
                           const SinkK& to_k, const SinkV& to_v) const {
    const launch_group<Backend> group(backend);
    const bool scores_wanted = delivers(to_q) || delivers(to_k);
    const buffer<A> weights(backend.memory, block_rows() * key.time);
    const buffer<A> gradients(backend.memory, scores_wanted ? block_rows() * key.time : 0);
    const buffer<A> key_sums(backend.memory, delivers(to_k) ? key.time * key.width : 0);
    const buffer<A> value_sums(backend.memory, delivers(to_v) ? value.time * value.width : 0);
    tally sum;
    for_each_block(
        [&](std::size_t, std::size_t) {
          clear(key_sums);
          clear(value_sums);
        },
        [&](const block& b) {
          weigh(backend, b, q, k, weights.data());
          const auto incoming = rows_at(g, result, b, b.first);
          if (value_sums.size() != 0)
            multiply(backend, transposed(as_matrix<Precision>(weights.data(), b.keys)), incoming,
                     product_shape{b.keys, value.width, b.rows}, add_sink<A>{value_sums.data()});
          if (!scores_wanted) return;
          multiply(backend, incoming, transposed(rows_at(v, value, b, 0)),
                   product_shape{b.rows, b.keys, value.width}, store_sink<A>{gradients.data()});
          static_cast<void>(backend.run(
              attention_scores_gradient_kernel<A>{weights.data(), gradients.data(), b.rows, b.keys, scale}));
          const auto ds = as_matrix<Precision>(gradients.data(), b.keys);
          if constexpr (!std::same_as<SinkQ, no_sink>)
            if (to_q.data != nullptr)
              sum += backend.multiply(ds, rows_at(k, key, b, 0), product_shape{b.rows, query.width, b.keys},
                                      sink_at(to_q, query, b, b.first));
          if (key_sums.size() != 0)
            multiply(backend, transposed(ds), rows_at(q, query, b, b.first),
                     product_shape{b.keys, key.width, b.rows}, add_sink<A>{key_sums.data()});
        },
        [&](std::size_t sample, std::size_t head) {
          sum += deliver(backend, key_sums, key, sample, head, to_k);
          sum += deliver(backend, value_sums, value, sample, head, to_v);
        });
    return sum;
  }

 private:
  /// Queries of a block: blocks of equal size, whose scores fill a part of the second-level cache.
  [[nodiscard]] constexpr std::size_t block_rows() const {
    constexpr std::size_t most_rows = 96, least_rows = 24, scores = 1 << 16;
    std::size_t most = key.time == 0 ? most_rows : scores / key.time;
    most = most < least_rows ? least_rows : most > most_rows ? most_rows : most;
    const std::size_t blocks = (query.time + most - 1) / most;
    return blocks == 0 ? 0 : (query.time + blocks - 1) / blocks;
  }

  template <class Begin, class Step, class End>
  constexpr void for_each_block(const Begin& begin, const Step& step, const End& end) const {
    const std::size_t high = block_rows();
    for (std::size_t sample = 0; sample < samples; ++sample)
      for (std::size_t head = 0; head < Heads; ++head) {
        begin(sample, head);
        for (std::size_t first = 0; first < query.time; first += high) {
          const std::size_t rows = query.time - first < high ? query.time - first : high;
          step(block{sample, head, first, rows, Mask::visible(first + rows - 1, key.time)});
        }
        end(sample, head);
      }
  }

  /// The weights of a block of queries.
  template <class Backend, class Q, class K>
  constexpr void weigh(Backend& backend, const block& b, const Q* q, const K* k, A* scores) const {
    multiply(backend, rows_at(q, query, b, b.first), transposed(rows_at(k, key, b, 0)),
             product_shape{b.rows, b.keys, query.width}, store_sink<A>{scores});
    static_cast<void>(backend.run(attention_weights_kernel<A, Mask>{scores, b.rows, b.first, b.keys, scale}));
  }

  template <class T>
  static constexpr auto rows_at(const T* data, const head_rows& rows, const block& b, std::size_t first) {
    return as_matrix<Precision>(data + rows.begin(b.sample, b.head, first), rows.stride);
  }
  template <class Sink>
  static constexpr auto sink_at(const Sink& sink, const head_rows& rows, const block& b, std::size_t first) {
    const auto from = sink_from(sink, rows.begin(b.sample, b.head, first));
    return matrix_sink<std::remove_const_t<decltype(from)>>{from, rows.stride};
  }
  /// A product into scratch, of which nothing is asked.
  template <class Backend, class Left, class Right, class Sink>
  static constexpr void multiply(Backend& backend, const Left& left, const Right& right, const product_shape& sizes,
                                 const Sink& sink) {
    static_cast<void>(backend.multiply(left, right, sizes, matrix_sink<Sink>{sink, sizes.n}));
  }
  static constexpr void clear(const buffer<A>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] = A(0);
  }
  template <class Backend, class Sink>
  static constexpr tally deliver(Backend& backend, const buffer<A>& sums, const head_rows& rows, std::size_t sample,
                                 std::size_t head, const Sink& to) {
    if constexpr (std::same_as<Sink, no_sink>) {
      return {};
    } else {
      if (sums.size() == 0) return {};
      const auto from = sink_from(to, rows.begin(sample, head, 0));
      return backend.run(deliver_rows_kernel<A, std::remove_const_t<decltype(from)>>{sums.data(), rows.time,
                                                                                      rows.width, rows.stride, from});
    }
  }
};

}  // namespace detail

template <std::size_t Heads, class Mask>
struct gather<attention_fn<Heads, Mask>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;
  static constexpr bool joint = true;

  template <class Precision, class Backend, class Sink, class Q, class K, class V>
  static constexpr tally forward(Backend& backend, const Sink& sink, const Q& q, const K& k, const V& v,
                                 const weak_value& scale) {
    return passes<Precision>(q, k, v, scale).forward(backend, sink, q.data(), k.data(), v.data());
  }
  template <class Precision, class Backend, class G, class Q, class K, class V, class SinkQ, class SinkK, class SinkV>
  static constexpr tally backward_all(Backend& backend, const G* g, const pack<Q, K, V, weak_value>& operands,
                                      const SinkQ& to_q, const SinkK& to_k, const SinkV& to_v, const no_sink&) {
    const Q& q = get<0>(operands);
    const K& k = get<1>(operands);
    const V& v = get<2>(operands);
    return passes<Precision>(q, k, v, get<3>(operands))
        .backward(backend, g, q.data(), k.data(), v.data(), to_q, to_k, to_v);
  }

 private:
  template <class Precision, class Q, class K, class V>
  static constexpr detail::attention_passes<Heads, Mask, Precision> passes(const Q& q, const K& k, const V& v,
                                                                           const weak_value& scale) {
    const std::size_t wide = q.extent(2), value_wide = v.extent(2);
    const detail::head_rows query{q.extent(1), wide / Heads, wide, 0}, key{k.extent(1), wide / Heads, wide, 0};
    const detail::head_rows value{v.extent(1), value_wide / Heads, value_wide, 0};
    const detail::head_rows result{q.extent(1), value_wide / Heads, value_wide, 0};
    return {q.extent(0), query, key, value, result, detail::enter<Precision, false>(scale)};
  }
};

template <std::size_t Heads, class Mask>
struct gather<self_attention_fn<Heads, Mask>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;
  static constexpr bool joint = true;

  template <class Precision, class Backend, class Sink, class X>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x, const weak_value& scale) {
    return passes<Precision>(x, scale).forward(backend, sink, x.data(), x.data(), x.data());
  }
  template <class Precision, class Backend, class G, class X, class Sink>
  static constexpr tally backward_all(Backend& backend, const G* g, const pack<X, weak_value>& operands,
                                      const Sink& to, const no_sink&) {
    const X& x = get<0>(operands);
    return passes<Precision>(x, get<1>(operands)).backward(backend, g, x.data(), x.data(), x.data(), to, to, to);
  }

 private:
  template <class Precision, class X>
  static constexpr detail::attention_passes<Heads, Mask, Precision> passes(const X& x, const weak_value& scale) {
    const std::size_t time = x.extent(1), all = x.extent(2), wide = all / 3, width = wide / Heads;
    return {x.extent(0),
            {time, width, all, 0},
            {time, width, all, wide},
            {time, width, all, 2 * wide},
            {time, width, wide, 0},
            detail::enter<Precision, false>(scale)};
  }
};

}  // namespace mezzo::inline MEZZO_ABI
