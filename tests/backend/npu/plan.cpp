// SPDX-License-Identifier: MIT
// not under -fsanitize: arithmetic on sizes, most of it in constant evaluation, which finds as much
// not under -Ofast: arithmetic on sizes, without a loop that it could change
#include <mezzo/backend/npu/plan.hpp>

#include "random_tasks.hpp"

#include <doctest/doctest.h>

using namespace mezzo::npu;
using mezzo::error;

// What CANN does, in profiles: its tile, and as many cores as finish in the same number of rounds.
constexpr product_plan large = static_plan<ascend910b3, 1536, 4096, 8192, element::bfloat16>;
static_assert(large.tile == tiles{.m = 128, .n = 256, .k = 64, .l1_k = 256});
static_assert(large.all_tiles == 192 && large.cores == 20 && large.tiles_per_core == 10 && large.k_steps == 128);
static_assert(static_plan<ascend910b3, 4096, 512, 8192, element::bfloat16>.cores == 16);

constexpr tiles small{.m = 32, .n = 16, .k = 32, .l1_k = 64};
static_assert(static_plan<ascend910a, 100, 100, 100, element::float16, element::float32, small>.m_tiles == 4);
static_assert(static_plan<ascend910a, 100, 100, 100, element::float16, element::float32, small>.n_tiles == 7);

TEST_CASE("chosen tiles fit and are well formed, for any size, type and chip") {
  random_tasks random;
  for (const chip* on : {&ascend910a, &ascend910b1, &ascend910b2, &ascend910b3, &ascend910b4})
    for (int i = 0; i < 60; ++i) {
      const product_task task = random.next(*on);
      for (const bool tiling : {true, false})
        for (const bool twice : {true, false}) {
          const product_plan p = plan_product(*on, task, {.double_buffering = twice, .tiling = tiling});
          CAPTURE(task.m);
          CAPTURE(task.n);
          CAPTURE(task.k);
          CHECK(detail::well_formed(*on, task, p.tile));
          CHECK(detail::shortage_of(*on, task, p.tile).where == nullptr);
          CHECK(p.m_tiles * p.tile.m >= task.m);
          CHECK((p.m_tiles - 1) * p.tile.m < task.m);
          CHECK(p.n_tiles * p.tile.n >= task.n);
          CHECK((p.n_tiles - 1) * p.tile.n < task.n);
          CHECK(p.all_tiles == task.batch * p.m_tiles * p.n_tiles);
          CHECK(p.cores <= on->cube_cores);
          CHECK(p.cores * p.tiles_per_core >= p.all_tiles);
          CHECK((p.cores - 1) * p.tiles_per_core < p.all_tiles);
          CHECK((p.tile.l0_buffers == (twice ? 2 : 1)));
          if (!tiling) CHECK(p.tile.m * p.tile.n * p.tile.k == 256 * c0_of(task.in));
        }
    }
}

TEST_CASE("operands are read once for each tile of the other extent") {
  random_tasks random;
  for (int i = 0; i < 100; ++i) {
    const product_task t = random.next(ascend910b1);
    const product_plan p = plan_product(ascend910b1, t);
    const unsigned long long left = (t.n + p.tile.n - 1) / p.tile.n, right = (t.m + p.tile.m - 1) / p.tile.m;
    CHECK(p.operand_bytes(t) == bytes_of(t.in) * t.parts * t.batch * (t.m * t.k * left + t.k * t.n * right));
  }
}

TEST_CASE("given tiles are taken as they are") {
  const product_task task{.m = 300, .n = 200, .k = 100};
  const tiles given{.m = 64, .n = 48, .k = 32, .l1_k = 96, .l0_buffers = 1, .l1_buffers = 2, .c_buffers = 2};
  const product_plan p = plan_product(ascend910b1, task, given);
  CHECK(p.tile == given);
  CHECK(p.m_tiles == 5);
  CHECK(p.n_tiles == 5);
  CHECK(p.cores == 13);
  CHECK(p.tiles_per_core == 2);
}

TEST_CASE("plans that cannot be say why") {
  const product_task task{.m = 300, .n = 200, .k = 100};
  const auto plan = [&](const tiles& t) { static_cast<void>(plan_product(ascend910b1, task, t)); };
  CHECK_THROWS_WITH_AS(static_cast<void>(plan_product(ascend910b1, product_task{.m = 0, .n = 2, .k = 3})),
                       "mezzo::npu::plan_product: every extent must be at least 1 and at most 2^30; given 0x3 times "
                       "3x2, 1 of them; "
                       "leave out empty products",
                       error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(plan_product(ascend910a, product_task{.m = 1, .n = 2, .k = 3, .in = element::bfloat16})),
      "mezzo::npu::plan_product: operands must be of a type that the cube of ascend910a takes; given bfloat16; compute "
      "in float16 or choose another chip",
      error);
  CHECK_THROWS_WITH_AS(plan({.m = 100, .n = 48, .k = 32, .l1_k = 32}),
                       "mezzo::npu::plan_product: tiles must be multiples of 16 in m and n, of 16 in k, l1_k a "
                       "multiple of k, none above 4095, with 1 or 2 buffers; given m 100, n 48, k 32, l1_k 32 and "
                       "buffers 2, 2, 1; round them",
                       error);
  CHECK_THROWS_WITH_AS(plan({.m = 256, .n = 64, .k = 128, .l1_k = 128}),
                       "mezzo::npu::plan_product: tiles must fit L0A of ascend910b1, 65536 bytes; given tiles that "
                       "take 131072; make them smaller or give them fewer buffers",
                       error);
  CHECK_THROWS_WITH_AS(plan({.m = 64, .n = 256, .k = 128, .l1_k = 128}),
                       doctest::Contains("fit L0B of ascend910b1, 65536 bytes; given tiles that take 131072"), error);
  CHECK_THROWS_WITH_AS(plan({.m = 256, .n = 256, .k = 16, .l1_k = 16}),
                       doctest::Contains("fit L0C of ascend910b1, 131072 bytes; given tiles that take 262144"), error);
  CHECK_THROWS_WITH_AS(plan({.m = 128, .n = 256, .k = 64, .l1_k = 512}),
                       doctest::Contains("fit L1 of ascend910b1, 524288 bytes; given tiles that take 786432"), error);
  CHECK_THROWS_WITH_AS(plan({.m = 16, .n = 16, .k = 16, .l1_k = 16, .l1_buffers = 3}), doctest::Contains("1 or 2"),
                       error);
  // Fewer buffers make room.
  CHECK_NOTHROW(plan({.m = 256, .n = 64, .k = 128, .l1_k = 128, .l0_buffers = 1}));
}

TEST_CASE("an image is loaded once for all taps of a window") {
  const mezzo::npu::product_task plain{.m = 4096, .n = 64, .k = 576};
  mezzo::npu::product_task image = plain;
  image.taps = 9;
  const mezzo::npu::product_plan of_plain = mezzo::npu::plan_product(mezzo::npu::ascend910b1, plain);
  const mezzo::npu::product_plan of_image = mezzo::npu::plan_product(mezzo::npu::ascend910b1, image);
  CHECK(of_plain.operand_bytes(plain) == 2ULL * (4096 * 576 * of_plain.n_tiles + 576 * 64 * of_plain.m_tiles));
  CHECK(of_image.operand_bytes(image) == 2ULL * (4096 * 64 * of_image.n_tiles + 576 * 64 * of_image.m_tiles));
  image.asked_k = 27;
  CHECK(image.flops() == 2.0 * 4096 * 64 * 27);
}

TEST_CASE("a chip without cores is an error, and extents are bounded") {
  mezzo::npu::chip empty = mezzo::npu::ascend910b1;
  empty.name = "empty";
  empty.cube_cores = 0;
  CHECK_THROWS_WITH_AS(static_cast<void>(mezzo::npu::plan_product(empty, {.m = 1, .n = 1, .k = 1})),
                       "mezzo::npu::chip: a chip must have cores and a clock; given empty with 0 and 48 cores; start "
                       "from a copy of one of the library's",
                       error);
  CHECK_THROWS_AS(static_cast<void>(mezzo::npu::plan_product(mezzo::npu::ascend910b1,
                                                             {.m = std::size_t{1} << 40, .n = 1, .k = 1})),
                  error);
}
