// SPDX-License-Identifier: MIT
//
// What a kernel has to do, for a backend that plans or counts it: vector instructions, and bytes that it moves.
#pragma once

#include <mezzo/base/type_name.hpp>

#include <cstddef>  // size_t

namespace mezzo::inline MEZZO_ABI {

/// Instructions for one element, on 16-bit and 32-bit numbers: plain ones such as add, compare or cast, slow ones such
/// as exp, ln, sqrt and div.
struct instructions {
  std::size_t plain_16 = 0, plain_32 = 0, slow_16 = 0, slow_32 = 0;

  [[nodiscard]] constexpr std::size_t count() const { return plain_16 + plain_32 + slow_16 + slow_32; }
  [[nodiscard]] constexpr instructions operator+(const instructions& other) const {
    return {plain_16 + other.plain_16, plain_32 + other.plain_32, slow_16 + other.slow_16, slow_32 + other.slow_32};
  }
  constexpr instructions& operator+=(const instructions& other) { return *this = *this + other; }
};

/// A tensor that a kernel reads or writes.
struct tensor_use {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// What one kernel does: `each` for every one of `elements`, and sums of `reduced` elements.
struct kernel_work {
  short_name name;
  std::size_t elements = 0;
  instructions each{};
  std::size_t reduced = 0;
  bool any_order = false;  ///< the same whatever the order of elements in memory is
  std::size_t bytes_in = 0, bytes_out = 0;
  tensor_use reads[4]{}, writes[4]{};  ///< the first of them

  /// The same with `count` elements read, or written; none where there is no memory, and once what is named twice.
  template <class T>
  [[nodiscard]] constexpr kernel_work reading(const T* data, std::size_t count) const {
    kernel_work more = *this;
    if (data != nullptr) more.bytes_in += add(more.reads, data, count * sizeof(T));
    return more;
  }
  template <class T>
  [[nodiscard]] constexpr kernel_work writing(const T* data, std::size_t count) const {
    kernel_work more = *this;
    if (data != nullptr) more.bytes_out += add(more.writes, data, count * sizeof(T));
    return more;
  }

 private:
  template <std::size_t N>
  static constexpr std::size_t add(tensor_use (&uses)[N], const void* data, std::size_t bytes) {
    std::size_t i = 0;
    while (i < N && uses[i].data != nullptr && uses[i].data != data) ++i;
    if (i == N) return bytes;
    const std::size_t before = uses[i].bytes;
    if (bytes > before) uses[i] = {data, bytes};
    return bytes > before ? bytes - before : 0;
  }
};

}  // namespace mezzo::inline MEZZO_ABI
