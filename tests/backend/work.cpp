// SPDX-License-Identifier: MIT
// not under -Ofast: nothing in it computes with floating point
#include <mezzo/backend/work.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace mezzo;

namespace {

/// Runs kernels as `reference` does and keeps what they say of themselves.
struct listening {
  static constexpr const char* name = "listening";
  reference on{};
  workspace& memory = on.memory;
  std::vector<kernel_work> heard{};

  template <class, class>
  static constexpr bool supports = true;
  template <real T>
  bool native() const {
    return true;
  }
  template <class Kernel>
  tally run(const Kernel& kernel) {
    heard.push_back(kernel.work());
    return on.run(kernel);
  }
  template <class A, class B, class Sink>
  tally multiply(const A& a, const B& b, const product_shape& shape, const Sink& sink) {
    return on.multiply(a, b, shape, sink);
  }
};

}  // namespace

TEST_CASE("instructions add by kind") {
  constexpr instructions sum = instructions{1, 2, 3, 4} + instructions{10, 20, 30, 40};
  static_assert(sum.plain_16 == 11 && sum.plain_32 == 22 && sum.slow_16 == 33 && sum.slow_32 == 44);
  static_assert(sum.count() == 110);
}

TEST_CASE("an elementwise kernel moves its operands and its result, a repeated operand once") {
  tensor<float, shape<6, 32>> x, y;
  tensor<float, shape<6, 1>> column;
  tensor<float16, shape<6, 32>> half;
  listening on;
  into(on, y) = x * y + 2.0f;
  into(on, half) = x;
  into(on, y) = x + column;
  REQUIRE(on.heard.size() == 3);
  CHECK(on.heard[0].name.text == std::string("mul+add"));
  CHECK(on.heard[0].elements == 192);
  CHECK(on.heard[0].each.plain_32 == 2);
  CHECK(on.heard[0].bytes_in == 2 * 192 * 4);
  CHECK(on.heard[0].bytes_out == 192 * 4);
  CHECK(on.heard[1].bytes_out == 192 * 2);
  CHECK(on.heard[2].bytes_in < 2 * 192 * 4);
}

TEST_CASE("what a row kernel does with its results counts with it") {
  tensor<float, shape<6, 32>> x;
  tensor<bfloat16, shape<6, 32>> y;
  listening on;
  into(on, y) = relu(softmax(x));
  REQUIRE(on.heard.size() == 1);
  CHECK(on.heard[0].name.text == std::string("softmax+relu"));
  CHECK(on.heard[0].bytes_in == 192 * 4);
  CHECK(on.heard[0].bytes_out == 192 * 2);
  CHECK(on.heard[0].each.slow_32 == 1);
  CHECK(on.heard[0].reduced == 2 * 192);
}

TEST_CASE("memory that is read and written is counted and kept, as far as there is room") {
  constexpr bool as_said = [] {
    const float x[10] = {};
    const kernel_work work = kernel_work{}.reading(x, 10).reading(x + 1, 4).writing(x, 3).reading<float>(nullptr, 7);
    kernel_work many;
    for (int i = 0; i < 6; ++i) many = many.reading(x + i, 1);
    return work.bytes_in == 56 && work.bytes_out == 12 && work.reads[1].data == x + 1 && work.reads[1].bytes == 16 &&
           work.reads[2].data == nullptr && work.writes[0].bytes == 12 && many.bytes_in == 24;
  }();
  static_assert(as_said);
  CHECK(as_said);
}
