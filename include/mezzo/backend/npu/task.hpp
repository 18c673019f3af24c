// SPDX-License-Identifier: MIT
//
// What a kernel has to do, as sizes alone: a matrix product with what rides on its way out, or work on vectors.
#pragma once

#include <mezzo/backend/npu/chip.hpp>

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Vector instructions by their cost: additions, products, comparisons, selections, casts and moves; exponentials and
/// logarithms; quotients and square roots; sums and largest elements of a repeat.
enum class vector_op : unsigned char { simple, exponential, quotient, reduction };
inline constexpr std::size_t vector_op_count = 4;

/// How many instructions of a kind each element takes; a multiset, so there is no longest one.
struct vector_work {
  std::size_t count[vector_op_count][element_count]{};

  constexpr vector_work& add(vector_op op, element type, std::size_t times = 1) {
    count[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)] += times;
    return *this;
  }
  [[nodiscard]] constexpr bool empty() const {
    std::size_t sum = 0;
    for (const auto& of_op : count)
      for (const std::size_t n : of_op) sum += n;
    return sum == 0;
  }
};

/// `batch` products (m, k) times (k, n). A transposed operand lies in memory as rows of the other extent.
struct product_task {
  std::size_t m, n, k;
  element in = element::float16;   // of both operands
  element out = element::float16;  // of the result, which is summed in float32, or in int32 for int8
  std::size_t batch = 1;
  bool left_transposed = false, right_transposed = false;
  /// What FixPipe does on split cores, and the vector unit on combined ones, before the result is rounded.
  bool bias = false, relu = false, scale = false;
  /// Vector work on each element of the result in the same kernel, and bytes it reads for each.
  vector_work tail{};
  std::size_t tail_bytes_in = 0;
  /// Each operand is the sum of `parts` matrices, of whose products `terms` are added: 2 and 3 give a float32 product
  /// from float16 ones (SGEMM).
  std::size_t parts = 1, terms = 1;
  /// The left operand is an image whose elements stand for so many terms each: MTE1 repeats them on the way to L0.
  std::size_t taps = 1;
  /// Terms that a program asked for, if some of the k are padding of channels.
  std::size_t asked_k = 0;

  [[nodiscard]] constexpr std::size_t rides() const {
    return static_cast<std::size_t>(bias) + static_cast<std::size_t>(relu) + static_cast<std::size_t>(scale);
  }
  /// What a program wants: padding, parts and repeated terms are not in it.
  [[nodiscard]] constexpr double flops() const {
    const std::size_t terms_asked = asked_k == 0 ? k : asked_k;
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(terms_asked);
  }
};

/// Work on `elements` elements of rows in memory.
struct vector_task {
  std::size_t elements;
  element type;  // the widest of the operands in memory
  vector_work work{};
  std::size_t bytes_in = 0, bytes_out = 0;  // altogether
  /// Bytes of UB that an element needs beside its operands and results.
  std::size_t scratch_bytes = 0;
  /// Operands are not in L2, such as states of an optimizer that nothing touched since the last step; otherwise what
  /// fits there is.
  bool cold = false;
  /// Operands and results, single numbers among them; 0 for as many of `type` as the bytes make.
  std::size_t operands = 0;
  /// Bytes of an element of the widest one, where that is more than those of `type`.
  std::size_t widest_bytes = 0;
  /// All elements become one: each core adds its part to it in memory, which takes no instruction but the store, and no
  /// time that shows (profiles: as long as a kernel that clears as little on as many cores).
  bool whole_reduction = false;
  /// The code is in no cache: the kernel did not run a short while ago.
  bool cold_code = false;
  /// Bytes that the kernels before left in L2 to be written back (see left_in_l2), or as many as this one leaves.
  static constexpr std::size_t as_many = static_cast<std::size_t>(-1);
  std::size_t owed_bytes = as_many;

  [[nodiscard]] constexpr std::size_t operand_count() const {
    if (operands != 0 || elements == 0) return operands;
    const std::size_t one = elements * bytes_of(type);
    return (bytes_in + one - 1) / one + (bytes_out + one - 1) / one;
  }
};

/// Ways to compute the same. Without fusion each operation on the result is a kernel of its own; without double
/// buffering a transfer waits for whoever uses its buffer; without tiling a product goes by the smallest tile, 16 by 16
/// by C0, of which nothing is used again.
struct options {
  bool fusion = true, double_buffering = true, tiling = true;

  constexpr bool operator==(const options&) const = default;
};

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
