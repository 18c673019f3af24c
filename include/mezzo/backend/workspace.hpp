// SPDX-License-Identifier: MIT
//
// Scratch memory of a backend: it grows while a program warms up, and then serves every later step without touching the
// heap. Buffers are scoped; when the last one ends, several grown pieces become one.
#pragma once

#include <mezzo/tensor/tensor.hpp>

#include <cstddef>      // size_t
#include <new>          // align_val_t
#include <type_traits>  // is_constant_evaluated
#include <utility>      // exchange

namespace mezzo::inline MEZZO_ABI {

/// Memory that buffers are cut from. A copy of a backend starts with an empty workspace of its own.
class workspace {
 public:
  constexpr workspace() = default;
  constexpr workspace(const workspace&) {}
  constexpr workspace& operator=(const workspace&) { return *this; }
  constexpr ~workspace() { release(); }

  /// Bytes held, in use or not.
  [[nodiscard]] constexpr std::size_t capacity() const {
    std::size_t bytes = 0;
    for (const piece* p = last_; p != nullptr; p = p->before) bytes += p->size;
    return bytes;
  }

 private:
  template <class T>
  friend class buffer;

  static constexpr std::size_t line = 64;
  static constexpr std::size_t smallest_piece = 1 << 16;

  /// Head of a piece of memory; the rest of its first line is spare.
  struct piece {
    piece* before;
    std::size_t size;
  };

  MEZZO_OUTLINE std::byte* take(std::size_t bytes) {
    bytes = (bytes + line - 1) / line * line;
    if (live_ == 0 && last_ != nullptr && last_->before != nullptr) {
      const std::size_t total = capacity();
      release();
      grow(total);
    }
    if (last_ == nullptr || used_ + bytes > last_->size) {
      const std::size_t doubled = last_ == nullptr ? smallest_piece : 2 * last_->size;
      grow(bytes + line > doubled ? bytes + line : doubled);
    }
    std::byte* at = reinterpret_cast<std::byte*>(last_) + used_;
    used_ += bytes;
    ++live_;
    return at;
  }
  MEZZO_OUTLINE void give(std::byte* at, std::size_t bytes) {
    bytes = (bytes + line - 1) / line * line;
    if (at + bytes == reinterpret_cast<std::byte*>(last_) + used_) used_ -= bytes;
    if (--live_ == 0) used_ = line;
  }
  void grow(std::size_t size) {
    last_ = new (::operator new(size, std::align_val_t{line})) piece{last_, size};
    used_ = line;
  }
  constexpr void release() {
    while (last_ != nullptr) {
      piece* before = last_->before;
      ::operator delete(last_, std::align_val_t{line});
      last_ = before;
    }
  }

  piece* last_ = nullptr;
  std::size_t used_ = 0;  // of the last piece, its head included
  std::size_t live_ = 0;  // buffers
};

/// `size` elements of scratch, uninitialised at run time, zero in constant evaluation.
template <class T>
class buffer {
 public:
  constexpr buffer() = default;
  MEZZO_OUTLINE constexpr buffer(workspace& memory, std::size_t size) : memory_(&memory), size_(size) {
    if (size == 0) return;
    if (std::is_constant_evaluated())
      data_ = new T[size]{};
    else
      data_ = reinterpret_cast<T*>(memory.take(size * sizeof(T)));
  }
  constexpr buffer(buffer&& other) noexcept
      : memory_(other.memory_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&&) = delete;
  constexpr ~buffer() {
    if (data_ != nullptr) release();
  }

  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }

 private:
  MEZZO_OUTLINE constexpr void release() {
    if (std::is_constant_evaluated())
      delete[] data_;
    else
      memory_->give(reinterpret_cast<std::byte*>(data_), size_ * sizeof(T));
  }

  workspace* memory_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mezzo::inline MEZZO_ABI
