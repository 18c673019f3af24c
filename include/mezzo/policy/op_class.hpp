// SPDX-License-Identifier: MIT
//
// What mixed precision needs to know of an operation: its class. A tag is an empty type that derives from its class; it
// says nothing of how the operation is computed.
#pragma once

#include <mezzo/base/config.hpp>

#include <concepts>     // same_as
#include <type_traits>  // is_empty

namespace mezzo::inline MEZZO_ABI {

/// How an operation behaves under a policy (the classes of the mixed-precision lists of PyTorch, Apex and MindSpore).
enum class op_class {
  lower,       ///< operands cast to the low type, float32 accumulation, low result: products
  full,        ///< operands widened, float32 result: sums, norms, softmax, losses, exponentials
  accumulate,  ///< storage type in and out, float32 inside: smooth activations
  promote,     ///< widest operand decides: binary arithmetic
  neutral,     ///< runs in its operand's type: selections, moves
  unsafe,      ///< has no safe low form: a sentence at compile time
  index,       ///< no floating result
  state,       ///< optimizer or scaler: float32 state
};

namespace op {

struct lower_op {
  static constexpr op_class classification = op_class::lower;
};
struct full_op {
  static constexpr op_class classification = op_class::full;
};
/// Full element by element: the level O2, which keeps float32 only where many values meet, stores it low.
struct full_pointwise_op : full_op {};
/// A training loss: float32 at every level.
struct loss_op : full_op {};
/// Statistics that outlive the batch: float32 at every level.
struct statistics_op : full_op {};
struct accumulate_op {
  static constexpr op_class classification = op_class::accumulate;
};
struct promote_op {
  static constexpr op_class classification = op_class::promote;
};
struct neutral_op {
  static constexpr op_class classification = op_class::neutral;
};
struct unsafe_op {
  static constexpr op_class classification = op_class::unsafe;
};
struct index_op {
  static constexpr op_class classification = op_class::index;
};
struct state_op {
  static constexpr op_class classification = op_class::state;
};

}  // namespace op

/// A type that names an operation.
template <class T>
concept op_tag = std::is_empty_v<T> && requires {
  { T::classification } -> std::same_as<const op_class&>;
};

}  // namespace mezzo::inline MEZZO_ABI
