// SPDX-License-Identifier: MIT
#include <mezzo/train/loss_scale.hpp>

#include <mezzo/number/convert.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

using namespace mezzo;

namespace {

/// The scale after each step of a pattern of finite (F) and overflowing (O) ones.
template <class Scale, std::size_t Size>
constexpr std::array<float, Size - 1> trace(Scale scale, const char (&steps)[Size]) {
  std::array<float, Size - 1> values{};
  for (std::size_t i = 0; i + 1 < Size; ++i) {
    scale = scale.adjust(steps[i] == 'F');
    values[i] = scale.value();
  }
  return values;
}
template <class Scale>
constexpr Scale after(Scale scale, int overflows, int clean = 0) {
  for (int i = 0; i < overflows; ++i) scale = scale.adjust(false);
  for (int i = 0; i < clean; ++i) scale = scale.adjust(true);
  return scale;
}
constexpr dynamic_scale unlimited(float start) { return {.scale = start, .patience = 0}; }

// Conformance: start 1024, factor 2, interval 3. Systems differ in what they count.
constexpr char pattern[] = "FFFFOFFFOOFFFFOF";
using values = std::array<float, 16>;
constexpr auto renew_on_clean_step = dynamic_scale::renew::on_clean_step;

// torch.amp, torch_npu, Apex, Keras 3, TensorFlow 2, jmp, MindSpore, DeepSpeed with hysteresis 1.
static_assert(trace(dynamic_scale{.scale = 1024, .interval = 3}, pattern) ==
              values{1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512, 512, 512, 1024, 1024, 512, 512});
// flax grows one step later.
static_assert(trace(dynamic_scale{.scale = 1024, .interval = 3 + 1}, pattern) ==
              values{1024, 1024, 1024, 2048, 1024, 1024, 1024, 1024, 512, 256, 256, 256, 256, 512, 256, 256});
// Megatron and earlier DeepSpeed: the first overflow after a growth is tolerated.
static_assert(trace(dynamic_scale{.scale = 1024, .interval = 3, .hysteresis = 2}, pattern) ==
              values{1024, 1024, 2048, 2048, 2048, 2048, 2048, 4096, 4096, 2048, 2048, 2048, 4096, 4096, 4096, 4096});
// Later DeepSpeed: moreover the step after an overflow does not count.
static_assert(trace(dynamic_scale{.scale = 1024, .interval = 3, .delay = 1, .hysteresis = 2}, pattern) ==
              values{1024, 1024, 1024, 2048, 2048, 2048, 2048, 2048, 1024, 512, 512, 512, 512, 1024, 1024, 1024});
// The same with consecutive hysteresis: every clean step renews the tolerance.
static_assert(
    trace(dynamic_scale{.scale = 1024, .interval = 3, .delay = 1, .hysteresis = 2, .renewal = renew_on_clean_step},
          pattern) ==
    values{1024, 1024, 1024, 2048, 2048, 2048, 2048, 2048, 2048, 1024, 1024, 1024, 1024, 2048, 2048, 2048});

// Twenty overflows from 65536, without a floor and with one.
static_assert(after(dynamic_scale{}, 20).value() == 0.0625f);
static_assert(after(dynamic_scale{.floor = 1}, 20).value() == 1);
static_assert(after(dynamic_scale{.floor = 1}, 20).in_a_row == 20, "a floor does not hide that the overflows go on");

// Neither end of float32 is left: every value and every inverse is finite and not zero.
static_assert(after(unlimited(0x1p16f), 500).value() == 0x1p-126f);
static_assert(after(dynamic_scale{.scale = 0x1p120f, .interval = 1}, 0, 20).value() == 0x1p127f);
static_assert(after(dynamic_scale{.scale = 0x1p120f, .interval = 1, .cap = std::numeric_limits<float>::infinity()}, 0,
                    20)
                  .value() == 0x1p127f);
static_assert(after(dynamic_scale{.interval = 1, .cap = 0x1p24f}, 0, 20).value() == 0x1p24f);

// Defaults: 2^16, twice that after 2000 clean steps, half at once on overflow, and clean steps are counted anew.
static_assert(after(dynamic_scale{}, 0, 1999).value() == 0x1p16f && after(dynamic_scale{}, 0, 2000).value() == 0x1p17f);
static_assert(after(dynamic_scale{}, 0, 4000).value() == 0x1p18f);
static_assert(after(after(dynamic_scale{}, 0, 1999), 1, 1999).value() == 0x1p15f);
static_assert(after(after(dynamic_scale{}, 0, 1999), 1, 2000).value() == 0x1p16f);

// A stream of overflows is reported long before the scale would end, at the 144th; a clean step starts the count anew.
static_assert(dynamic_scale{}.patience < 144);
static_assert(!after(dynamic_scale{}, 59).exhausted() && after(dynamic_scale{}, 60).exhausted());
static_assert(!after(after(dynamic_scale{}, 59, 1), 59).exhausted());
static_assert(!after(unlimited(0x1p16f), 1000).exhausted());
static_assert(after(dynamic_scale{.patience = 2}, 2).exhausted());

// A static scale and none do not move.
constexpr bool static_scale_stays() {
  static_scale scale{512};
  for (int i = 0; i < 100; ++i) scale = scale.adjust(i % 33 != 0);
  return scale.value() == 512 && !scale.exhausted() && static_scale{}.value() == 1;
}
static_assert(static_scale_stays() && static_scale::scales && dynamic_scale::scales && !no_scale::scales);
static_assert(no_scale{}.adjust(false).value() == 1 && !no_scale{}.adjust(false).exhausted());

// A gradient of 70000, scaled, fits float16 first at 1/2: the seventeenth back-off from 65536.
constexpr int back_offs_until_it_fits() {
  dynamic_scale scale{};
  int overflows = 0;
  for (; overflows < 100 && non_finite(convert<float16>(70000.0f * scale.value())); ++overflows)
    scale = scale.adjust(false);
  return scale.value() == 0.5f && float(convert<float16>(70000.0f * 0.5f)) / 0.5f == 70016 ? overflows : -1;
}
static_assert(back_offs_until_it_fits() == 17);

}  // namespace

TEST_CASE("growing and shrinking by powers of two is exact all the way down and up") {
  dynamic_scale scale = unlimited(0x1p100f);
  scale.interval = 1;
  for (int i = 0; i < 200; ++i) scale = scale.adjust(false);
  CHECK(scale.value() == 0x1p-100f);
  CHECK(1.0f / scale.value() == 0x1p100f);
  for (int i = 0; i < 200; ++i) scale = scale.adjust(true);
  CHECK(scale.value() == 0x1p100f);
}

TEST_CASE("a copy of the state goes on as the original would") {
  dynamic_scale scale{.scale = 1024, .interval = 3, .delay = 1, .hysteresis = 2};
  for (const char step : {'F', 'F', 'F', 'F', 'O', 'F'}) scale = scale.adjust(step == 'F');
  dynamic_scale copy = scale;
  for (const char step : {'F', 'F', 'O', 'O', 'F', 'F', 'F', 'F'}) {
    scale = scale.adjust(step == 'F');
    copy = copy.adjust(step == 'F');
    CHECK(copy.value() == scale.value());
  }
}
