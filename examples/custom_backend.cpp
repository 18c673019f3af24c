// SPDX-License-Identifier: MIT
//
// A backend from outside the library: it runs everything as `cpu` does and counts what a training step asks for.
#include <mezzo/mezzo.hpp>

#include <cstdio>

struct counting_backend {
  static constexpr const char* name = "counting";

  mezzo::cpu on{};
  mezzo::workspace& memory = on.memory;
  unsigned long kernels = 0;
  unsigned long products = 0;
  double multiply_adds = 0;

  counting_backend() = default;
  counting_backend(const counting_backend& other)
      : on(other.on), kernels(other.kernels), products(other.products), multiply_adds(other.multiply_adds) {}

  // float64 is not offered: an expression that needs it does not compile.
  template <class Tag, class T>
  static constexpr bool supports = !std::same_as<T, double>;

  template <mezzo::real T>
  bool native() const {
    return on.native<T>();
  }
  template <class Kernel>
  mezzo::tally run(const Kernel& kernel) {
    ++kernels;
    return on.run(kernel);
  }
  template <class Left, class Right, class Sink>
  mezzo::tally multiply(const Left& a, const Right& b, const mezzo::product_shape& shape, const Sink& sink) {
    ++products;
    multiply_adds += static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    return on.multiply(a, b, shape, sink);
  }
};

static_assert(mezzo::backend<counting_backend>);

int main() {
  using namespace mezzo;
  using net = sequential<input<1, 8, 8>, conv2d<16, 3, same>, relu_layer, flatten, dense<10>>;
  trainer<net, cross_entropy_loss, sgd, policies::O2<bfloat16>, counting_backend> t;

  tensor<float, shape<32, 1, 8, 8>> images(shape<32, 1, 8, 8>{}, 0.5f);
  tensor<std::int32_t, shape<32>> labels;
  const auto outcome = t.step(unscale(t.backward(images, labels)));

  const counting_backend& counted = t.network().on();
  std::printf("one step on '%s': %lu products with %.0f multiply-adds, %lu other kernels\n", counting_backend::name,
              counted.products, counted.multiply_adds, counted.kernels);
  // Forward: convolution and dense; backward: weights of both and the input of the dense layer.
  const double expected = 32.0 * (16 * 64 * 9 * 2 + 1024 * 10 * 3);
  return outcome.ran() && counted.products == 5 && counted.multiply_adds == expected ? 0 : 1;
}
