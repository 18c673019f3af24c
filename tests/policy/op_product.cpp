// SPDX-License-Identifier: MIT
#include <mezzo/policy/op_product.hpp>

#include <doctest/doctest.h>

#include "tags.hpp"

namespace {

namespace op = mezzo::op;
using mezzo::op_class;

using products = tags<
    op::matmul, op::mm, op::bmm, op::mv, op::addmm, op::addmv, op::addbmm, op::baddbmm, op::addr, op::outer,
    op::linear, op::einsum, op::chain_matmul, op::linalg_multi_dot, op::linalg_vecdot, op::conv1d, op::conv2d,
    op::conv3d, op::conv_tbc, op::conv_transpose1d, op::conv_transpose2d, op::conv_transpose3d, op::depthwise_conv2d,
    op::deformable_conv2d, op::conv2d_backward_input, op::conv2d_backward_filter, op::lstm_cell, op::gru_cell,
    op::rnn_tanh_cell, op::rnn_relu_cell, op::rnn_layer, op::scaled_dot_product_attention,
    op::flash_attention_backward, op::multi_head_attention, op::grouped_matmul, op::ffn_fused, op::swiglu_fused,
    op::geglu_fused, op::glu, op::lora_add>;
static_assert(products::count == 40 && products::are(op_class::lower));

using between_two = tags<
    op::dot, op::vdot, op::bilinear, op::tensordot>;
static_assert(between_two::count == 4 && between_two::are(op_class::promote));

}  // namespace

TEST_CASE("products go low, but those of two vectors promote") {
  CHECK(products::are(op_class::lower));
  CHECK(between_two::are(op_class::promote));
}
