// SPDX-License-Identifier: MIT
#include <mezzo/backend/cpu/isa.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace mezzo;

static_assert(isa::baseline < isa::avx2 && isa::avx2 < isa::avx512);

TEST_CASE("a function is called for the instruction set that was asked for") {
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > detect_isa()) continue;
    isa seen = isa::baseline;
    detail::call_with(level, [&](auto constant) { seen = decltype(constant)::value; });
    CHECK(seen == level);
  }
  CHECK(detect_isa() == detect_isa());
}
