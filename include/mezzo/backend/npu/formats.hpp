// SPDX-License-Identifier: MIT
//
// In which layouts tensors lie in global memory. A convolution wants NC1HWC0 and FRACTAL_Z, a product on combined cores
// FRACTAL_NZ; elementwise work and pooling leave the layout as it is. So a tensor is converted only where a kernel
// finds it in no layout that it can read, and once for all that read it after.
#pragma once

#include <mezzo/backend/work.hpp>
#include <mezzo/tensor/tensor.hpp>

#include <cstddef>  // size_t
#include <utility>  // move

namespace mezzo::inline MEZZO_ABI {
namespace npu {

enum class memory_format : unsigned char { row_major = 1, nc1hwc0 = 2, fractal_z = 4, fractal_nz = 8 };

/// What is known of tensors by the kernels that wrote them. Tensors that none wrote are row-major, as programs have
/// them, and are converted for each kernel: the program may write them at any time.
class memory_formats {
 public:
  /// Whether a tensor is at hand in a layout.
  [[nodiscard]] constexpr bool has(const void* data, memory_format f) const {
    const std::size_t i = find(data);
    return i == size_ ? f == memory_format::row_major : (known_[i].at_hand & bit(f)) != 0;
  }
  /// The layout in which it was written.
  [[nodiscard]] constexpr memory_format written_in(const void* data) const {
    const std::size_t i = find(data);
    return i == size_ ? memory_format::row_major : known_[i].written;
  }

  constexpr void write(const void* data, memory_format f) {
    const std::size_t i = find(data);
    if (i == known_.size()) make_room();
    if (i == size_) ++size_;
    known_[i] = {data, f, bit(f)};
  }
  constexpr void convert(const void* data, memory_format f) {
    const std::size_t i = find(data);
    if (i < size_) known_[i].at_hand = static_cast<unsigned char>(known_[i].at_hand | bit(f));
  }
  constexpr void clear() { size_ = 0; }

 private:
  struct entry {
    const void* data = nullptr;
    memory_format written = memory_format::row_major;
    unsigned char at_hand = 0;
  };

  static constexpr unsigned char bit(memory_format f) { return static_cast<unsigned char>(f); }
  [[nodiscard]] constexpr std::size_t find(const void* data) const {
    std::size_t i = 0;
    while (i < size_ && known_[i].data != data) ++i;
    return i;
  }
  constexpr void make_room() {
    heap_array<entry> more(size_ == 0 ? 32 : 2 * size_);
    for (std::size_t i = 0; i < size_; ++i) more[i] = known_[i];
    known_ = std::move(more);
  }

  heap_array<entry> known_;
  std::size_t size_ = 0;
};

namespace detail {

/// The layout that a kernel for any order works in: that of the largest tensor it reads that has one of the chip's.
[[nodiscard]] constexpr memory_format common_format(const memory_formats& formats, const kernel_work& work) {
  memory_format best = memory_format::row_major;
  std::size_t bytes = 0;
  for (const tensor_use& use : work.reads)
    if (use.data != nullptr && use.bytes > bytes && formats.written_in(use.data) != memory_format::row_major) {
      best = formats.written_in(use.data);
      bytes = use.bytes;
    }
  return best;
}

}  // namespace detail
}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
