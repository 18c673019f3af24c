// SPDX-License-Identifier: MIT
#include <mezzo/expr/explain.hpp>

#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/convolve.hpp>
#include <mezzo/expr/pool.hpp>
#include <mezzo/expr/softmax.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>

using namespace mezzo;

namespace {

template <class T, std::size_t... Sizes>
using memory = view<const T, shape<Sizes...>>;

using O1 = policies::O1<float16>;
using O2 = policies::O2<bfloat16>;
using O3 = policies::O3<float16>;

// Explanations need sizes and no memory.
constexpr memory<float, 5, 3> x{};
constexpr memory<float, 3, 2> w{};
constexpr memory<float, 2> b{};
constexpr memory<float16, 5, 3> low{};
constexpr memory<double, 3> wide{};
constexpr memory<std::int32_t, 5> labels{};

static_assert(explain<O1>(relu(matmul(x, w))) ==
              "relu: neutral, float16 in, float32 inside, float16 out (rounds)\n"
              "  matmul: lower, float16 in, float32 inside, float16 out (rounds)\n"
              "    float32 [5, 3] → float16 (rounds)\n"
              "    float32 [3, 2] → float16 (rounds)");

// A bias takes the accumulator as it is.
static_assert(explain<O2>(linear(x, w, b)) ==
              "bias of linear: lower, bfloat16 in, float32 inside, bfloat16 out (rounds)\n"
              "  linear: lower, bfloat16 in, float32 inside, float32 out (accumulator)\n"
              "    float32 [5, 3] → bfloat16 (rounds)\n"
              "    float32 [3, 2] → bfloat16 (rounds)\n"
              "  float32 [2] → bfloat16 (rounds)");
static_assert(explain<policies::O0<>>(linear(low, w, b)) ==
              "bias of linear: lower, float32 in, float32 inside, float32 out\n"
              "  linear: lower, float16 and float32 in, float32 inside, float32 out (accumulator)\n"
              "    float16 [5, 3]\n"
              "    float32 [3, 2]\n"
              "  float32 [2]");

// An operation is cast like a leaf; a transposition moves values and computes nothing.
static_assert(explain<O1>(matmul(softmax(matmul(x, w)), transpose(w))) ==
              "matmul: lower, float16 in, float32 inside, float16 out (rounds)\n"
              "  softmax: full, float16 in, float32 inside, float32 out → float16 (rounds)\n"
              "    matmul: lower, float16 in, float32 inside, float16 out (rounds)\n"
              "      float32 [5, 3] → float16 (rounds)\n"
              "      float32 [3, 2] → float16 (rounds)\n"
              "  transpose: neutral, float32 in, float32 out → float16 (rounds)\n"
              "    float32 [3, 2]");
static_assert(explain<O3>(transpose(x)) ==
              "transpose: neutral, float32 in, float32 out\n  float32 [5, 3]");
static_assert(explain<policies::O0<>>(transpose(low)) ==
              "transpose: neutral, float16 in, float16 out\n  float16 [5, 3]");

// Labels and numbers are never cast; a loss is float32 at every level.
static_assert(explain<O3>(cross_entropy(x, labels)) ==
              "cross_entropy_loss: full, float32 and int32 in, float32 inside, float32 out\n"
              "  float32 [5, 3]\n"
              "  int32 [5]");
static_assert(explain<O3>(2.0f * low) ==
              "mul: promote, float16 in, float32 inside, float16 out (rounds)\n"
              "  number\n"
              "  float16 [5, 3]");

// double decides where it takes part, and is lowered only by name.
static_assert(explain<O1>(low + wide) ==
              "add: promote, float16 and float64 in, float64 inside, float64 out\n"
              "  float16 [5, 3]\n"
              "  float64 [3]");
static_assert(explain<policies::O1<float16, keep<float, op::exp>>>(exp(wide)) ==
              "exp: full, float32 in, float32 inside, float32 out\n  float64 [3] → float32 (rounds)");

// Widening is exact; between the two 16-bit formats neither holds the other.
static_assert(explain<policies::O1<float16, keep<float, op::relu>>>(relu(low)) ==
              "relu: neutral, float32 in, float32 inside, float32 out\n  float16 [5, 3] → float32");
static_assert(explain<O2>(gelu(low)) ==
              "gelu: accumulate, float16 in, float32 inside, float16 out (rounds)\n  float16 [5, 3]");
static_assert(explain<O2>(exp(low)) ==
              "exp: full, bfloat16 in, float32 inside, bfloat16 out (rounds)\n  float16 [5, 3] → bfloat16 (rounds)");

// Leaves alone, of every element type and rank, with sizes known now or later.
static_assert(explain<O2>(x) == "float32 [5, 3]" && explain(wide) == "float64 [3]");
static_assert(explain(memory<std::uint8_t>{}) == "uint8 []");
static_assert(explain(memory<bool, 0>{}) == "bool [0]");
static_assert(explain(memory<std::int64_t, dynamic_extent, 7>{nullptr, shape<dynamic_extent, 7>(12)}) ==
              "int64 [12, 7]");

// What an autocast has bound stays bound.
static_assert(explain(autocast<O1>(relu(matmul(x, w)))).c_str()[0] == 'r');
static_assert(explain<O1>(relu(autocast<policies::O1<bfloat16>>(matmul(x, w)))) ==
              "relu: neutral, bfloat16 in, float32 inside, bfloat16 out (rounds)\n"
              "  matmul: lower, bfloat16 in, float32 inside, bfloat16 out (rounds)\n"
              "    float32 [5, 3] → bfloat16 (rounds)\n"
              "    float32 [3, 2] → bfloat16 (rounds)");

// Without a policy: the types of a plain store.
static_assert(explain(sqrt(low)) ==
              "sqrt: accumulate, float16 in, float32 inside, float16 out (rounds)\n  float16 [5, 3]");

static_assert(!(explain(x) == "float32 [5, 3") && !(explain(x) == "float32 [5, 3]]") && !(explain(x) == ""));

struct byte_float {  // as OFP8 E5M2
  using storage = std::uint8_t;
  static constexpr int exponent_bits = 5;
  static constexpr int mantissa_bits = 2;
  static constexpr int bias = 15;
  static constexpr specials special = specials::ieee;
};
struct finite_byte_float {  // as E4M3
  using storage = std::uint8_t;
  static constexpr int exponent_bits = 4;
  static constexpr int mantissa_bits = 3;
  static constexpr int bias = 7;
  static constexpr specials special = specials::nan;
};
using e5m2 = minifloat<byte_float>;
using e4m3 = minifloat<finite_byte_float>;
static_assert(detail::holds_all<float16, e5m2>() && detail::holds_all<float16, e4m3>() &&
              detail::holds_all<bfloat16, e4m3>());
static_assert(detail::holds_all<double, float>() && detail::holds_all<float, bfloat16>() &&
              detail::holds_all<e4m3, e4m3>());
static_assert(!detail::holds_all<e5m2, float16>() && !detail::holds_all<e4m3, e5m2>() &&
              !detail::holds_all<e5m2, e4m3>());
static_assert(!detail::holds_all<bfloat16, float16>() && !detail::holds_all<float16, bfloat16>() &&
              !detail::holds_all<float, double>());

template <int Depth, class E>
auto doubled(const E& e) {
  if constexpr (Depth == 0)
    return e;
  else
    return doubled<Depth - 1>(e + e);
}

}  // namespace

TEST_CASE("tensors are leaves, and sizes of run time are those of the tensor") {
  const tensor<float, shape<dynamic_extent, 1, 4, 4>> image(shape<dynamic_extent, 1, 4, 4>(3));
  const tensor<bfloat16, shape<2, 1, 3, 3>> kernel;
  const auto text = explain<O2>(max_pool2d<2>(convolve2d<same>(image, kernel)));
  CHECK(std::string(text.c_str()) ==
        "max_pool2d: neutral, bfloat16 in, float32 inside, bfloat16 out (rounds)\n"
        "  conv2d: lower, bfloat16 in, float32 inside, bfloat16 out (rounds)\n"
        "    float32 [3, 1, 4, 4] → bfloat16 (rounds)\n"
        "    bfloat16 [2, 1, 3, 3]");
  CHECK(explain(image) == "float32 [3, 1, 4, 4]");
}

TEST_CASE("a bound expression and its policy give the same text") {
  const auto e = mean(softmax(matmul(x, w)) * 2.0);
  const auto direct = explain<O1>(e);
  CHECK(direct == explain(autocast<O1>(e)).c_str());
  CHECK(direct == explain<O2>(autocast<O1>(e)).c_str());
  CHECK(!(direct == explain<O2>(e).c_str()));
  CHECK(!direct.is_cut());
}

TEST_CASE("the text is terminated and knows its size") {
  const auto text = explain<O1>(relu(x));
  CHECK(text.size() == std::strlen(text.c_str()));
  CHECK(text.data() == text.c_str());
}

TEST_CASE("a text that is too long is cut between characters and ends in an ellipsis") {
  const auto text = explain<O1>(doubled<8>(relu(matmul(x, w))));
  CHECK(text.is_cut());
  CHECK(text.size() == std::strlen(text.c_str()));
  CHECK(text.size() < explanation::capacity);
  const std::string all(text.c_str());
  CHECK(all.substr(all.size() - std::strlen("…")) == "…");

  // An arrow of three bytes at each distance from the end: whole, or gone.
  for (std::size_t before = explanation::capacity - 12; before < explanation::capacity; ++before) {
    explanation edge;
    for (std::size_t i = 0; i < before; ++i) edge << "x";
    edge << "→→→→→";
    REQUIRE(edge.is_cut());
    REQUIRE(edge.size() < explanation::capacity);
    REQUIRE(edge.size() + 6 >= explanation::capacity);
    std::string rest(edge.c_str());
    REQUIRE(rest.size() == edge.size());
    rest = rest.substr(before < rest.size() - 3 ? before : rest.size() - 3);
    for (; rest.substr(0, 3) == "→"; rest = rest.substr(3)) {
    }
    REQUIRE(rest == "…");
  }
  explanation full;
  for (std::size_t i = 1; i < explanation::capacity; ++i) full << "y";
  CHECK(!full.is_cut());
  CHECK(full.size() == explanation::capacity - 1);
}
