// SPDX-License-Identifier: MIT
#include <mezzo/policy/op_elementwise.hpp>

#include <doctest/doctest.h>

#include "tags.hpp"

namespace {

namespace op = mezzo::op;
using mezzo::op_class;

using arithmetic = tags<
    op::addcdiv, op::addcmul, op::atan2, op::cross, op::add, op::sub, op::mul, op::div, op::floor_divide,
    op::remainder, op::fmod, op::maximum, op::minimum, op::where, op::lerp, op::cat, op::stack, op::bias_add,
    op::grid_sampler, op::index_put, op::index_copy, op::scatter_add, op::scatter, op::index_add, op::masked_fill,
    op::masked_scatter, op::add_n, op::fused_mul_add, op::axpy, op::hypot, op::copysign, op::eq, op::ne, op::lt,
    op::le, op::gt, op::ge, op::equal, op::isclose, op::xdivy>;
static_assert(arithmetic::count == 40 && arithmetic::are(op_class::promote));

using smooth = tags<
    op::upsample_nearest, op::upsample_linear1d, op::upsample_bilinear2d, op::upsample_trilinear3d,
    op::upsample_bicubic2d, op::interpolate, op::avg_pool1d, op::avg_pool2d, op::avg_pool3d, op::adaptive_avg_pool2d,
    op::adaptive_avg_pool3d, op::gelu, op::gelu_tanh, op::silu, op::mish, op::sigmoid, op::tanh, op::erf, op::erfc,
    op::elu, op::selu, op::celu, op::softsign, op::hardsigmoid, op::hardswish, op::sin, op::cos, op::atan, op::sqrt,
    op::square, op::rope, op::fake_quantize_per_tensor_affine, op::roi_align, op::embedding_bag, op::prelu>;
static_assert(smooth::count == 35 && smooth::are(op_class::accumulate));

}  // namespace

TEST_CASE("arithmetic promotes, smooth functions accumulate") {
  CHECK(arithmetic::are(op_class::promote));
  CHECK(smooth::are(op_class::accumulate));
}
