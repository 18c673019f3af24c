// SPDX-License-Identifier: MIT
#include <mezzo/number/hash.hpp>

#include <doctest/doctest.h>

#include <unordered_set>

namespace {

using namespace mezzo;

template <class T>
constexpr bool zeros_share_a_hash() {
  const std::hash<T> hash;
  return hash(T(0)) == hash(-T(0)) && hash(T(1)) == hash(T(1.0)) && hash(T(1)) != hash(T(-1)) &&
         hash(T(1)) != hash(T(2));
}
static_assert(zeros_share_a_hash<float16>() && zeros_share_a_hash<bfloat16>() && zeros_share_a_hash<hifloat8>());

}  // namespace

TEST_CASE("equal numbers hash alike, the two zeros too") {
  CHECK(zeros_share_a_hash<float16>());
  CHECK(zeros_share_a_hash<bfloat16>());
  CHECK(zeros_share_a_hash<hifloat8>());
}

TEST_CASE("a set of numbers holds each once") {
  std::unordered_set<float16> set;
  for (int i = -10; i <= 10; ++i) set.insert(float16(i));
  set.insert(-float16(0));
  set.insert(float16(3.0));
  CHECK(set.size() == 21);
}
