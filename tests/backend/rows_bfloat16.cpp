// SPDX-License-Identifier: MIT
// not under -Ofast: it lets compilers contract and reorder arithmetic differently in every loop
//
// Rows of bfloat16 are read and written two numbers to a word, and kept apart in scratch by even and odd: the results
// are those of the same numbers in float32, rounded once, to the last bit and at every length.
#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace mezzo;

namespace {

constexpr std::size_t rows = 3;

template <class T, std::size_t Length>
using table = tensor<T, shape<rows, Length>>;

/// The same numbers in both types.
template <std::size_t Length>
struct both {
  table<bfloat16, Length> low;
  table<float, Length> wide;

  explicit both(std::uint64_t seed, float scale = 6) {
    for (std::size_t i = 0; i < low.size(); ++i) {
      low.data()[i] = bfloat16(scale * (counter_uniform(seed, i) - 0.5f));
      wide.data()[i] = float(low.data()[i]);
    }
  }
};

template <class Low, class Wide>
bool same(const Low& low, const Wide& wide) {
  for (std::size_t i = 0; i < wide.size(); ++i)
    if (low.data()[i].bits() != bfloat16(wide.data()[i]).bits()) return false;
  return true;
}

template <class Backend, std::size_t Length>
void check_backend(Backend on, std::size_t (&)[Length]) {
  const both<Length> x(1), dy(2, 1);
  tensor<float, shape<Length>> gain, shift;
  for (std::size_t j = 0; j < Length; ++j) {
    gain.data()[j] = 0.5f + counter_uniform(3, j);
    shift.data()[j] = counter_uniform(4, j) - 0.5f;
  }
  tensor<std::int32_t, shape<rows>> labels;
  for (std::size_t r = 0; r < rows; ++r) labels.data()[r] = static_cast<std::int32_t>(r * 5 % Length);
  using policy = policies::O0<>;
  both<Length> y(0);

  into(on, y.low) = autocast<policy>(softmax(x.low));
  into(on, y.wide) = autocast<policy>(softmax(x.wide));
  CHECK(same(y.low, y.wide));
  into(on, y.low) = autocast<policy>(log_softmax(x.low));
  into(on, y.wide) = autocast<policy>(log_softmax(x.wide));
  CHECK(same(y.low, y.wide));
  into(on, y.low) = autocast<policy>(gradient(cross_entropy(x.low, labels), wrt(x.low)));
  into(on, y.wide) = autocast<policy>(gradient(cross_entropy(x.wide, labels), wrt(x.wide)));
  CHECK(same(y.low, y.wide));

  // The gradient of softmax from a result that is bfloat16 too.
  const both<Length> result(5, 2);
  const auto push = [&](const auto* from, const auto* incoming, auto* to) {
    using T = std::remove_cvref_t<decltype(*to)>;
    using precise = precision<as_given, float, float>;
    on.run(softmax_gradient_kernel<precise, false, T, T, store_sink<T>>{from, incoming, {rows, Length, 1}, {to}});
  };
  push(result.low.data(), dy.low.data(), y.low.data());
  push(result.wide.data(), dy.wide.data(), y.wide.data());
  CHECK(same(y.low, y.wide));

  into(on, y.low) = autocast<policy>(layer_norm(x.low, gain, shift));
  into(on, y.wide) = autocast<policy>(layer_norm(x.wide, gain, shift));
  CHECK(same(y.low, y.wide));
  const auto gradients = [&](const auto& from, const auto& incoming, auto& dx, auto& dgain, auto& dshift) {
    into(on, dx, dgain, dshift) =
        autocast<policy>(gradient(layer_norm(from, gain, shift), incoming, wrt(from, gain, shift)));
  };
  tensor<float, shape<Length>> dgain[2], dshift[2], alone;
  gradients(x.low, dy.low, y.low, dgain[0], dshift[0]);
  gradients(x.wide, dy.wide, y.wide, dgain[1], dshift[1]);
  CHECK(same(y.low, y.wide));
  for (std::size_t j = 0; j < Length; ++j) {
    CHECK(bits_of(dgain[0].data()[j]) == bits_of(dgain[1].data()[j]));
    CHECK(bits_of(dshift[0].data()[j]) == bits_of(dshift[1].data()[j]));
  }
  // One of the parameters alone.
  into(on, alone) = autocast<policy>(gradient(layer_norm(x.low, gain, shift), dy.low, wrt(gain)));
  for (std::size_t j = 0; j < Length; ++j) CHECK(bits_of(alone.data()[j]) == bits_of(dgain[1].data()[j]));
  into(on, y.low, alone) = autocast<policy>(gradient(layer_norm(x.low, gain, shift), dy.low, wrt(x.low, shift)));
  CHECK(same(y.low, y.wide));
  for (std::size_t j = 0; j < Length; ++j) CHECK(bits_of(alone.data()[j]) == bits_of(dshift[1].data()[j]));
}

template <std::size_t Length>
void check() {
  CAPTURE(Length);
  std::size_t length[Length];
  check_backend(reference{}, length);
  for (const isa level : {isa::baseline, isa::avx2, isa::avx512}) check_backend(cpu{.isa = level}, length);
}

}  // namespace

TEST_CASE("rows of bfloat16 are rows of float32, rounded once") {
  check<1>();
  check<2>();
  check<7>();
  check<63>();
  check<64>();
  check<129>();
  check<200>();
}

// In constant evaluation single numbers give the same sums.
static_assert([] {
  bfloat16 x[135];
  for (std::size_t i = 0; i < 135; ++i) x[i] = bfloat16(static_cast<float>(i % 7) - 3);
  return detail::row_sum(detail::widened_run{x}, 135) == -5;
}());
