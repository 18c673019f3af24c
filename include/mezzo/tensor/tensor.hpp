// SPDX-License-Identifier: MIT
//
// The owner of elements: row-major, aligned to a cache line, never reallocated behind a view. Works in constant
// evaluation. A tensor gives a view only while it has a name, so no expression can outlive its operands by accident.
#pragma once

#include <mezzo/tensor/view.hpp>

#include <cstddef>           // size_t
#include <initializer_list>  // initializer_list
#include <new>               // align_val_t
#include <type_traits>       // is_constant_evaluated
#include <utility>           // exchange, swap

namespace mezzo::inline MEZZO_ABI {

/// A fixed number of elements on the heap, value-initialised, aligned to 64 bytes; moves, and copies element by
/// element.
template <class T>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>)
class heap_array {
 public:
  static constexpr std::size_t alignment = 64;

  constexpr heap_array() = default;
  MEZZO_OUTLINE constexpr explicit heap_array(std::size_t size)
      : data_(size == 0 ? nullptr : allocate(size)), size_(size) {
    if (!std::is_constant_evaluated())
      for (std::size_t i = 0; i < size; ++i) data_[i] = T{};
  }
  MEZZO_OUTLINE constexpr heap_array(const heap_array& other) : heap_array(other.size_) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
  }
  constexpr heap_array(heap_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  constexpr heap_array& operator=(heap_array other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  constexpr ~heap_array() {
    if (data_ != nullptr) release(data_);
  }

  [[nodiscard]] constexpr T* data() { return data_; }
  [[nodiscard]] constexpr const T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr T* begin() { return data_; }
  [[nodiscard]] constexpr T* end() { return data_ + size_; }
  [[nodiscard]] constexpr const T* begin() const { return data_; }
  [[nodiscard]] constexpr const T* end() const { return data_ + size_; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr T* allocate(std::size_t size) {
    if (std::is_constant_evaluated()) return new T[size]{};
    if (size > static_cast<std::size_t>(-1) / sizeof(T))
      fail("mezzo::heap_array: the size in bytes must fit std::size_t");
    return static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{alignment}));
  }
  MEZZO_OUTLINE static constexpr void release(T* data) {
    if (std::is_constant_evaluated())
      delete[] data;
    else
      ::operator delete(data, std::align_val_t{alignment});
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A row-major array of `Extents` that owns its elements.
template <class T, class Extents>
class tensor {
 public:
  using element_type = T;
  using value_type = T;
  using extents_type = Extents;
  using view_type = view<T, Extents>;
  using const_view_type = view<const T, Extents>;

  constexpr tensor() : tensor(Extents{}) {}
  /// All elements zero. Error: the number of elements does not fit std::size_t.
  constexpr explicit tensor(const Extents& sizes) : extents_(sizes), elements_(element_count(sizes)) {}
  /// All elements `value`.
  constexpr tensor(const Extents& sizes, T value) : tensor(sizes) { fill(value); }
  /// Elements in row-major order. Error: their number is not the size.
  constexpr tensor(const Extents& sizes, std::initializer_list<T> values) : tensor(sizes) { assign(values); }
  constexpr tensor(std::initializer_list<T> values)
    requires(Extents::rank_dynamic() == 0)
      : tensor(Extents{}, values) {}

  constexpr void fill(T value) {
    for (T& element : elements_) element = value;
  }

  [[nodiscard]] static constexpr std::size_t rank() { return Extents::rank(); }
  [[nodiscard]] constexpr const Extents& extents() const { return extents_; }
  [[nodiscard]] constexpr std::size_t extent(std::size_t r) const { return extents_.extent(r); }
  [[nodiscard]] constexpr std::size_t size() const { return elements_.size(); }
  [[nodiscard]] constexpr T* data() { return elements_.data(); }
  [[nodiscard]] constexpr const T* data() const { return elements_.data(); }
  [[nodiscard]] constexpr T* begin() { return elements_.begin(); }
  [[nodiscard]] constexpr T* end() { return elements_.end(); }
  [[nodiscard]] constexpr const T* begin() const { return elements_.begin(); }
  [[nodiscard]] constexpr const T* end() const { return elements_.end(); }

  [[nodiscard]] constexpr view_type as_view() & { return {data(), extents_}; }
  [[nodiscard]] constexpr const_view_type as_view() const& { return {data(), extents_}; }
  const_view_type as_view() const&& = delete;

  template <class... Indices>
  [[nodiscard]] constexpr T& operator()(Indices... indices) {
    return as_view()(indices...);
  }
  template <class... Indices>
  [[nodiscard]] constexpr const T& operator()(Indices... indices) const {
    return as_view()(indices...);
  }

 private:
  static constexpr std::size_t element_count(const Extents& sizes) {
    std::size_t product = 1;
    for (std::size_t r = 0; r < rank(); ++r) {
      const auto size = static_cast<std::size_t>(sizes.extent(r));
      if (size != 0 && product > static_cast<std::size_t>(-1) / size)
        fail(sentence("mezzo::tensor: the number of elements must fit std::size_t; given ")
             << product << " times " << size << "; check the sizes");
      product *= size;
    }
    return product;
  }
  constexpr void assign(std::initializer_list<T> values) {
    if (values.size() != size())
      fail(sentence("mezzo::tensor: the list must have as many values as the tensor has elements, ")
           << size() << "; given " << values.size() << "; add or remove values");
    T* to = data();
    for (const T& value : values) *to++ = value;
  }

  [[no_unique_address]] Extents extents_;
  heap_array<T> elements_;
};

namespace detail {

template <class T>
inline constexpr bool is_tensor = false;
template <class T, class Extents>
inline constexpr bool is_tensor<tensor<T, Extents>> = true;

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
