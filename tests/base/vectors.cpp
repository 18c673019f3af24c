// SPDX-License-Identifier: MIT
#include <mezzo/base/vectors.hpp>

#include <doctest/doctest.h>

#include <cstdint>

TEST_CASE("vectors are read from and written to any place, codes as upper halves of words") {
#if MEZZO_VECTORS
  using namespace mezzo::detail;
  float from[12], to[12] = {};
  std::uint16_t codes[12];
  for (int i = 0; i < 12; ++i) {
    from[i] = static_cast<float>(i) + 0.5f;
    codes[i] = static_cast<std::uint16_t>(0x3f80 + i);  // bfloat16 1 + i/128
  }
  typename vector_of<float, row_bytes>::type v;
  load_vector(from + 1, v);
  store_vector(v, to + 3);
  CHECK(to[2] == 0);
  for (int i = 0; i < 8; ++i) CHECK(to[3 + i] == from[1 + i]);
  CHECK(to[11] == 0);
  load_upper_halves(codes + 3, v);
  store_vector(v, to);
  for (int i = 0; i < 8; ++i) CHECK(to[i] == 1 + static_cast<float>(3 + i) / 128);
  typename vector_of<float, 16>::type even, odd;
  load_upper_halves(codes + 3, even, odd);
  store_vector(even, to);
  store_vector(odd, to + 4);
  for (int i = 0; i < 4; ++i) {
    CHECK(to[i] == 1 + static_cast<float>(3 + 2 * i) / 128);
    CHECK(to[4 + i] == 1 + static_cast<float>(4 + 2 * i) / 128);
  }
#endif
}
