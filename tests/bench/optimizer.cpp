// SPDX-License-Identifier: MIT
//
// The AdamW pass over float32 masters and moments with bfloat16 weights and gradients, beside the same streams with an
// update that computes nothing: what memory allows; and libtorch's AdamW on float32 gradients with its cheapest test
// that they are finite, and a copy to bfloat16. Rates count the bytes that have to move: 30 for a parameter.
#include "network_peers.hpp"
#include "timing.hpp"

#include <mezzo/mezzo.hpp>

#include <cstring>

namespace {

using namespace mezzo;

/// Reads the gradient, updates both moments and the master in place, writes the weight.
struct stream_loop {
  std::size_t size;
  bfloat16* weights;
  float* masters;
  const bfloat16* gradients;
  float* first;
  float* second;

  using scratch = char;
  static constexpr bool inspects = false;
  static constexpr std::size_t grain = 16384;
  [[nodiscard]] std::size_t tasks() const { return (size + grain - 1) / grain; }
  [[nodiscard]] std::size_t scratch_size() const { return 0; }
  MEZZO_INLINE void operator()(std::size_t task, scratch*, tally&) const {
    const std::size_t from = task * grain, to = size - from < grain ? size : from + grain;
    MEZZO_INDEPENDENT
    for (std::size_t i = from; i < to; ++i) {
      const float g = convert<float>(gradients[i]);
      first[i] += g;
      second[i] += g;
      masters[i] += g;
      weights[i] = bfloat16::from_bits(static_cast<std::uint16_t>(weights[i].bits() ^ 1u));
    }
  }
};

void measure(std::size_t size, bench::ratios& against) {
  std::vector<bfloat16> weights(size), gradients(size);
  std::vector<float> masters(size), first(size), second(size);
  for (std::size_t i = 0; i < size; ++i) {
    gradients[i] = bfloat16(bench::number(i, 1) * 0x1p-6f);
    masters[i] = bench::number(i, 2);
  }
  cpu on;
  bench::round_robin bench("adamw", std::to_string(size / 1000000) + "M", 1, "GBs");
  const double bytes = 30e-9 * static_cast<double>(size);
  std::size_t step = 0;
  const adamw options{};
  bench.add("mezzo", bytes, [&] {
    on.run(optimizer_kernel<adamw, bfloat16, bfloat16, gradient_factor, true>{
        options.at(++step), gradient_factor{0x1p-4f}, size, weights.data(), masters.data(), gradients.data(),
        first.data(), second.data()});
  });
  bench.add("update of the same streams", bytes, [&] {
    on.run(stream_loop{size, weights.data(), masters.data(), gradients.data(), first.data(), second.data()});
  });
  if (const auto libtorch = bench::libtorch_adamw(static_cast<long>(size)); libtorch && size <= 10000000)
    bench.add("libtorch", bytes, libtorch);
  bench.measure(3);
  bench.print("mezzo", "ns_per_param", bytes / bench.best("mezzo") * 1e9 / static_cast<double>(size));
  if (bench.best("libtorch") > 0)
    against.add("adamw " + std::to_string(size / 1000000) + "M against libtorch",
                bench.best("mezzo") / bench.best("libtorch"));
  against.add("adamw " + std::to_string(size / 1000000) + "M of its streams",
              bench.best("mezzo") / bench.best("update of the same streams"));
}

}  // namespace

int main() {
  bench::ratios against;
  for (const std::size_t size : {std::size_t{1000000}, std::size_t{10000000}, std::size_t{100000000}})
    measure(size, against);
  against.print("mezzo, best samples");
}
