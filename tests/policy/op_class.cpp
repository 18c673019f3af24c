// SPDX-License-Identifier: MIT
#include <mezzo/policy/op_class.hpp>

#include <doctest/doctest.h>

namespace {

namespace op = mezzo::op;
using mezzo::op_class;
using mezzo::op_tag;

static_assert(op::lower_op::classification == op_class::lower && op::full_op::classification == op_class::full);
static_assert(op::full_pointwise_op::classification == op_class::full && op::loss_op::classification == op_class::full);
static_assert(op::statistics_op::classification == op_class::full);
static_assert(op::accumulate_op::classification == op_class::accumulate);
static_assert(op::promote_op::classification == op_class::promote);
static_assert(op::neutral_op::classification == op_class::neutral);
static_assert(op::unsafe_op::classification == op_class::unsafe);
static_assert(op::index_op::classification == op_class::index && op::state_op::classification == op_class::state);

// A program's own operation is an empty type with a class; nothing else is a tag.
struct swish : op::accumulate_op {};
struct classified_by_itself {
  static constexpr op_class classification = op_class::promote;
};
struct with_state : op::promote_op {
  int count;
};
struct without_class {};
struct of_another_kind {
  static constexpr int classification = 0;
};
static_assert(op_tag<swish> && op_tag<classified_by_itself>);
static_assert(!op_tag<with_state> && !op_tag<without_class> && !op_tag<of_another_kind> && !op_tag<float>);

}  // namespace

TEST_CASE("a tag has the class that it derives from") {
  CHECK(swish::classification == op_class::accumulate);
  CHECK(classified_by_itself::classification == op_class::promote);
}
