// SPDX-License-Identifier: MIT
#include <mezzo/policy/ops.hpp>

#include <doctest/doctest.h>

#include "tags.hpp"

namespace {

namespace op = mezzo::op;
using mezzo::op_class;

// One of each family; the lists stand in the tests of the four headers.
static_assert(tags<op::matmul, op::conv2d, op::scaled_dot_product_attention, op::lstm_cell>::are(op_class::lower));
static_assert(tags<op::exp, op::rms_norm, op::softmax, op::sum, op::cross_entropy_loss>::are(op_class::full));
static_assert(tags<op::gelu, op::sigmoid, op::avg_pool2d, op::rope>::are(op_class::accumulate));
static_assert(tags<op::dot, op::add, op::where, op::cat>::are(op_class::promote));
static_assert(tags<op::relu, op::max_pool2d, op::dropout, op::transpose>::are(op_class::neutral));
static_assert(tags<op::isfinite, op::one_hot>::are(op_class::index));
static_assert(tags<op::adam_step, op::grad_accumulate>::are(op_class::state));
static_assert(tags<op::binary_cross_entropy>::are(op_class::unsafe));

}  // namespace

TEST_CASE("one include names the operations of every class") {
  CHECK(op::linear::classification == op_class::lower);
  CHECK(op::log_softmax::classification == op_class::full);
  CHECK(op::silu::classification == op_class::accumulate);
  CHECK(op::mul::classification == op_class::promote);
  CHECK(op::abs::classification == op_class::neutral);
  CHECK(op::isnan::classification == op_class::index);
  CHECK(op::scale_update::classification == op_class::state);
  CHECK(op::binary_cross_entropy::classification == op_class::unsafe);
}
