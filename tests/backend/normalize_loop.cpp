// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
#include <mezzo/backend/normalize_loop.hpp>

#include "../store/check_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace mezzo;

namespace {

template <std::size_t... Sizes>
using floats = tensor<float, shape<Sizes...>>;

/// A row that is normalised without rounding: mean 3, variance 4.
constexpr float exact_row[] = {1, 5, 5, 1};

}  // namespace

// With ε = 0 every step of this row is exact, in constant evaluation too.
static_assert([] {
  reference plain;
  floats<2, 4> x;
  for (std::size_t i = 0; i < 8; ++i) x.data()[i] = exact_row[i % 4] * (i < 4 ? 1.0f : 256.0f);
  floats<4> gain{1, 2, 3, 4}, shift{0, 0, 0.5, 0};
  floats<2, 4> y;
  into(plain, y) = layer_norm(x, gain, shift, 0);
  return y(0, 0) == -1 && y(0, 1) == 2 && y(0, 2) == 3.5 && y(0, 3) == -4 && y(1, 1) == 2 && y(1, 3) == -4;
}());

TEST_CASE("a large mean does not drown the variance") {
  // One pass over Σx² would lose it: (4097)² needs 25 bits.
  floats<1, 4> x{4096 + 1, 4096 + 5, 4096 + 5, 4096 + 1};
  floats<1, 4> y;
  cpu on;
  into(on, y) = layer_norm(x, 1, 0, 0);
  CHECK(y(0, 0) == -1);
  CHECK(y(0, 1) == 1);
}

TEST_CASE("a constant row is normalised to its shift") {
  const floats<2, 5> x(shape<2, 5>{}, 7.25f);
  floats<2, 5> y;
  cpu on;
  into(on, y) = layer_norm(x, 3, 0.5f);
  for (const float v : y) CHECK(v == 0.5f);
  into(on, y) = rms_norm(x, 1, 0);
  for (const float v : y) CHECK(v == doctest::Approx(1));
}

TEST_CASE("low storage enters and leaves rounded once; statistics and parameters are float32") {
  tensor<bfloat16, shape<3, 100>> x;
  tensor<float16, shape<3, 100>> h;
  fill_uniform(x, 1, -2, 2);
  for (std::size_t i = 0; i < x.size(); ++i) h.data()[i] = float16(float(x.data()[i]));
  floats<3, 100> wide(shape<3, 100>{}), y;
  for (std::size_t i = 0; i < x.size(); ++i) wide.data()[i] = float(x.data()[i]);
  const auto gain = uniform<floats<100>>(2), shift = uniform<floats<100>>(3);
  tensor<bfloat16, shape<3, 100>> low;
  tensor<float16, shape<3, 100>> half;
  cpu on;
  into(on, y) = layer_norm(wide, gain, shift);
  into(on, low) = autocast<policies::O2<bfloat16>>(layer_norm(x, gain, shift));
  into(on, half) = autocast<policies::O2<float16>>(layer_norm(h, gain, shift));
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(low.data()[i].bits() == bfloat16(y.data()[i]).bits());
    // float16 holds these bfloat16 numbers unless they are small; the rows agree where all are held.
    CHECK(std::fabs(float(half.data()[i]) - y.data()[i]) <= 0x1p-10f * (1 + std::fabs(y.data()[i])));
  }
}

namespace {

/// The gradient by its definition, in double: dx = (h − mean h − x̂·mean(h·x̂))·scale.
template <std::size_t N, std::size_t L>
void expect_gradient(const floats<N, L>& x, const floats<N, L>& dy, const floats<L>& gain, const floats<N, L>& dx,
                     const floats<L>& dgain, const floats<L>& dshift) {
  std::vector<double> gains(L), shifts(L), gain_sizes(L), shift_sizes(L);
  for (std::size_t r = 0; r < N; ++r) {
    double mean = 0, variance = 0, h_mean = 0, along = 0;
    for (std::size_t i = 0; i < L; ++i) mean += double(x(r, i)) / L;
    for (std::size_t i = 0; i < L; ++i) variance += (x(r, i) - mean) * (x(r, i) - mean) / L;
    const double scale = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t i = 0; i < L; ++i) {
      const double hat = (x(r, i) - mean) * scale, h = double(dy(r, i)) * gain(i);
      h_mean += h / L;
      along += h * hat / L;
      gains[i] += dy(r, i) * hat;
      gain_sizes[i] += std::fabs(dy(r, i) * hat);
      shifts[i] += dy(r, i);
      shift_sizes[i] += std::fabs(dy(r, i));
    }
    for (std::size_t i = 0; i < L; ++i) {
      const double hat = (x(r, i) - mean) * scale, h = double(dy(r, i)) * gain(i);
      const double expected = scale * (h - h_mean - hat * along);
      // Rows hold numbers below 2 in size and x̂ below 4: the sums' errors are below 80 units of the largest terms.
      CHECK(std::fabs(dx(r, i) - expected) <= 80 * 0x1p-24 * scale * (2 + 4 * std::fabs(hat)));
    }
  }
  for (std::size_t i = 0; i < L; ++i) {
    // Every term passes through fewer additions than there are rows; x̂ itself carries some 80 units.
    CHECK(std::fabs(dgain(i) - gains[i]) <= (N + 80) * 0x1p-24 * gain_sizes[i]);
    CHECK(std::fabs(dshift(i) - shifts[i]) <= N * 0x1p-24 * shift_sizes[i]);
  }
}

}  // namespace

TEST_CASE("gradients over many rows are summed in blocks, on every instruction set") {
  constexpr std::size_t rows = 150, length = 77;
  const auto x = uniform<floats<rows, length>>(1, -2, 2), dy = uniform<floats<rows, length>>(2);
  const auto gain = uniform<floats<length>>(3, 0.5, 2), shift = uniform<floats<length>>(4);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    cpu on{.isa = level};
    floats<rows, length> dx;
    floats<length> dgain, dshift;
    into(on, dx, dgain, dshift) = gradient(layer_norm(x, gain, shift), dy, wrt(x, gain, shift));
    expect_gradient(x, dy, gain, dx, dgain, dshift);
    // The same numbers when only some are asked for.
    floats<rows, length> only_x;
    floats<length> only_gain, only_shift;
    into(on, only_x) = gradient(layer_norm(x, gain, shift), dy, wrt(x));
    into(on, only_gain) = gradient(layer_norm(x, gain, shift), dy, wrt(gain));
    into(on, only_shift) = gradient(layer_norm(x, gain, shift), dy, wrt(shift));
    bool equal = true;
    for (std::size_t i = 0; i < dx.size(); ++i) equal = equal && only_x.data()[i] == dx.data()[i];
    for (std::size_t i = 0; i < length; ++i)
      equal = equal && only_gain(i) == dgain(i) && only_shift(i) == dshift(i);
    CHECK(equal);
  }
}

TEST_CASE("instruction sets and the definition agree to the last bit") {
  const auto x = uniform<floats<5, 203>>(1, -2, 2), dy = uniform<floats<5, 203>>(2);
  const auto gain = uniform<floats<203>>(3), shift = uniform<floats<203>>(4);
  floats<5, 203> expected, dx;
  floats<203> dgain, dshift;
  reference plain;
  into(plain, expected) = layer_norm(x, gain, shift);
  into(plain, dx, dgain, dshift) = gradient(layer_norm(x, gain, shift), dy, wrt(x, gain, shift));
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    cpu on{.isa = level};
    floats<5, 203> y, d;
    floats<203> g, s;
    into(on, y) = layer_norm(x, gain, shift);
    into(on, d, g, s) = gradient(layer_norm(x, gain, shift), dy, wrt(x, gain, shift));
    for (std::size_t i = 0; i < y.size(); ++i) {
      CHECK(y.data()[i] == expected.data()[i]);
      CHECK(d.data()[i] == dx.data()[i]);
    }
    for (std::size_t i = 0; i < g.size(); ++i) CHECK((g(i) == dgain(i) && s(i) == dshift(i)));
  }
}
