// SPDX-License-Identifier: MIT
#include <mezzo/nn/normalizations.hpp>

#include <mezzo/mezzo.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

template <class Module, class In>
using first_parameter = typename detail::list_element<typename Module::template parameters<In>, 0>::type;

static_assert(std::is_same_v<first_parameter<layer_norm_layer<>, shape<3, 5>>::extents_type, shape<5>>);
static_assert(std::is_same_v<first_parameter<layer_norm_layer<-2>, shape<4, 3, 5>>::extents_type, shape<3, 5>>);
static_assert(std::is_same_v<first_parameter<rms_norm_layer<>, shape<7>>::extents_type, shape<7>>);
static_assert(std::is_same_v<first_parameter<group_norm_layer<2>, shape<6, 4, 4>>::extents_type, shape<6>>);
// Statistics meet many values: O2 keeps their parameters float32, O3 stores everything low.
static_assert(std::is_same_v<parameter_t<policies::O2<float16>, op::layer_norm>, float>);

using net = sequential<input<2, 6, 6>, conv2d<4, 3, same>, group_norm_layer<2>, relu_layer, flatten,
                       layer_norm_layer<>, dense<8>, rms_norm_layer<>, dense<3>>;

/// Three classes of noisy images that differ in where they are bright.
struct patches {
  std::size_t samples = 96;
  [[nodiscard]] std::size_t size() const { return samples; }
  template <class T>
  void fetch(const std::uint32_t* rows, std::size_t count, T* x, std::int32_t* labels) const {
    for (std::size_t n = 0; n < count; ++n) {
      const auto label = static_cast<std::int32_t>(rows[n] % 3);
      labels[n] = label;
      for (std::size_t i = 0; i < 72; ++i)
        x[n * 72 + i] = T(counter_uniform(rows[n], i) + (i / 2 % 3 == static_cast<std::size_t>(label) ? 0.5f : 0.0f));
    }
  }
};

}  // namespace

TEST_CASE("a network with every normalisation learns in float16") {
  trainer<net, cross_entropy_loss, adam, policies::O2<float16>, cpu> t{{.learning_rate = 1e-2f}};
  const auto report = t.fit(patches{}, {.epochs = 6, .batch = 16});
  CHECK(report.losses[report.losses.size() - 1] < 0.3f * report.losses[0]);
  CHECK(t.evaluate(patches{}).accuracy() > 0.95);
}
