// SPDX-License-Identifier: MIT
#include <mezzo/tensor/tensor.hpp>

#include <mezzo/number/minifloat.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace {

using mezzo::float16;
using mezzo::heap_array;
using mezzo::shape;
using mezzo::tensor;

constexpr std::size_t any = mezzo::dynamic_extent;
using matrix = tensor<float, shape<2, 3>>;

template <class T>
bool aligned(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % heap_array<T>::alignment == 0;
}

// In constant evaluation.
constexpr bool counts_up() {
  const matrix m{0, 1, 2, 3, 4, 5};
  float next = 0;
  for (const float& value : m)
    if (value != next++) return false;
  return m(1, 2) == 5 && m.size() == 6 && m.extent(0) == 2 && m.extents() == shape<2, 3>{};
}
static_assert(counts_up());

constexpr bool zero_or_filled() {
  matrix zeros;
  const tensor<float16, shape<any>> ones(shape<any>(3), float16(1));
  const tensor<float, shape<>> number(shape<>{}, 3.0f);
  zeros.fill(zeros(1, 2) + 2);
  return zeros(0, 0) == 2 && ones(2) == 1 && tensor<int, shape<2>>{}(1) == 0 && number() == 3 && matrix::rank() == 2;
}
static_assert(zero_or_filled());

constexpr bool owns_its_elements() {
  matrix a{0, 1, 2, 3, 4, 5};
  matrix b = a;
  b(0, 0) = 9;
  matrix c = std::move(b);
  a = c;
  c(0, 0) = 1;
  a = *&a;
  return a(0, 0) == 9 && c(0, 0) == 1 && a(1, 2) == 5 && b.size() == 0;
}
static_assert(owns_its_elements());

// A view is given by what has a name.
template <class T>
concept gives_a_view = requires(T&& t) { std::forward<T>(t).as_view(); };
static_assert(gives_a_view<matrix&> && gives_a_view<const matrix&>);
static_assert(!gives_a_view<matrix> && !gives_a_view<const matrix>);
static_assert(std::is_same_v<decltype(std::declval<matrix&>().as_view()), mezzo::view<float, shape<2, 3>>>);
static_assert(std::is_same_v<decltype(std::declval<const matrix&>().as_view()), mezzo::view<const float, shape<2, 3>>>);

static_assert(std::is_nothrow_move_constructible_v<matrix> && std::is_nothrow_move_assignable_v<matrix>);
static_assert(std::is_constructible_v<matrix, std::initializer_list<float>> &&
              !std::is_constructible_v<tensor<float, shape<any>>, std::initializer_list<float>>);
static_assert(!std::is_convertible_v<shape<any>, tensor<float, shape<any>>>);
static_assert(mezzo::detail::is_tensor<matrix> && !mezzo::detail::is_tensor<matrix::view_type>);
static_assert(sizeof(matrix) <= 3 * sizeof(std::size_t));

}  // namespace

TEST_CASE("elements begin at a cache line and are zero") {
  const tensor<double, shape<any, 3>> t(shape<any, 3>(5));
  CHECK(aligned(t.data()));
  CHECK(t.end() - t.begin() == 15);
  for (const double& value : t) CHECK(value == 0);
  const heap_array<char> one(1);
  CHECK(aligned(one.data()));
}

TEST_CASE("a tensor without elements has no memory") {
  const tensor<float, shape<any, 3>> t(shape<any, 3>(0));
  CHECK(t.size() == 0);
  CHECK(t.data() == nullptr);
  CHECK(t.as_view().empty());
  const auto copy = t;
  CHECK(copy.extents() == t.extents());
}

TEST_CASE("copies are deep and moves keep the address") {
  matrix a{0, 1, 2, 3, 4, 5};
  const float* address = a.data();
  matrix copy = a;
  CHECK(copy.data() != a.data());
  matrix moved = std::move(a);
  CHECK(moved.data() == address);
  copy = std::move(moved);
  CHECK(copy.data() == address);
  copy.as_view()(1, 2) = 8;
  CHECK(std::as_const(copy)(1, 2) == 8);
  CHECK(copy.begin()[5] == 8);
}

TEST_CASE("a tensor takes as many values as it has elements") {
  CHECK_THROWS_WITH_AS((matrix{1, 2}),
                       "mezzo::tensor: the list must have as many values as the tensor has elements, 6; given 2; add "
                       "or remove values",
                       mezzo::error);
  CHECK_THROWS_AS((tensor<float, shape<any>>(shape<any>(1), {1, 2})), mezzo::error);
  CHECK_NOTHROW((tensor<float, shape<any>>(shape<any>(2), {1, 2})));
}

TEST_CASE("sizes that no memory can hold are refused") {
  const volatile std::size_t unforeseen = (std::numeric_limits<std::size_t>::max)();
  const std::size_t most = unforeseen;
  CHECK_THROWS_WITH_AS(heap_array<double>(most / 4), "mezzo::heap_array: the size in bytes must fit std::size_t",
                       mezzo::error);
  // The product of these sizes is 0 in std::size_t.
  const std::size_t root = most / 2 + 1;
  CHECK_THROWS_WITH_AS((tensor<float, shape<any, any>>(shape<any, any>(root, 2))),
                       doctest::Contains("the number of elements must fit std::size_t; given "), mezzo::error);
  CHECK_NOTHROW((tensor<float, shape<any, any>>(shape<any, any>(root, 0))));
}
