// SPDX-License-Identifier: MIT
#include <mezzo/base/pack.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using mezzo::apply_pack;
using mezzo::concat;
using mezzo::get;
using mezzo::make_pack;
using mezzo::pack;
using mezzo::pack_element_t;

struct nothing {
  friend constexpr bool operator==(nothing, nothing) { return true; }
};

constexpr auto three = make_pack(1, 2.5, 'c');
static_assert(std::is_same_v<decltype(three), const pack<int, double, char>>);
static_assert(decltype(three)::size == 3 && pack<>::size == 0);
static_assert(get<0>(three) == 1 && get<1>(three) == 2.5 && get<2>(three) == 'c');
static_assert(std::is_same_v<pack_element_t<1, pack<int, double, char>>, double>);
static_assert(std::is_same_v<pack_element_t<0, const pack<const int*>>, const int*>);

static_assert(std::is_trivially_copyable_v<pack<int, double>> && std::is_aggregate_v<pack<int, double>>);
static_assert(std::is_empty_v<pack<>> && std::is_empty_v<pack<nothing>>);
static_assert(sizeof(pack<nothing, float>) == sizeof(float), "an element without members takes no memory");

// Equal types stay separate elements.
constexpr int doubled_second(pack<int, int> values) {
  get<1>(values) *= 2;
  return get<0>(values) * 100 + get<1>(values);
}
static_assert(doubled_second(make_pack(3, 4)) == 308);

static_assert(apply_pack([](auto... v) { return (0.0 + ... + static_cast<double>(v)); }, make_pack(1, 2.5f, 3.5)) == 7);
static_assert(apply_pack([] { return 5; }, make_pack()) == 5);

constexpr const int& first_of(const pack<int, nothing>& p) {
  return apply_pack([](const int& a, nothing) -> const int& { return a; }, p);
}
constexpr pack<int, nothing> held = make_pack(6, nothing{});
static_assert(&first_of(held) == &get<0>(held), "a reference to an element passes through");

constexpr int in_order() {
  int digits = 0;
  mezzo::for_each_index<4>([&](auto i) { digits = digits * 10 + static_cast<int>(decltype(i)::value); });
  mezzo::for_each_index<0>([&](auto) { digits = -1; });
  return digits;
}
static_assert(in_order() == 123);

static_assert(std::is_same_v<decltype(concat()), pack<>>);
static_assert(std::is_same_v<decltype(concat(make_pack(1))), pack<int>>);
static_assert(std::is_same_v<decltype(concat(make_pack(1, 2.0), make_pack('a'))), pack<int, double, char>>);
static_assert(std::is_same_v<decltype(concat(make_pack(), make_pack(1), make_pack(2.0), make_pack())),
                             pack<int, double>>);
constexpr auto joined = concat(make_pack(1), make_pack(2, 3), make_pack(), make_pack(4, 5));
static_assert(apply_pack([](auto... v) { return ((v > 2 ? v : 0) + ...); }, joined) == 3 + 4 + 5);
static_assert(get<0>(joined) == 1 && get<2>(joined) == 3 && get<4>(joined) == 5);

}  // namespace

TEST_CASE("elements of a pack are read and written by position") {
  pack<int, nothing, double> values = make_pack(1, nothing{}, 0.5);
  get<0>(values) = 7;
  get<2>(values) += 1;
  CHECK(get<0>(values) == 7);
  CHECK(get<1>(values) == nothing{});
  CHECK(get<2>(values) == 1.5);
  const auto copy = values;
  get<0>(values) = 0;
  CHECK(get<0>(copy) == 7);
}

TEST_CASE("packs hold packs") {
  const auto nested = make_pack(make_pack(1, 2), make_pack());
  CHECK(get<1>(get<0>(nested)) == 2);
  CHECK(get<1>(nested).size == 0);
}
