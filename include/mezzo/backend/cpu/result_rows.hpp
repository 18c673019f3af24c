// SPDX-License-Identifier: MIT
//
// Where finished rows of a product go, its type forgotten, so that the product is compiled once: to a sink that takes
// them row by row, or into memory where sums need no more done to them.
#pragma once

#include <mezzo/backend/isa.hpp>
#include <mezzo/backend/matrix_operand.hpp>
#include <mezzo/backend/sinks.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Where finished rows of a block go.
template <class A>
struct result_rows {
  const void* sink;
  void (*deliver)(const void* sink, isa level, const A* c, std::size_t stride, std::size_t i, std::size_t rows,
                  std::size_t j, std::size_t columns, tally* sum);
  A* memory;  // the result itself, where it takes sums as they are
  std::size_t stride;
};

/// Whether what is done with a result takes a polynomial.
template <class Sink>
constexpr bool takes_polynomials() {
  if constexpr (requires(const Sink& outer) { outer.sink; })
    return takes_polynomials<decltype(Sink::sink)>();
  else
    return requires { requires Sink::polynomials; };
}

template <class A, class Sink>
struct deliver_rows {
  static constexpr bool worth_wide = takes_polynomials<Sink>();

  const Sink& sink;
  const A* c;
  std::size_t stride, i, rows, j, columns;
  tally* sum;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    for (std::size_t r = 0; r < rows; ++r) sink.tile_row(i + r, j, columns, c + r * stride, *sum);
  }
};

template <class A, class Sink>
result_rows<A> results_of(const Sink& sink) {
  return {&sink,
          [](const void* of, isa level, const A* c, std::size_t stride, std::size_t i, std::size_t rows, std::size_t j,
             std::size_t columns, tally* sum) {
            call_with(level, deliver_rows<A, Sink>{*static_cast<const Sink*>(of), c, stride, i, rows, j, columns, sum});
          },
          nullptr, 0};
}
/// A row-major matrix of sums needs no scratch: rows are only looked at.
template <class A>
result_rows<A> results_of(const matrix_sink<store_sink<A>>& sink) {
  using sink_type = matrix_sink<store_sink<A>>;
  return {&sink,
          [](const void* of, isa, const A* c, std::size_t stride, std::size_t, std::size_t rows, std::size_t,
             std::size_t columns, tally* sum) {
            const inspection what = static_cast<const sink_type*>(of)->sink.what;
            for (std::size_t r = 0; r < rows; ++r) inspect(what, c + r * stride, columns, *sum);
          },
          sink.sink.data, sink.columns};
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
