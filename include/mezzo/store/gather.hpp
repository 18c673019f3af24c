// SPDX-License-Identifier: MIT
//
// Which kernel computes a gathering operation, forward and backward, given its operands as memory and sinks for its
// results. Elementwise work before and after is none of its business: it arrives in the operands and leaves in the
// sinks.
#pragma once

#include <mezzo/backend/launch_group.hpp>
#include <mezzo/backend/pool_loop.hpp>
#include <mezzo/backend/softmax_loop.hpp>
#include <mezzo/expr/pool.hpp>
#include <mezzo/expr/product.hpp>
#include <mezzo/expr/softmax.hpp>
#include <mezzo/store/hold.hpp>

namespace mezzo::inline MEZZO_ABI {

/// `forward<Precision>(backend, sink, operands...)` and `backward<Precision, I>(backend, g, result, sink, operands...)`
/// of the function `Fn`; both return what the sinks learned. `reads_operand<I>` and `reads_result` say what the
/// backward pass needs.
template <class Fn>
struct gather;

namespace detail {

/// Matrix number `i` of those that are stacked along the leading axes.
template <class Precision, class View>
constexpr auto stacked_matrix(const View& v, std::size_t i) {
  constexpr std::size_t rank = View::rank();
  std::ptrdiff_t offset = 0;
  for (std::size_t r = rank - 2; r-- > 0; i /= v.extent(r))
    offset += static_cast<std::ptrdiff_t>(i % v.extent(r)) * v.stride(r);
  return matrix_operand<read_types<Precision, typename View::value_type>, typename View::value_type>{
      v.data() + offset, v.stride(rank - 2), v.stride(rank - 1)};
}
template <class Precision, class T>
constexpr auto as_matrix(const T* data, std::size_t columns) {
  return matrix_operand<read_types<Precision, T>, T>{data, static_cast<std::ptrdiff_t>(columns), 1};
}

}  // namespace detail

namespace detail {

/// One product of `m` rows, `k` terms and `n` columns.
struct product_pass {
  std::size_t m, k, n;

  template <class Backend, class Sink, class A, class B>
  constexpr tally forward(Backend& backend, const Sink& sink, const A& a, const B& b) const {
    return backend.multiply(a, b, product_shape{m, n, k}, matrix_sink<Sink>{sink, n});
  }
  /// dA = G·Bᵀ and dB = Aᵀ·G, or their transposes where the operand was read transposed (`Flip`): each is written
  /// row-major in the operand's own memory.
  template <std::size_t I, bool Flip, class Backend, class Sink, class G, class A, class B>
  constexpr tally backward(Backend& backend, const Sink& sink, const G& g, const A& a, const B& b) const {
    if constexpr (I == 0 && !Flip)
      return backend.multiply(g, transposed(b), product_shape{m, k, n}, matrix_sink<Sink>{sink, k});
    else if constexpr (I == 0)
      return backend.multiply(b, transposed(g), product_shape{k, m, n}, matrix_sink<Sink>{sink, m});
    else if constexpr (!Flip)
      return backend.multiply(transposed(a), g, product_shape{k, n, m}, matrix_sink<Sink>{sink, n});
    else
      return backend.multiply(transposed(g), a, product_shape{n, k, m}, matrix_sink<Sink>{sink, k});
  }
};

}  // namespace detail

template <class Tag, bool Accumulator>
struct gather<product_fn<Tag, Accumulator>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = true;  ///< operands may be column-major

  template <class Precision, class Backend, class Sink, class A, class B>
  static constexpr tally forward(Backend& backend, const Sink& sink, const A& a, const B& b) {
    const auto pass = pass_of(a, b);
    return for_each_matrix<A>(backend, a, sink, pass.m * pass.n, [&](std::size_t i, const auto& to) {
      return pass.forward(backend, to, detail::stacked_matrix<Precision>(a, i),
                          detail::stacked_matrix<Precision>(b, i));
    });
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class A, class B>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const A& a, const B& b) {
    const auto pass = pass_of(a, b);
    const std::size_t elements = pass.k * (I == 0 ? pass.m : pass.n);
    return for_each_matrix<A>(backend, a, sink, elements, [&](std::size_t i, const auto& to) {
      const auto gradient = detail::as_matrix<Precision>(g + i * pass.m * pass.n, pass.n);
      return pass.template backward<I, Flip>(backend, to, gradient, detail::stacked_matrix<Precision>(a, i),
                                             detail::stacked_matrix<Precision>(b, i));
    });
  }

 private:
  template <class A, class B>
  static constexpr detail::product_pass pass_of(const A& a, const B& b) {
    constexpr std::size_t rank = A::rank();
    return {a.extent(rank - 2), a.extent(rank - 1), b.extent(rank - 1)};
  }
  /// Calls `f(i, sink)` for each of the stacked matrices, whose results have `elements` each.
  template <class A, class Backend, class Sink, class F>
  static constexpr tally for_each_matrix(Backend& backend, const A& a, const Sink& sink, std::size_t elements,
                                         const F& f) {
    if constexpr (A::rank() == 2) {
      static_cast<void>(backend);
      return f(std::size_t{0}, sink);
    } else {
      std::size_t matrices = 1;
      for (std::size_t r = 0; r + 2 < A::rank(); ++r) matrices *= a.extent(r);
      const launch_group<Backend> group(backend);
      tally sum;
      for (std::size_t i = 0; i < matrices; ++i) sum += f(i, detail::sink_from(sink, i * elements));
      return sum;
    }
  }
};

template <class Tag, bool Accumulator>
struct gather<rows_product_fn<Tag, Accumulator>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = I == 1;  ///< rows of all matrices must follow one another

  template <class Precision, class Backend, class Sink, class A, class B>
  static constexpr tally forward(Backend& backend, const Sink& sink, const A& a, const B& b) {
    const auto pass = pass_of(a, b);
    return pass.forward(backend, sink, detail::as_matrix<Precision>(a.data(), pass.k),
                        detail::stacked_matrix<Precision>(b, 0));
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class A, class B>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const A& a, const B& b) {
    const auto pass = pass_of(a, b);
    return pass.template backward<I, Flip>(backend, sink, detail::as_matrix<Precision>(g, pass.n),
                                           detail::as_matrix<Precision>(a.data(), pass.k),
                                           detail::stacked_matrix<Precision>(b, 0));
  }

 private:
  template <class A, class B>
  static constexpr detail::product_pass pass_of(const A& a, const B& b) {
    constexpr std::size_t rank = A::rank();
    std::size_t rows = 1;
    for (std::size_t r = 0; r + 1 < rank; ++r) rows *= a.extent(r);
    return {rows, a.extent(rank - 1), b.extent(1)};
  }
};

template <std::size_t Window, std::size_t Step>
struct gather<max_pool_fn<Window, Step>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;

  template <class X>
  static constexpr pool_shape shape_of(const X& x) {
    const auto y = max_pool_fn<Window, Step>::extents(x.extents());
    return {x.extent(0) * x.extent(1), x.extent(2), x.extent(3), y.extent(2), y.extent(3)};
  }

  template <class Precision, class Backend, class Sink, class X>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x) {
    return backend.run(max_pool_kernel<Window, Step, detail::read_types<Precision, typename X::value_type>,
                                       typename X::value_type, Sink>{x.data(), shape_of(x), sink});
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class X>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const X& x) {
    return backend.run(max_pool_gradient_kernel<Window, Step, detail::read_types<Precision, typename X::value_type>,
                                                typename X::value_type, G, Sink>{x.data(), g, shape_of(x), sink});
  }
};

template <class Tag, int Axis, bool Mean>
struct gather<reduce_fn<Tag, Axis, Mean>> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = false;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;

  template <class A>
  static constexpr A factor(const detail::axis_split& axes) {
    return Mean && axes.length != 0 ? A(1) / static_cast<A>(axes.length) : A(1);
  }

  template <class Precision, class Backend, class Sink, class X>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x) {
    using A = typename Precision::compute;
    const detail::axis_split axes = detail::split_at<Axis>(x.extents());
    const loop_shape loop{3, {axes.outer, axes.length, axes.inner}};
    const bool reduced[max_rank] = {false, true, false};
    return backend.run(
        reduce_kernel<detail::read_types<Precision, typename X::value_type>, typename X::value_type, Sink>(
            x.data(), loop, reduced, factor<A>(axes), sink));
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class X>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const X& x) {
    using A = typename Precision::compute;
    const detail::axis_split axes = detail::split_at<Axis>(x.extents());
    return backend.run(repeat_kernel<G, A, Sink>{g, axes, factor<A>(axes), sink});
  }
};

template <class Tag, int Axis, bool Logarithm>
struct gather<softmax_fn<Tag, Axis, Logarithm>> {
  static constexpr bool reads_result = true;
  template <std::size_t I>
  static constexpr bool reads_operands = false;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;

  template <class Precision, class Backend, class Sink, class X>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& x) {
    return backend.run(
        softmax_kernel<detail::read_types<Precision, typename X::value_type>, Logarithm, typename X::value_type, Sink>{
            x.data(), detail::split_at<Axis>(x.extents()), sink});
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class X>
  static constexpr tally backward(Backend& backend, const G* g, const Y* y, const Sink& sink, const X& x) {
    return backend.run(softmax_gradient_kernel<detail::read_types<Precision, Y>, Logarithm, Y, G, Sink>{
        y, g, detail::split_at<Axis>(x.extents()), sink});
  }
};

namespace detail {

template <class Labels>
MEZZO_OUTLINE constexpr void check_labels(const Labels& labels, std::size_t classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels.data()[i] < 0 || static_cast<std::size_t>(labels.data()[i]) >= classes)
      fail(sentence("mezzo::cross_entropy: labels must lie in [0, classes); given ")
           << static_cast<long long>(labels.data()[i]) << " in row " << i << " for " << classes
           << " classes; check the data");
}

}  // namespace detail

template <>
struct gather<cross_entropy_fn> {
  static constexpr bool reads_result = false;
  template <std::size_t I>
  static constexpr bool reads_operands = true;
  template <std::size_t I>
  static constexpr bool reads_transposed = false;

  /// Mean of the rows' losses and, unless `sink` has no data, the gradient of `scale` times it.
  template <class Precision, class Backend, class Sink, class X, class Labels>
  MEZZO_OUTLINE static constexpr typename Precision::compute evaluate(Backend& backend,
                                                                      typename Precision::compute scale,
                                                                      const Sink& sink, tally& sum, const X& logits,
                                                                      const Labels& labels) {
    using A = typename Precision::compute;
    const std::size_t rows = logits.extent(0);
    detail::check_labels(labels, logits.extent(1));
    const buffer<A> losses(backend.memory, rows);
    sum += backend.run(cross_entropy_kernel<detail::read_types<Precision, typename X::value_type>,
                                            typename X::value_type, typename Labels::value_type, Sink>{
        logits.data(), labels.data(), rows, logits.extent(1), losses.data(), scale / static_cast<A>(rows), sink});
    return detail::ordered_sum<A>(rows, [&](std::size_t i) { return losses.data()[i]; }) / static_cast<A>(rows);
  }

  template <class Precision, class Backend, class Sink, class X, class Labels>
  static constexpr tally forward(Backend& backend, const Sink& sink, const X& logits, const Labels& labels) {
    tally sum;
    const auto loss = evaluate<Precision>(backend, 1, store_sink<typename X::value_type>{}, sum, logits, labels);
    sink(0, 1, &loss, sum);
    return sum;
  }
  template <class Precision, std::size_t I, bool Flip, class Backend, class G, class Y, class Sink, class X,
            class Labels>
  static constexpr tally backward(Backend& backend, const G* g, const Y*, const Sink& sink, const X& logits,
                                  const Labels& labels) {
    tally sum;
    static_cast<void>(
        evaluate<Precision>(backend, convert<typename Precision::compute>(*g), sink, sum, logits, labels));
    return sum;
  }
};

}  // namespace mezzo::inline MEZZO_ABI
