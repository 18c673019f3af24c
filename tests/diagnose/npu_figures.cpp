// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/npu_figures.hpp>

#include "profiles.hpp"

#include <doctest/doctest.h>

using namespace mezzo;
using doctest::Approx;
using npu::element;
using npu::figures_of;
using npu::kernel_figures;
using npu::pipe;
using profiles::add;

TEST_CASE("a measured product: 192 tiles on 20 cores, 128 steps of 512 cycles and 10 more (npu-facts, from mstt)") {
  npu::profile p;
  add(p, npu::ascend910b3, "matmul", npu::product_task{.m = 1536, .n = 4096, .k = 8192, .in = element::bfloat16});
  REQUIRE(p.size() == 1);
  const kernel_figures f = figures_of(npu::ascend910b3, p[0]);
  CHECK(f.time[static_cast<std::size_t>(pipe::cube)] == Approx(356.35).epsilon(0.001));
  CHECK(f.cube_fops() == Approx(192.0 * 128 * 522 * 8192).epsilon(0.001));
  CHECK(f.fp16_efficiency().value == Approx(512.0 / 522).epsilon(0.001));
  CHECK(f.mac_fp16_ratio() == Approx(f.ratio(pipe::cube)));
  CHECK(f.padding_loss().value == 0);
  CHECK(f.block_dim == 20);
  CHECK(f.cube_utilization().value == Approx(f.core / f.task));
  CHECK(f.cube_utilization().value > 0.95);
}

TEST_CASE("figures are of all calls, and kinds add up") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1, &npu::ascend910b4}) {
    const npu::profile p = profiles::mixed(*on);
    const npu::kernel_cost all = p.total(), apart = p.total_apart();
    const kernel_figures total = npu::total_figures(*on, p);
    CHECK(total.calls == 12);
    CHECK(total.task == Approx(all.microseconds));
    CHECK(total.core == Approx(on->microseconds(all.total)));
    CHECK(total.flops == Approx(all.flops));
    CHECK(total.bytes_in == static_cast<double>(all.bytes_in));
    CHECK(total.bytes_out == static_cast<double>(all.bytes_out));
    CHECK(total.hbm_bytes == static_cast<double>(all.hbm_bytes));
    CHECK(total.cube_cycles == static_cast<double>(all.of(pipe::cube)));
    CHECK(total.time_saved == Approx(apart.microseconds - all.microseconds));
    CHECK(total.bytes_saved == static_cast<double>(apart.bytes_in + apart.bytes_out) -
                                   static_cast<double>(all.bytes_in + all.bytes_out));
    CHECK(total.bytes_saved > 0);
    double operations = 0;
    std::size_t widest = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const kernel_figures f = figures_of(*on, p[i]);
      operations += f.operations;
      widest = widest < f.block_dim ? f.block_dim : widest;
      CHECK(f.calls == p[i].calls);
      CHECK(f.task == Approx(p[i].each.microseconds * static_cast<double>(p[i].calls)));
      // No pipe is busier than the slowest core takes.
      for (std::size_t q = 0; q < npu::pipe_count; ++q) CHECK(f.ratio(static_cast<pipe>(q)) <= 1);
    }
    CHECK(total.operations == operations);
    CHECK(total.block_dim == widest);
  }
}

TEST_CASE("padding fills up whole steps, and counts as no use") {
  npu::profile p;
  add(p, npu::ascend910b1, "matmul", npu::product_task{.m = 17, .n = 16, .k = 8});
  const kernel_figures f = figures_of(npu::ascend910b1, p[0]);
  CHECK(f.flops == 2 * 17 * 16 * 8);
  CHECK(f.padding_loss().value == Approx(1 - 17.0 / 32 * 8 / 16));
  CHECK(f.fp16_efficiency().value <= 1 - f.padding_loss().value);
}

TEST_CASE("channels that fill up a block are padding too") {
  npu::profile p;
  add(p, npu::ascend910b1, "conv2d", npu::product_task{.m = 100, .n = 32, .k = 144, .taps = 9, .asked_k = 9});
  const kernel_figures f = figures_of(npu::ascend910b1, p[0]);
  CHECK(f.flops == 2 * 100 * 32 * 9);
  CHECK(f.padding_loss().value == Approx(1 - 100.0 / 112 * 9 / 144));
  CHECK(std::string(extents_of(p[0]).text) == "100x32x9");
}

TEST_CASE("float32 from three float16 products is useful once") {
  npu::profile p;
  add(p, npu::ascend910a, "matmul", npu::product_task{.m = 512, .n = 512, .k = 512, .parts = 2, .terms = 3});
  const kernel_figures f = figures_of(npu::ascend910a, p[0]);
  CHECK(f.flops == 2.0 * 512 * 512 * 512);
  CHECK(f.padding_loss().value == 0);
  CHECK(f.fp16_efficiency().value < 1.0 / 3);
  CHECK(f.fp16_efficiency().value > 0.3);
}

TEST_CASE("other types than float16 and bfloat16 are in no column of float16") {
  npu::profile p;
  add(p, npu::ascend910b1, "matmul", npu::product_task{.m = 64, .n = 64, .k = 64, .in = element::hf32});
  const kernel_figures f = figures_of(npu::ascend910b1, p[0]);
  CHECK(f.mac_fp16_ratio() == 0);
  CHECK(!f.fp16_efficiency().known);
  CHECK(f.ratio(pipe::cube) > 0);
}

TEST_CASE("a vector kernel is bound by memory where it loads longer than it computes") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1}) {
    npu::profile p;
    add(p, *on, "add", profiles::vector_work(1000000, 1));
    add(p, *on, "work", profiles::vector_work(1000000, 60));
    const kernel_figures light = figures_of(*on, p[0]), heavy = figures_of(*on, p[1]);
    CHECK(light.memory_bound().value > 1);
    CHECK(heavy.memory_bound().value < 1);
    const double vec = light.time[static_cast<std::size_t>(pipe::vector)];
    CHECK(light.memory_bound().value == Approx(light.mte2 / vec));
    CHECK(heavy.operations == 60e6);
    CHECK(heavy.operations_a_second() == Approx(60e6 / heavy.task * 1e6));
    CHECK(heavy.intensity().value == Approx(60.0 / 6));
    CHECK(!light.padding_loss().known);
    CHECK(!light.cube_utilization().known);
    CHECK(light.flops == 0);
  }
}

TEST_CASE("a kernel that only moves has no bound and no intensity") {
  npu::profile p;
  add(p, npu::ascend910b1, "move", profiles::vector_work(1000, 0));
  const kernel_figures f = figures_of(npu::ascend910b1, p[0]);
  CHECK(!f.memory_bound().known);
  CHECK(!f.intensity().known);
}

TEST_CASE("what was not taken apart saves nothing") {
  npu::profile p;
  p.vector(npu::ascend910b1, profiles::named("add gradient"), profiles::vector_work(1000), npu::kernel_cost{}, {});
  const kernel_figures f = figures_of(npu::ascend910b1, p[0]);
  CHECK(f.bytes_saved == 0);
  CHECK(f.time_saved == 0);
}

TEST_CASE("cores are named as msprof names them") {
  const npu::profile split = profiles::mixed(npu::ascend910b1), combined = profiles::mixed(npu::ascend910a);
  CHECK(std::string(core_type(npu::ascend910b1, split[0])) == "AI_CORE");
  CHECK(std::string(core_type(npu::ascend910b1, split[1])) == "MIX_AIC");
  CHECK(std::string(core_type(npu::ascend910b1, split[4])) == "AI_VECTOR_CORE");
  CHECK(figures_of(npu::ascend910b1, split[0]).mix_block_dim == 0);
  CHECK(figures_of(npu::ascend910b1, split[1]).mix_block_dim ==
        2 * figures_of(npu::ascend910b1, split[1]).block_dim);
  for (std::size_t i = 0; i < combined.size(); ++i) {
    CHECK(std::string(core_type(npu::ascend910a, combined[i])) == "AI_CORE");
    CHECK(figures_of(npu::ascend910a, combined[i]).mix_block_dim == 0);
  }
  CHECK(std::string(type_of(split[0])) == "float16");
  CHECK(std::string(type_of(split[3])) == "float32");
  CHECK(std::string(type_of(combined[3])) == "float16");
  CHECK(std::string(type_of(split[4])) == "16-bit");
  CHECK(std::string(extents_of(split[0]).text) == "512x768x320");
  CHECK(std::string(extents_of(split[2]).text) == "12*64x32x128");
  CHECK(std::string(extents_of(split[4]).text) == "100000");
}

TEST_CASE("figures are known to the compiler") {
  constexpr npu::profile_entry entry = [] {
    npu::profile_entry e{.name = {}, .on_cube = true, .product = {.m = 17, .n = 16, .k = 16}, .calls = 2};
    e.each = npu::cost_product(npu::ascend910b1, e.product);
    return e;
  }();
  static_assert(figures_of(npu::ascend910b1, entry).padding_loss().value == 1 - 17.0 / 32);
  static_assert(figures_of(npu::ascend910b1, entry).flops == 2 * 2 * 17 * 16 * 16);
}
