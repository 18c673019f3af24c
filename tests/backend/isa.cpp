// SPDX-License-Identifier: MIT
#include <mezzo/backend/isa.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace mezzo;

namespace {

/// Records the instruction set it is called for.
struct recorder {
  isa* seen;

  template <isa Isa>
  void operator()(detail::isa_constant<Isa>) const {
    *seen = Isa;
  }
};
struct computing : recorder {
  static constexpr bool worth_wide = true;
};
using moving = recorder;

static_assert(isa::baseline < isa::avx2 && isa::avx2 < isa::avx512 && isa::avx512 < isa::avx512_bf16);

}  // namespace

TEST_CASE("a function is called for the instruction set that was asked for, wide vectors only where they pay") {
  for (isa level : {isa::baseline, isa::avx2, isa::avx512}) {
    if (level > supported_isa()) continue;
    isa seen = isa::baseline;
    detail::call_with(level, computing{{&seen}});
    CHECK(seen == level);
    detail::call_with(level, moving{&seen});
    CHECK(seen == (level < isa::avx2 ? level : isa::avx2));
  }
  CHECK(detect_isa() <= supported_isa());
}
