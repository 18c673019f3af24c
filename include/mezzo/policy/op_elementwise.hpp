// SPDX-License-Identifier: MIT
//
// Tags of the operations that work element by element in the type they are given: arithmetic, which takes the widest
// operand, and smooth functions, which compute in float32 between two roundings.
#pragma once

#include <mezzo/policy/op_class.hpp>

namespace mezzo::inline MEZZO_ABI::op {

// Arithmetic, comparison and assembly: the widest operand decides.
struct addcdiv : promote_op {};
struct addcmul : promote_op {};
struct atan2 : promote_op {};
struct cross : promote_op {};
struct add : promote_op {};
struct sub : promote_op {};
struct mul : promote_op {};
struct div : promote_op {};
struct floor_divide : promote_op {};
struct remainder : promote_op {};
struct fmod : promote_op {};
struct maximum : promote_op {};
struct minimum : promote_op {};
struct where : promote_op {};
struct lerp : promote_op {};
struct cat : promote_op {};
struct stack : promote_op {};
struct bias_add : promote_op {};
struct grid_sampler : promote_op {};
struct index_put : promote_op {};
struct index_copy : promote_op {};
struct scatter_add : promote_op {};
struct scatter : promote_op {};
struct index_add : promote_op {};
struct masked_fill : promote_op {};
struct masked_scatter : promote_op {};
struct add_n : promote_op {};
struct fused_mul_add : promote_op {};
struct axpy : promote_op {};
struct hypot : promote_op {};
struct copysign : promote_op {};
struct eq : promote_op {};
struct ne : promote_op {};
struct lt : promote_op {};
struct le : promote_op {};
struct gt : promote_op {};
struct ge : promote_op {};
struct equal : promote_op {};
struct isclose : promote_op {};
struct xdivy : promote_op {};

// Smooth functions: 16-bit storage in and out, float32 inside.
struct upsample_nearest : accumulate_op {};
struct upsample_linear1d : accumulate_op {};
struct upsample_bilinear2d : accumulate_op {};
struct upsample_trilinear3d : accumulate_op {};
struct upsample_bicubic2d : accumulate_op {};
struct interpolate : accumulate_op {};
struct avg_pool1d : accumulate_op {};
struct avg_pool2d : accumulate_op {};
struct avg_pool3d : accumulate_op {};
struct adaptive_avg_pool2d : accumulate_op {};
struct adaptive_avg_pool3d : accumulate_op {};
struct gelu : accumulate_op {};
struct gelu_tanh : accumulate_op {};
struct silu : accumulate_op {};
struct mish : accumulate_op {};
struct sigmoid : accumulate_op {};
struct tanh : accumulate_op {};
struct erf : accumulate_op {};
struct erfc : accumulate_op {};
struct elu : accumulate_op {};
struct selu : accumulate_op {};
struct celu : accumulate_op {};
struct softsign : accumulate_op {};
struct hardsigmoid : accumulate_op {};
struct hardswish : accumulate_op {};
struct sin : accumulate_op {};
struct cos : accumulate_op {};
struct atan : accumulate_op {};
struct sqrt : accumulate_op {};
struct square : accumulate_op {};
struct rope : accumulate_op {};
struct fake_quantize_per_tensor_affine : accumulate_op {};
struct roi_align : accumulate_op {};
struct embedding_bag : accumulate_op {};
struct prelu : accumulate_op {};

}  // namespace mezzo::inline MEZZO_ABI::op
