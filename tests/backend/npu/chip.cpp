// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/chip.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

using namespace mezzo;
using namespace mezzo::npu;

static_assert(element_of<float16> == element::float16 && element_of<bfloat16> == element::bfloat16);
static_assert(element_of<float> == element::float32 && element_of<std::int8_t> == element::int8);
static_assert(element_of<std::int32_t> == element::int32);
static_assert(bytes_of(element::float16) == 2 && bytes_of(element::int8) == 1 && bytes_of(element::hf32) == 4);
static_assert(c0_of(element::bfloat16) == 16 && c0_of(element::float32) == 8 && c0_of(element::int8) == 32);

static_assert(std::is_aggregate_v<chip>);
static_assert(ascend910a.combined && !ascend910b1.combined);
static_assert(ascend910a.cube_takes(element::float16) && !ascend910a.cube_takes(element::bfloat16));
static_assert(!ascend910a.bfloat16 && ascend910a.overflow == overflow_modes::saturation_only);
static_assert(ascend910b4.bfloat16 && ascend910b4.overflow == overflow_modes::infinity_by_default);
static_assert(ascend910b4.cube_takes(element::hf32) && !ascend910b4.cube_takes(element::int32));
static_assert(ascend910b1.microseconds(1850) == 1.0);

/// A chip of a program's own.
constexpr chip faster = [] {
  chip c = ascend910b3;
  c.name = "faster";
  c.megahertz *= 2;
  return c;
}();
static_assert(faster.peak_teraflops(element::float16) == 2 * ascend910b3.peak_teraflops(element::float16));

template <const chip& Chip>
constexpr std::size_t cores = Chip.cube_cores;
static_assert(cores<ascend910b2> == 24 && cores<faster> == 20);

TEST_CASE("peaks are those that follow from the published clocks and cores") {
  CHECK(ascend910a.peak_teraflops(element::float16) == doctest::Approx(262).epsilon(0.002));
  CHECK(ascend910b1.peak_teraflops(element::float16) == doctest::Approx(364).epsilon(0.002));
  CHECK(ascend910b2.peak_teraflops(element::bfloat16) == doctest::Approx(354).epsilon(0.002));
  CHECK(ascend910b3.peak_teraflops(element::float16) == doctest::Approx(295).epsilon(0.002));
  CHECK(ascend910b4.peak_teraflops(element::float16) == doctest::Approx(246).epsilon(0.002));
  CHECK(ascend910b4.peak_teraflops(element::int8) == 2 * ascend910b4.peak_teraflops(element::float16));
  CHECK(ascend910b4.peak_teraflops(element::float32) == ascend910b4.peak_teraflops(element::float16) / 4);
  CHECK(ascend910a.peak_teraflops(element::float32) == 0);
}

TEST_CASE("bins of the second generation differ in cores, clock and memory") {
  for (const chip* c : {&ascend910b1, &ascend910b2, &ascend910b3, &ascend910b4}) {
    CHECK(c->vector_cores == 2 * c->cube_cores);
    CHECK(c->l0c_bytes == 128 * 1024);
    CHECK(c->ub_bytes == 192 * 1024);
  }
  CHECK(ascend910b3.l2_bytes == 2 * ascend910b4.l2_bytes);
  CHECK(ascend910b4.hbm_gigabytes == 800);
  CHECK(doctest::String(ascend910b4.name) == "ascend910b4");
  CHECK(doctest::String(name_of(element::hf32)) == "hf32");
}
