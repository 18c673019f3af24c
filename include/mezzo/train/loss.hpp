// SPDX-License-Identifier: MIT
//
// Losses as a trainer takes them: the mean over a batch and, in the same pass, its gradient, with the loss scale riding
// in the factor that divides by the batch anyway.
#pragma once

#include <mezzo/store/gather.hpp>

#include <cstdint>  // int32_t

namespace mezzo::inline MEZZO_ABI {

/// Cross-entropy of class labels under the softmax of a network's output, in float32 at every level.
struct cross_entropy_loss {
  using label_type = std::int32_t;

  /// Mean loss of `batch` rows of `classes` logits; the gradient of `scale` times it goes to `g`, unless that is null.
  /// Error: a label outside [0, classes).
  template <autocast_policy Policy, class Backend, class T>
  static constexpr float evaluate(Backend& backend, const T* logits, const label_type* labels, std::size_t batch,
                                  std::size_t classes, float scale, T* g) {
    using types = resolve<Policy, op::cross_entropy_loss, T>;
    using matrix = shape<dynamic_extent, dynamic_extent>;
    const view<const T, matrix> x(logits, matrix(batch, classes));
    const view<const label_type, shape<dynamic_extent>> y(labels, shape<dynamic_extent>(batch));
    tally ignored;
    return gather<cross_entropy_fn>::evaluate<types>(backend, scale, store_sink<T>{g, inspection::nothing}, ignored, x,
                                                     y);
  }

  /// Whether the largest of the logits is at `label`; the first of equals counts.
  template <class T>
  static constexpr bool right(const T* logits, std::size_t classes, label_type label) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < classes; ++c)
      if (convert<float>(logits[c]) > convert<float>(logits[best])) best = c;
    return best == static_cast<std::size_t>(label);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
