// SPDX-License-Identifier: MIT
#include <mezzo/policy/op_neutral.hpp>

#include <doctest/doctest.h>

#include "tags.hpp"

namespace {

namespace op = mezzo::op;
using mezzo::op_class;

using moves = tags<
    op::relu, op::relu6, op::leaky_relu, op::threshold, op::hardtanh, op::hardshrink, op::softshrink, op::abs, op::neg,
    op::sign, op::ceil, op::floor, op::round, op::trunc, op::frac, op::clamp, op::nan_to_num, op::max, op::min,
    op::amax, op::amin, op::cummax, op::cummin, op::median, op::sort, op::topk, op::argmax, op::argmin, op::max_pool1d,
    op::max_pool2d, op::max_pool3d, op::adaptive_max_pool2d, op::adaptive_max_pool3d, op::fractional_max_pool2d,
    op::fractional_max_pool3d, op::max_unpool2d, op::max_unpool3d, op::constant_pad, op::reflection_pad1d,
    op::reflection_pad2d, op::replication_pad1d, op::replication_pad2d, op::replication_pad3d, op::circular_pad,
    op::dropout, op::alpha_dropout, op::embedding, op::gather, op::index_select, op::index_fill, op::take, op::slice,
    op::narrow, op::split, op::chunk, op::unbind, op::reshape, op::flatten, op::squeeze, op::unsqueeze, op::transpose,
    op::permute, op::expand, op::repeat, op::flip, op::roll, op::tril, op::triu, op::diag, op::im2col, op::col2im,
    op::pixel_shuffle, op::pixel_unshuffle, op::fill, op::zeros_like, op::ones_like, op::copy, op::detach,
    op::identity, op::cast>;
static_assert(moves::count == 80 && moves::are(op_class::neutral));

using indices = tags<
    op::isfinite, op::isinf, op::isnan, op::logical_and, op::logical_or, op::logical_not, op::bitwise_and,
    op::bitwise_or, op::one_hot, op::arange, op::linspace, op::shape, op::nonzero, op::bincount, op::all_reduce>;
static_assert(indices::count == 15 && indices::are(op_class::index));

using training_state = tags<
    op::sgd_step, op::momentum_step, op::adam_step, op::adamw_step, op::adagrad_step, op::rmsprop_step,
    op::adadelta_step, op::lamb_step, op::lars_step, op::ftrl_step, op::ema_update, op::nonfinite_check_unscale,
    op::scale_update, op::clip_grad_norm, op::clip_grad_value, op::grad_accumulate>;
static_assert(training_state::count == 16 && training_state::are(op_class::state));

}  // namespace

TEST_CASE("selections and moves are neutral, truth values and indices apart, training state apart from both") {
  CHECK(moves::are(op_class::neutral));
  CHECK(indices::are(op_class::index));
  CHECK(training_state::are(op_class::state));
}
