// SPDX-License-Identifier: MIT
#include <mezzo/store/gather.hpp>

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

using in_float = precision<as_given, float, float>;
template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

// What a backward pass needs of its forward pass.
static_assert(gather<matmul_fn>::reads_operands<0> && !gather<matmul_fn>::reads_result);
static_assert(!gather<reduce_fn<op::sum, 0, false>>::reads_operands<0> &&
              !gather<reduce_fn<op::sum, 0, false>>::reads_result);
static_assert(gather<softmax_fn<op::softmax, -1, false>>::reads_result &&
              !gather<softmax_fn<op::softmax, -1, false>>::reads_operands<0>);

}  // namespace

TEST_CASE("the gradients of a product are written in the order of their operand's memory") {
  const floats<2, 3> a{1, 2, 3, 4, 5, 6};
  const floats<3, 2> b{1, 0, 0, 1, 1, 1};
  const float g[] = {1, 10, 100, 1000};
  reference on;
  floats<2, 3> da;
  floats<3, 2> da_flipped;
  using product = gather<matmul_fn>;
  const no_sink* const unread = nullptr;
  product::backward<in_float, 0, false>(on, g, unread, store_sink<float>{da.data()}, a.as_view(), b.as_view());
  product::backward<in_float, 0, true>(on, g, unread, store_sink<float>{da_flipped.data()}, a.as_view(), b.as_view());
  const floats<2, 3> right{1, 10, 11, 100, 1000, 1100};
  floats<3, 2> db;
  floats<2, 3> db_flipped;
  product::backward<in_float, 1, false>(on, g, unread, store_sink<float>{db.data()}, a.as_view(), b.as_view());
  product::backward<in_float, 1, true>(on, g, unread, store_sink<float>{db_flipped.data()}, a.as_view(), b.as_view());
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(da(i, j) == right(i, j));
      CHECK(da_flipped(j, i) == right(i, j));
      CHECK(db(j, i) == a(0, j) * g[i] + a(1, j) * g[2 + i]);
      CHECK(db_flipped(i, j) == db(j, i));
    }
}

TEST_CASE("the loss scale rides in the incoming gradient of a loss") {
  const floats<2, 2> logits;
  const tensor<int, shape<2>> labels{0, 1};
  const float scale = 65536;
  floats<2, 2> d;
  reference on;
  tally sum;
  using loss = gather<cross_entropy_fn>;
  sum += loss::backward<in_float, 0, false>(on, &scale, static_cast<const no_sink*>(nullptr),
                                         store_sink<float>{d.data(), inspection::finite_and_norm}, logits.as_view(),
                                         labels.as_view());
  CHECK(d(0, 0) == -16384);
  CHECK(d(0, 1) == 16384);
  CHECK(sum.squares == 4 * 16384.0 * 16384.0);
}
