// SPDX-License-Identifier: MIT
//
// What a product knows of its operands when their types are forgotten, so that it is compiled once: how to fetch runs
// of rows, and where the rows are, if memory holds them as they enter.
#pragma once

#include <mezzo/backend/cpu/tile.hpp>
#include <mezzo/backend/matrix_operand.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Rows of an operand or of its transpose, whichever are the quick ones, as elements of a type that the driver knows.
struct operand_rows {
  const void* operand;
  void (*fetch)(const void* operand, isa level, std::size_t row, std::size_t rows, std::size_t first,
                std::size_t count, void* out, std::size_t stride);
  const void* memory;  // the elements themselves, where memory holds them so
  std::size_t stride;
  bool transposed;
  const unsigned char* source = nullptr;  // where the rows come from, of whatever type, if that is known
  std::size_t row_bytes = 0, element_bytes = 0;

  /// Asks for a part of a row that will be read soon: most are too short for the processor to see it in time.
  void bring(std::size_t row, std::size_t from, std::size_t count) const {
    if (source == nullptr) return;
    const unsigned char* const first = source + row * row_bytes + from * element_bytes;
    for (std::size_t at = 0; at < count * element_bytes; at += 64) prefetch(first + at);
  }
};

template <class Operand, class E>
struct fetch_rows {
  const Operand& operand;
  std::size_t row, rows, first, count;
  E* out;
  std::size_t stride;

  template <isa Isa>
  MEZZO_INLINE void operator()(isa_constant<Isa>) const {
    if constexpr (requires { operand.row_stride; })
      if (static_cast<std::size_t>(operand.row_stride) == count && operand.rows_run() && stride == count)
        return operand.row_run(row, first, rows * count, out);
    for (std::size_t r = 0; r < rows; ++r) operand.row_run(row + r, first, count, out + r * stride);
  }
};

template <class E, class Operand>
operand_rows rows_of(const Operand& operand, bool transposed) {
  operand_rows rows{&operand,
                    [](const void* of, isa level, std::size_t row, std::size_t count_of_rows, std::size_t first,
                       std::size_t count, void* out, std::size_t stride) {
                      call_with(level, fetch_rows<Operand, E>{*static_cast<const Operand*>(of), row, count_of_rows,
                                                              first, count, static_cast<E*>(out), stride});
                    },
                    nullptr, 0, transposed};
  if constexpr (requires { operand.row_stride; }) {
    rows.source = reinterpret_cast<const unsigned char*>(operand.data);
    rows.element_bytes = sizeof(*operand.data);
    rows.row_bytes = static_cast<std::size_t>(operand.row_stride) * sizeof(*operand.data);
  }
  if constexpr (requires { operand.data_as(static_cast<const E*>(nullptr)); })
    if (operand.rows_run()) {
      rows.memory = operand.data_as(static_cast<const E*>(nullptr));
      rows.stride = static_cast<std::size_t>(operand.row_stride);
    }
  return rows;
}

/// Quick rows of an operand or of `turned`, its transpose.
template <class E, class Operand, class Turned>
operand_rows quick_rows_of(const Operand& operand, const Turned& turned) {
  if constexpr (runs_known<Operand>) {
    if constexpr (Operand::rows_run())
      return rows_of<E>(operand, false);
    else
      return rows_of<E>(turned, true);
  } else {
    return operand.rows_run() ? rows_of<E>(operand, false) : rows_of<E>(turned, true);
  }
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
