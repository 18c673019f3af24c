// SPDX-License-Identifier: MIT
#include <mezzo/backend/chunks.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

using namespace mezzo;

using halves = lane<float16, inner_step::unit>::unit_row;
using brains = lane<bfloat16, inner_step::unit>::unit_row;
using spread = lane<float16, inner_step::any>::any_row;

// Only neighbours of a type that is dear to convert are decoded ahead.
static_assert(carried_exact<float16> && !carried_exact<bfloat16> && !carried_exact<float>);
static_assert(detail::chunks_of<pack<halves, brains>>::needed);
static_assert(!detail::chunks_of<pack<brains, spread>>::needed);
static_assert(std::is_same_v<decltype(std::declval<detail::chunk_of<halves>>().load(0)), exact<float16>>);
static_assert(std::is_same_v<decltype(std::declval<detail::chunk_of<spread>>().load(0)), float16>);

TEST_CASE("chunks give the elements of their rows, wherever they begin") {
  std::vector<float16> a(1300);
  std::vector<bfloat16> b(1300);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = float16(static_cast<float>(i) * 0.25f);
    b[i] = bfloat16(static_cast<float>(i % 128));
  }
  auto chunks = detail::chunks_of<pack<halves, brains>>::make(make_pack(halves{a.data()}, brains{b.data()}));
  for (const std::size_t first : {std::size_t{0}, std::size_t{512}, std::size_t{1024}}) {
    const std::size_t count = first == 1024 ? 276 : 512;
    detail::begin_all(chunks, first, count);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += get<0>(chunks).load(i).value != static_cast<float>(a[first + i]);
      wrong += get<1>(chunks).load(i).bits() != b[first + i].bits();
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("what is to be encoded is rounded once") {
  CHECK(detail::to_encode<float16>(exact<float16>{0.5f}) == 0.5f);
  CHECK(detail::to_encode<float16>(0.1f) == 0.1f);  // the encoding rounds
  CHECK(detail::to_encode<float16>(1.0 + 0x1p-11 + 0x1p-40) == 1.0f + 0x1p-10f);
}

TEST_CASE("a chunk of kept values says that the bias is in them") {
  using kept_halves = completed_lane<float16>::completed_row;
  using kept_brains = completed_lane<bfloat16>::completed_row;
  CHECK(detail::chunk_of<kept_halves>::completed);
  CHECK(detail::chunk_of<kept_brains>::completed);
  CHECK(!detail::chunk_of<halves>::completed);
}
