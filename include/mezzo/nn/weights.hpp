// SPDX-License-Identifier: MIT
//
// The parameters of a network as memory: contiguous, one array for those stored low and one for those stored in
// float32. Gradients, masters and moments take the same two-part shape.
#pragma once

#include <mezzo/nn/sequential.hpp>
#include <mezzo/tensor/tensor.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

template <class Policy, class List>
struct weight_layout;

/// Where each parameter lies: in which array and from which element.
template <class Policy, class... Ps>
struct weight_layout<Policy, parameter_list<Ps...>> {
  static constexpr std::size_t count = sizeof...(Ps);
  static constexpr bool low[count + 1] = {low_precision<parameter_t<Policy, typename Ps::tag>>..., false};
  static constexpr std::size_t size[count + 1] = {Ps::size..., 0};

  static constexpr std::size_t offset(std::size_t parameter) {
    std::size_t sum = 0;
    for (std::size_t p = 0; p < parameter; ++p)
      if (low[p] == low[parameter]) sum += size[p];
    return sum;
  }
  static constexpr std::size_t elements(bool in_low) {
    std::size_t sum = 0;
    for (std::size_t p = 0; p < count; ++p)
      if (low[p] == in_low) sum += size[p];
    return sum;
  }

  /// Writes the start of every parameter, unrounded, to the array it belongs to; a null array is left out.
  static constexpr void start(std::uint64_t seed, float* to_low, float* to_full) {
    std::size_t p = 0;
    ((fill_start<typename Ps::start>(low[p] ? to_low : to_full, offset(p), Ps::size, counter_bits(seed, p)), ++p), ...);
  }

 private:
  template <class Start>
  MEZZO_OUTLINE static constexpr void fill_start(float* to, std::size_t at, std::size_t length, std::uint64_t seed) {
    if (to == nullptr) return;
    for (std::size_t i = 0; i < length; ++i) to[at + i] = Start::value(seed, i);
  }
};

}  // namespace detail

/// One number for each parameter of `Net`, stored as `Policy` says.
template <class Net, autocast_policy Policy>
class weights {
 public:
  using low_type = std::conditional_t<low_precision<typename Policy::low_type>, typename Policy::low_type, float16>;
  using layout = detail::weight_layout<Policy, typename Net::parameters>;
  template <std::size_t I>
  using parameter_at = typename detail::list_element<typename Net::parameters, I>::type;
  template <std::size_t I>
  using value_type = parameter_t<Policy, typename parameter_at<I>::tag>;

  /// All zero.
  constexpr weights() : low_(layout::elements(true)), full_(layout::elements(false)) {}

  [[nodiscard]] constexpr heap_array<low_type>& low() { return low_; }
  [[nodiscard]] constexpr heap_array<float>& full() { return full_; }
  [[nodiscard]] constexpr const heap_array<low_type>& low() const { return low_; }
  [[nodiscard]] constexpr const heap_array<float>& full() const { return full_; }
  [[nodiscard]] static constexpr std::size_t size() { return Net::parameters::elements; }
  [[nodiscard]] constexpr std::size_t bytes() const {
    return low_.size() * sizeof(low_type) + full_.size() * sizeof(float);
  }

  /// Elements of parameter `I`.
  template <std::size_t I>
  [[nodiscard]] constexpr auto get() {
    return view<value_type<I>, typename parameter_at<I>::extents_type>(data<I>(),
                                                                       typename parameter_at<I>::extents_type{});
  }
  template <std::size_t I>
  [[nodiscard]] constexpr auto get() const {
    return view<const value_type<I>, typename parameter_at<I>::extents_type>(data<I>(),
                                                                             typename parameter_at<I>::extents_type{});
  }

 private:
  template <std::size_t I>
  constexpr auto* data() {
    if constexpr (layout::low[I])
      return low_.data() + layout::offset(I);
    else
      return full_.data() + layout::offset(I);
  }
  template <std::size_t I>
  constexpr const auto* data() const {
    if constexpr (layout::low[I])
      return low_.data() + layout::offset(I);
    else
      return full_.data() + layout::offset(I);
  }

  heap_array<low_type> low_;
  heap_array<float> full_;
};

}  // namespace mezzo::inline MEZZO_ABI
