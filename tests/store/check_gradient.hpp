// SPDX-License-Identifier: MIT
//
// Derived gradients against central differences, in double, on the reference backend and on the processor.
#pragma once

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

/// Reproducible numbers in [low, high), another series for each seed.
template <class Tensor>
void fill_uniform(Tensor& t, std::uint64_t seed, double low = -1, double high = 1) {
  std::uint64_t i = 0;
  for (auto& value : t)
    value = mezzo::convert<typename Tensor::value_type>(low + (high - low) * double(mezzo::counter_uniform(seed, i++)));
}

template <class Tensor>
Tensor uniform(std::uint64_t seed, double low = -1, double high = 1) {
  Tensor t;
  fill_uniform(t, seed, low, high);
  return t;
}
template <class Tensor>
Tensor uniform_of(const typename Tensor::extents_type& sizes, std::uint64_t seed, double low = -1, double high = 1) {
  Tensor t(sizes);
  fill_uniform(t, seed, low, high);
  return t;
}

/// Compares the gradient of Σ dy·make(x...), for a fixed dy, with central differences in each element of each x.
template <class Make, class... Xs>
void check_gradient(const Make& make, Xs&... xs) {
  using namespace mezzo;
  using sizes = typename decltype(make(xs...))::extents_type;
  using result = tensor<double, sizes>;
  reference plain;
  cpu fast;

  result y(make(xs...).extents());
  const auto dy = uniform_of<result>(make(xs...).extents(), 99, 0.5, 1.5);
  const auto value = [&] {
    into(plain, y) = make(xs...);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += dy.data()[i] * y.data()[i];
    return sum;
  };
  const double at = value();
  const auto compare = [&](auto& backend) {
    // Gradients start as what no gradient is, so that an element left out is seen.
    const auto gradients = [&](auto... d) {
      into(backend, d...) = gradient(make(xs...), dy, wrt(xs...));
      const auto against_differences = [&](auto& x, const auto& dx) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          // With h = 2^-18 the third derivative leaves h²/6 ≈ 2.4e-12 of itself, and the rounding of Σ dy·y (2^-53 of
          // it times some tens of operations) divided by h about 1e-9: 1e-7 covers both for the sizes used here.
          const double h = 0x1p-18;
          const double kept = x.data()[i];
          x.data()[i] = kept + h;
          const double above = value();
          x.data()[i] = kept - h;
          const double below = value();
          x.data()[i] = kept;
          const double expected = (above - below) / (2 * h);
          const double tolerance = 1e-7 * (1 + std::fabs(expected) + std::fabs(at));
          if (!(std::fabs(dx.data()[i] - expected) <= tolerance))
            FAIL_CHECK("element ", i, ": derived ", dx.data()[i], ", expected ", expected);
        }
      };
      (against_differences(xs, d), ...);
    };
    gradients(Xs(xs.extents(), -1e30)...);
  };
  compare(plain);
#if defined(MEZZO_EVERY_BACKEND)
  // The same templates again, three times: in one build. What is the processor's own is watched by backend/cpu's tests.
  compare(fast);
#else
  static_cast<void>(fast);
#endif
}
