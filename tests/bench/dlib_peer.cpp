// SPDX-License-Identifier: MIT
#include "network_peers.hpp"

#if defined(BENCH_DLIB)

#include <dlib/dnn.h>
#include <memory>

namespace bench {
namespace {

using namespace dlib;
using cnn = loss_multiclass_log<fc<10, relu<con<32, 3, 3, 1, 1, input<matrix<float>>>>>>;
using perceptron = loss_multiclass_log<fc<10, relu<fc<512, relu<fc<512, input<matrix<float>>>>>>>>;

template <class Net>
std::function<void()> make(long batch) {
  auto network = std::make_shared<Net>();
  auto x = std::make_shared<std::vector<matrix<float>>>(batch, matrix<float>(28, 28));
  auto y = std::make_shared<std::vector<unsigned long>>(batch);
  for (long n = 0; n < batch; ++n) {
    for (long i = 0; i < 784; ++i) (*x)[n](i / 28, i % 28) = static_cast<float>((n * 784 + i) * 7919 % 1000) * 1e-3f;
    (*y)[n] = static_cast<unsigned long>(n % 10);
  }
  auto samples = std::make_shared<resizable_tensor>();
  auto solvers =
      std::make_shared<std::vector<adam>>(Net::num_computational_layers, adam(0.f, 0.9f, 0.999f));
  return [=] {
    network->to_tensor(x->begin(), x->end(), *samples);
    network->compute_parameter_gradients(*samples, y->begin());
    network->update_parameters(*solvers, 1e-4);
  };
}

}  // namespace

std::function<void()> dlib_step(net which) {
  return which == net::cnn ? make<cnn>(32) : make<perceptron>(128);
}

}  // namespace bench

#else

namespace bench {
std::function<void()> dlib_step(net) { return {}; }
}  // namespace bench

#endif
