// SPDX-License-Identifier: MIT
#include <mezzo/backend/matrix_operand.hpp>

#include <mezzo/backend/sinks.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace mezzo;

namespace {

using plain = matrix_operand<precision<as_given, float, float>, float>;

constexpr float elements[] = {0, 1, 2, 3, 4, 5};  // 2 rows, 3 columns
constexpr plain matrix{elements, 3, 1};

static_assert(matrix.rows_run() && matrix.element(1, 0) == 3 && matrix.element(0, 2) == 2);
static_assert(!transposed(matrix).rows_run() && transposed(matrix).element(2, 1) == 5);
static_assert(std::is_same_v<decltype(transposed(matrix)), plain>);

// An operand that knows no strides is wrapped, and unwrapped again.
constexpr transposed_operand<plain> flipped{matrix};
static_assert(!flipped.rows_run() && flipped.element(2, 1) == 5);
static_assert(std::is_same_v<std::remove_const_t<decltype(transposed(flipped))>, plain>);
static_assert(transposed(flipped).element(0, 2) == 2);

template <class Operand>
constexpr bool runs_give_elements(const Operand& operand, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t count = 0; count <= columns - j; ++count) {
        float out[12];
        for (float& o : out) o = -1;
        operand.row_run(i, j, count, out);
        for (std::size_t n = 0; n < 12; ++n)
          if (out[n] != (n < count ? operand.element(i, j + n) : -1)) return false;
      }
  return true;
}
static_assert(runs_give_elements(matrix, 2, 3) && runs_give_elements(transposed(matrix), 3, 2));
static_assert(runs_give_elements(flipped, 3, 2));

// A wider operand is rounded to the low type on the way.
constexpr float wide[] = {2049};
static_assert(matrix_operand<precision<float16, float, float16>, float>{wide, 1, 1}.element(0, 0) == 2048);

}  // namespace

TEST_CASE("a product's rows arrive at their place in a row-major matrix") {
  float out[8]{};
  const float values[] = {1, 2};
  tally sum;
  matrix_sink<store_sink<float>>{{out}, 4}.tile_row(1, 2, 2, values, sum);
  CHECK(out[5] == 0);
  CHECK(out[6] == 1);
  CHECK(out[7] == 2);
}
