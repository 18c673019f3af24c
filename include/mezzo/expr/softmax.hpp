// SPDX-License-Identifier: MIT
//
// Softmax along an axis, its logarithm, and cross-entropy with class labels.
#pragma once

#include <mezzo/expr/reduce.hpp>

namespace mezzo::inline MEZZO_ABI {

/// exp(x − max x) / Σ exp(x − max x), or its logarithm, along axis `Axis`.
template <class Tag, int Axis, bool Logarithm>
struct softmax_fn {
  using tag = Tag;
  static constexpr fn_kind kind = fn_kind::gather;
  static constexpr int axis = Axis;
  static constexpr bool logarithm = Logarithm;

  template <class X>
  static constexpr X extents(const X& x) {
    static_cast<void>(detail::axis_index<Axis, X::rank()>());
    return x;
  }
};

/// Mean over the rows of −log softmax(logits)[label]: logits (N, C), labels (N) in [0, C), integers. Its gradient,
/// (softmax(logits) − onehot(label))/N, is written by hand: the derived one would lose the difference to rounding.
struct cross_entropy_fn {
  using tag = op::cross_entropy_loss;
  static constexpr bool integer_operands = true;
  static constexpr fn_kind kind = fn_kind::gather;

  template <class X, class Labels>
  static constexpr shape<> extents(const X& logits, const Labels& labels) {
    static_assert(X::rank() == 2 && Labels::rank() == 1,
                  "mezzo::cross_entropy: logits must have two axes (batch, classes) and labels one (batch); given "
                  "another number of "
                  "axes; reshape an operand");
    if constexpr (X::rank() == 2 && Labels::rank() == 1)
      if (logits.extent(0) != labels.extent(0))
        fail(sentence("mezzo::cross_entropy: there must be one label for each row of logits; given ")
             << labels.extent(0) << " labels and " << logits.extent(0) << " rows; check the batch");
    return {};
  }
};

/// Softmax along axis `Axis`, negative from the end.
template <int Axis = -1, class X>
  requires operands<X>
[[nodiscard]] constexpr auto softmax(X&& x) {
  return make_node<softmax_fn<op::softmax, Axis, false>>(std::forward<X>(x));
}

/// Logarithm of softmax, without leaving the logarithm.
template <int Axis = -1, class X>
  requires operands<X>
[[nodiscard]] constexpr auto log_softmax(X&& x) {
  return make_node<softmax_fn<op::log_softmax, Axis, true>>(std::forward<X>(x));
}

namespace detail {

template <class T>
concept integer_labels = std::is_integral_v<typename std::remove_cvref_t<T>::value_type> || unsatisfied<
    "mezzo::cross_entropy: labels must be integers, one class for each row; given another element type; store labels "
    "as "
    "std::int32_t",
    T>();

}  // namespace detail

/// Mean cross-entropy of integer labels under the softmax of `logits`; a float32 number at every level.
/// Error: a label outside [0, classes) fails when the expression is stored.
template <class X, class Labels>
  requires operands<X, Labels> && detail::integer_labels<Labels>
[[nodiscard]] constexpr auto cross_entropy(X&& logits, Labels&& labels) {
  return make_node<cross_entropy_fn>(std::forward<X>(logits), std::forward<Labels>(labels));
}

}  // namespace mezzo::inline MEZZO_ABI
