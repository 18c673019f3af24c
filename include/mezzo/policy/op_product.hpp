// SPDX-License-Identifier: MIT
//
// Tags of the operations that carry the arithmetic of a network: products, convolutions, attention, recurrent cells.
// They are the ones that low precision speeds up.
#pragma once

#include <mezzo/policy/op_class.hpp>

namespace mezzo::inline MEZZO_ABI::op {

// Operands cast to the low type, float32 accumulation, low result.
struct matmul : lower_op {};
struct mm : lower_op {};
struct bmm : lower_op {};
struct mv : lower_op {};
struct addmm : lower_op {};
struct addmv : lower_op {};
struct addbmm : lower_op {};
struct baddbmm : lower_op {};
struct addr : lower_op {};
struct outer : lower_op {};
struct linear : lower_op {};
struct einsum : lower_op {};
struct chain_matmul : lower_op {};
struct linalg_multi_dot : lower_op {};
struct linalg_vecdot : lower_op {};
struct conv1d : lower_op {};
struct conv2d : lower_op {};
struct conv3d : lower_op {};
struct conv_tbc : lower_op {};
struct conv_transpose1d : lower_op {};
struct conv_transpose2d : lower_op {};
struct conv_transpose3d : lower_op {};
struct depthwise_conv2d : lower_op {};
struct deformable_conv2d : lower_op {};
struct conv2d_backward_input : lower_op {};
struct conv2d_backward_filter : lower_op {};
struct lstm_cell : lower_op {};
struct gru_cell : lower_op {};
struct rnn_tanh_cell : lower_op {};
struct rnn_relu_cell : lower_op {};
struct rnn_layer : lower_op {};
struct scaled_dot_product_attention : lower_op {};
struct flash_attention_backward : lower_op {};
struct multi_head_attention : lower_op {};
struct grouped_matmul : lower_op {};
struct ffn_fused : lower_op {};
struct swiglu_fused : lower_op {};
struct geglu_fused : lower_op {};
struct glu : lower_op {};
struct lora_add : lower_op {};

// Operands promoted to the widest.
struct dot : promote_op {};
struct vdot : promote_op {};
struct bilinear : promote_op {};
struct tensordot : promote_op {};

}  // namespace mezzo::inline MEZZO_ABI::op
