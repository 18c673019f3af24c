// SPDX-License-Identifier: MIT
//
// What runs kernels. A kernel is a number of independent tasks over memory; a backend decides where, in what order and
// with which instructions they run, and it multiplies matrices its own way. A program may bring its own: any type that
// satisfies the concept.
#pragma once

#include <mezzo/backend/matrix_operand.hpp>
#include <mezzo/backend/sinks.hpp>
#include <mezzo/backend/workspace.hpp>

#include <concepts>  // same_as, convertible_to

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// The smallest kernel, matrix and sink, for the concept to try.
struct no_kernel {
  using scratch = char;
  static constexpr bool inspects = false;
  [[nodiscard]] constexpr std::size_t tasks() const { return 0; }
  [[nodiscard]] constexpr std::size_t scratch_size() const { return 0; }
  constexpr void operator()(std::size_t, scratch*, tally&) const {}
};
using some_matrix = matrix_operand<precision<as_given, float, float>, float>;
using some_sink = matrix_sink<store_sink<float>>;

}  // namespace detail

/// Sizes of a product: (m, k) times (k, n).
struct product_shape {
  std::size_t m, n, k;
};

/// A backend `B`:
/// - `b.memory`, a workspace;
/// - `b.run(kernel)` runs `kernel(task, scratch, tally)` for every task and returns the tallies' sum, added in the
///   order of tasks; each concurrent caller gets `scratch_size()` elements of its own. The tally may be of a type
///   derived from `tally`, which says how results end; `kernel.work()` says what the kernel does, for a plan or count;
/// - `b.multiply(a, b, shape, sink)` sums a_ik·b_kj over k in the operands' compute type and gives `sink.tile_row(i, j,
///   count, values, tally)` every element once; returns the tallies' sum;
/// - `B::supports<Tag, T>` says at compile time whether operation `Tag` may take values of type `T`;
/// - `b.native<T>()` says at run time whether this machine computes products of `T` without widening.
template <class B>
concept backend = requires(B& b, const B& c, detail::no_kernel kernel, detail::some_matrix matrix,
                           detail::some_sink sink) {
  { b.memory } -> std::same_as<workspace&>;
  { b.run(kernel) } -> std::same_as<tally>;
  { b.multiply(matrix, matrix, product_shape{}, sink) } -> std::same_as<tally>;
  { B::template supports<op::matmul, float> } -> std::convertible_to<bool>;
  { c.template native<float>() } -> std::same_as<bool>;
  { B::name } -> std::convertible_to<const char*>;
};

}  // namespace mezzo::inline MEZZO_ABI
