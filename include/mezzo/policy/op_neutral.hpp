// SPDX-License-Identifier: MIT
//
// Tags of the operations that choose, move or count: no arithmetic that a type could spoil. And of those that own the
// training state, which is float32 whatever the policy.
#pragma once

#include <mezzo/policy/op_class.hpp>

namespace mezzo::inline MEZZO_ABI::op {

// Selections and moves: the operand's own type.
struct relu : neutral_op {};
struct relu6 : neutral_op {};
struct leaky_relu : neutral_op {};
struct threshold : neutral_op {};
struct hardtanh : neutral_op {};
struct hardshrink : neutral_op {};
struct softshrink : neutral_op {};
struct abs : neutral_op {};
struct neg : neutral_op {};
struct sign : neutral_op {};
struct ceil : neutral_op {};
struct floor : neutral_op {};
struct round : neutral_op {};
struct trunc : neutral_op {};
struct frac : neutral_op {};
struct clamp : neutral_op {};
struct nan_to_num : neutral_op {};
struct max : neutral_op {};
struct min : neutral_op {};
struct amax : neutral_op {};
struct amin : neutral_op {};
struct cummax : neutral_op {};
struct cummin : neutral_op {};
struct median : neutral_op {};
struct sort : neutral_op {};
struct topk : neutral_op {};
struct argmax : neutral_op {};
struct argmin : neutral_op {};
struct max_pool1d : neutral_op {};
struct max_pool2d : neutral_op {};
struct max_pool3d : neutral_op {};
struct adaptive_max_pool2d : neutral_op {};
struct adaptive_max_pool3d : neutral_op {};
struct fractional_max_pool2d : neutral_op {};
struct fractional_max_pool3d : neutral_op {};
struct max_unpool2d : neutral_op {};
struct max_unpool3d : neutral_op {};
struct constant_pad : neutral_op {};
struct reflection_pad1d : neutral_op {};
struct reflection_pad2d : neutral_op {};
struct replication_pad1d : neutral_op {};
struct replication_pad2d : neutral_op {};
struct replication_pad3d : neutral_op {};
struct circular_pad : neutral_op {};
struct dropout : neutral_op {};
struct alpha_dropout : neutral_op {};
struct embedding : neutral_op {};
struct gather : neutral_op {};
struct index_select : neutral_op {};
struct index_fill : neutral_op {};
struct take : neutral_op {};
struct slice : neutral_op {};
struct narrow : neutral_op {};
struct split : neutral_op {};
struct chunk : neutral_op {};
struct unbind : neutral_op {};
struct reshape : neutral_op {};
struct flatten : neutral_op {};
struct squeeze : neutral_op {};
struct unsqueeze : neutral_op {};
struct transpose : neutral_op {};
struct permute : neutral_op {};
struct expand : neutral_op {};
struct repeat : neutral_op {};
struct flip : neutral_op {};
struct roll : neutral_op {};
struct tril : neutral_op {};
struct triu : neutral_op {};
struct diag : neutral_op {};
struct im2col : neutral_op {};
struct col2im : neutral_op {};
struct pixel_shuffle : neutral_op {};
struct pixel_unshuffle : neutral_op {};
struct fill : neutral_op {};
struct zeros_like : neutral_op {};
struct ones_like : neutral_op {};
struct copy : neutral_op {};
struct detach : neutral_op {};
struct identity : neutral_op {};
struct cast : neutral_op {};

// Results are indices or truth values.
struct isfinite : index_op {};
struct isinf : index_op {};
struct isnan : index_op {};
struct logical_and : index_op {};
struct logical_or : index_op {};
struct logical_not : index_op {};
struct bitwise_and : index_op {};
struct bitwise_or : index_op {};
struct one_hot : index_op {};
struct arange : index_op {};
struct linspace : index_op {};
struct shape : index_op {};
struct nonzero : index_op {};
struct bincount : index_op {};
struct all_reduce : index_op {};

// Optimizers and scalers: float32 state.
struct sgd_step : state_op {};
struct momentum_step : state_op {};
struct adam_step : state_op {};
struct adamw_step : state_op {};
struct adagrad_step : state_op {};
struct rmsprop_step : state_op {};
struct adadelta_step : state_op {};
struct lamb_step : state_op {};
struct lars_step : state_op {};
struct ftrl_step : state_op {};
struct ema_update : state_op {};
struct nonfinite_check_unscale : state_op {};
struct scale_update : state_op {};
struct clip_grad_norm : state_op {};
struct clip_grad_value : state_op {};
struct grad_accumulate : state_op {};

}  // namespace mezzo::inline MEZZO_ABI::op
