// SPDX-License-Identifier: MIT
//
// Data for training: any type that says how many samples it has and copies chosen ones into a batch.
#pragma once

#include <mezzo/base/contract.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/base/unsatisfied.hpp>
#include <mezzo/number/convert.hpp>
#include <mezzo/tensor/tensor.hpp>

#include <cstdint>  // uint32_t, int32_t

namespace mezzo::inline MEZZO_ABI {

/// A data set `D` for inputs of type `T`: `d.size()`, and `d.fetch(rows, count, x, labels)`, which writes the samples
/// numbered rows[0] … rows[count − 1] one after the other to `x` and their labels to `labels`.
template <class D, class T>
concept dataset = requires(const D& d, const std::uint32_t* rows, T* x, std::int32_t* labels) {
  { d.size() } -> std::convertible_to<std::size_t>;
  d.fetch(rows, std::size_t{1}, x, labels);
} || unsatisfied<"mezzo::dataset: a data set must have, const, size() and fetch(const std::uint32_t* rows, std::size_t "
                 "count, T* x, std::int32_t* labels) for the type T in which the policy stores activations; given a "
                 "type that lacks one or takes other types; write fetch as a template on T",
                 D, T>();

namespace detail {

template <class T>
concept class_label =
    std::is_integral_v<T> || unsatisfied<"mezzo::array_dataset: labels must be integers, one class for each sample; "
                                         "given another element type; store classes as std::int32_t",
                                         T>();

}  // namespace detail

/// Samples and labels in arrays that outlive it: sample i is at features + i·sample_size, times `factor`.
template <class Feature, detail::class_label Label>
struct array_dataset {
  const Feature* features = nullptr;
  const Label* labels = nullptr;
  std::size_t samples = 0;
  std::size_t sample_size = 0;
  float factor = 1.0f;  ///< such as 1/255 for pixels

  [[nodiscard]] constexpr std::size_t size() const { return samples; }

  template <real T>
  MEZZO_OUTLINE constexpr void fetch(const std::uint32_t* rows, std::size_t count, T* x, std::int32_t* y) const {
    for (std::size_t r = 0; r < count; ++r) {
      if (rows[r] >= samples)
        fail(sentence("mezzo::array_dataset: a sample number must be below the number of samples, ")
             << samples << "; given " << rows[r] << "; check the rows");
      const Feature* const from = features + rows[r] * sample_size;
      for (std::size_t i = 0; i < sample_size; ++i)
        x[r * sample_size + i] = convert<T>(static_cast<float>(from[i]) * factor);
      y[r] = static_cast<std::int32_t>(labels[rows[r]]);
    }
  }
};

/// The order of an epoch: 0 … size − 1, shuffled (Fisher & Yates) by `seed`, or as it is.
MEZZO_OUTLINE constexpr void fill_order(heap_array<std::uint32_t>& order, bool shuffle, std::uint64_t seed) {
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  if (!shuffle) return;
  for (std::size_t i = order.size(); i > 1; --i) {
    const std::size_t j = counter_below(seed, i, static_cast<std::uint32_t>(i));
    const std::uint32_t other = order[j];
    order[j] = order[i - 1];
    order[i - 1] = other;
  }
}

}  // namespace mezzo::inline MEZZO_ABI
