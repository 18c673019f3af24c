// SPDX-License-Identifier: MIT
//
// What a trainer holds under each level, and the loss scale it starts with.
#include <mezzo/train/trainer.hpp>

#include <mezzo/backend/reference/reference.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using net = sequential<input<8>, dense<16>, relu_layer, dense<2>>;
constexpr std::size_t parameters = 8 * 16 + 16 + 16 * 2 + 2;
constexpr std::size_t activations = 8 + 16 + 2;  // of one sample

using O0 = policies::O0<>;
using O1 = policies::O1<float16>;
using O2 = policies::O2<float16>;
using O3 = policies::O3<float16>;

static_assert(std::is_same_v<default_scale<O0>, no_scale> && std::is_same_v<default_scale<O1>, dynamic_scale>);
static_assert(std::is_same_v<default_scale<O2>, dynamic_scale> && std::is_same_v<default_scale<O3>, static_scale>);
static_assert(std::is_same_v<default_scale<policies::O2<bfloat16>>, no_scale>);
static_assert(std::is_same_v<default_scale<policies::O1<bfloat16>>, no_scale>);
static_assert(default_scale<O3>{}.value() == 1);

template <class Policy, class Optimizer>
constexpr auto made() {
  trainer<net, cross_entropy_loss, Optimizer, Policy, reference> t;
  t.network().reserve(4);
  return make_pack(t.weight_bytes(), t.activation_bytes(), t.optimizer_bytes(), t.masters().size());
}
constexpr bool is(const auto& sizes, std::size_t weight, std::size_t activation, std::size_t optimizer,
                  std::size_t masters) {
  return get<0>(sizes) == weight && get<1>(sizes) == activation && get<2>(sizes) == optimizer &&
         get<3>(sizes) == masters;
}

// Adam: two float32 moments for each parameter; O2 has float32 masters beside.
static_assert(is(made<O0, adam>(), 4 * parameters, 4 * 4 * activations, 8 * parameters, 0));
static_assert(is(made<O1, adam>(), 4 * parameters, 4 * (4 * 8 + 2 * 18), 8 * parameters, 0));
static_assert(is(made<O2, adam>(), 2 * parameters, 4 * 2 * activations, 12 * parameters, parameters));
static_assert(is(made<O3, adam>(), 2 * parameters, 4 * 2 * activations, 8 * parameters, 0));
// One moment for stochastic gradient descent.
static_assert(is(made<O2, sgd>(), 2 * parameters, 4 * 2 * activations, 8 * parameters, parameters));

// What an override keeps in float32 has no master.
using kept = policies::O2<float16, keep<float, op::linear>>;
static_assert(is(made<kept, sgd>(), 4 * parameters, 4 * (2 * 8 + 4 * 18), 4 * parameters, 0));

// Optimizer, backend and set-up have defaults; each field is settable by name.
constexpr bool settable() {
  trainer<net, cross_entropy_loss, adam, O2, reference> t({.learning_rate = 0.5f}, {},
                                                          {.scale = {.scale = 8}, .seed = 3});
  t.options().weight_decay = 0.25f;
  const trainer<net, cross_entropy_loss, adam, O2, reference> same_seed({}, {}, {.seed = 3});
  const trainer<net, cross_entropy_loss, adam, O2, reference> other_seed;
  return t.scale().value() == 8 && t.options().learning_rate == 0.5f && t.options().weight_decay == 0.25f &&
         t.steps() == 0 && other_seed.scale().value() == 0x1p16f && t.masters()[0] == same_seed.masters()[0] &&
         t.masters()[0] != other_seed.masters()[0];
}
static_assert(settable());

}  // namespace

TEST_CASE("a trainer can be copied, and the copies do not meet") {
  trainer<net, cross_entropy_loss, sgd, O0, reference> t;
  auto copy = t;
  const tensor<float, shape<1, 8>> x{1, 0, 0, 0, 0, 0, 0, 0};
  const tensor<std::int32_t, shape<1>> y{1};
  const float before = copy.network().parameters().full()[0];
  CHECK(t.step(unscale(t.backward(x, y))).ran());
  CHECK(copy.network().parameters().full()[0] == before);
  CHECK(t.steps() == 1);
  CHECK(copy.steps() == 0);
}
