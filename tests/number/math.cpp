// SPDX-License-Identifier: MIT
#include <mezzo/number/math.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// The attributes that loops of the library carry: g++ would fuse products with sums where the file's flags allow it.
// What such a loop calls has to be inlined, or it is compiled with the file's flags.
#if defined(__clang__)
#define TEST_LOOP [[gnu::flatten]]
#elif defined(__GNUC__)
#define TEST_LOOP [[gnu::flatten, gnu::optimize("O3", "fp-contract=off", "no-math-errno", "no-trapping-math")]]
#else
#define TEST_LOOP
#endif
#if defined(__OPTIMIZE__) && (defined(__GNUC__) || defined(__clang__))
#define TEST_INLINE [[gnu::always_inline]] inline
#else
#define TEST_INLINE inline
#endif

namespace {

constexpr std::size_t count = 208;

template <class T>
constexpr std::array<T, count> arguments() {
  using limits = std::numeric_limits<T>;
  std::array<T, count> x{T(0),         limits::denorm_min(), (limits::min)(), limits::epsilon(),  T(0.25), T(0.5),
                         T(1),         T(2),                 T(10),           T(88.72283),        T(88.73), T(100),
                         T(103.9),     T(709.7),             T(745.1),        (limits::max)(),    limits::infinity(),
                         limits::quiet_NaN()};
  std::size_t filled = 18;
  for (std::uint64_t word = 1; filled < count / 2; ++filled) {
    word = word * 6364136223846793005U + 1442695040888963407U;
    const T fraction = T(1) + static_cast<T>(word >> 32) / T(4294967296);
    x[filled] = fraction * static_cast<T>(1U << (filled % 16)) / T(256);
  }
  for (std::size_t i = 0; i < count / 2; ++i) x[count / 2 + i] = mezzo::math::copysign(x[i], T(-1));
  return x;
}

/// Every fourth result: compilers limit the steps of a constant evaluation.
template <class Function, class T>
constexpr std::array<T, count> constant_results(std::size_t first) {
  constexpr auto x = arguments<T>();
  std::array<T, count> y{};
  for (std::size_t i = first; i < count; i += 4) y[i] = Function::of(x[i]);
  return y;
}
template <class Function, class T, std::size_t First>
constexpr auto results_from = constant_results<Function, T>(First);

template <class Function, class T>
std::array<T, count> all_constant_results() {
  const std::array<T, count>* const parts[] = {&results_from<Function, T, 0>, &results_from<Function, T, 1>,
                                               &results_from<Function, T, 2>, &results_from<Function, T, 3>};
  std::array<T, count> y{};
  for (std::size_t i = 0; i < count; ++i) y[i] = (*parts[i % 4])[i];
  return y;
}

template <class Function, class T>
TEST_LOOP T scalar(T x) {
  return Function::of(x);
}

template <class Function, class T>
TEST_LOOP void loop_plain(T* y, const T* x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) y[i] = Function::of(x[i]);
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
template <class Function, class T>
TEST_LOOP [[gnu::target("avx2,fma,f16c")]] void loop_avx2(T* y, const T* x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) y[i] = Function::of(x[i]);
}
template <class Function, class T>
TEST_LOOP [[gnu::target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma")]]
void loop_avx512(T* y, const T* x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) y[i] = Function::of(x[i]);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
template <class Function, class T>
void loop_avx2(T*, const T*, std::size_t) {}
template <class Function, class T>
void loop_avx512(T*, const T*, std::size_t) {}
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

template <class T>
bool same_bits(const std::array<T, count>& a, const std::array<T, count>& b) {
  using word = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    const bool equal = std::bit_cast<word>(a[i]) == std::bit_cast<word>(b[i]);
    if (!equal) MESSAGE("argument ", arguments<T>()[i], " gives ", a[i], " and ", b[i]);
    same = same && equal;
  }
  return same;
}

template <class Function, class T>
void check_type() {
  const auto expected = all_constant_results<Function, T>();
  const auto x = arguments<T>();
  std::array<T, count> y{};
  for (std::size_t i = 0; i < count; ++i) {
    const volatile T unknown = x[i];
    y[i] = scalar<Function>(T{unknown});
  }
  CHECK(same_bits(expected, y));
  y = {};
  loop_plain<Function>(y.data(), x.data(), count);
  CHECK(same_bits(expected, y));
  if (has_avx2()) {
    y = {};
    loop_avx2<Function>(y.data(), x.data(), count);
    CHECK(same_bits(expected, y));
  }
  if (has_avx512()) {
    y = {};
    loop_avx512<Function>(y.data(), x.data(), count);
    CHECK(same_bits(expected, y));
  }
}

template <class Function>
void check() {
  check_type<Function, float>();
  check_type<Function, double>();
}

#define FUNCTION(NAME) \
  struct NAME##_function { \
    template <class T> \
    TEST_INLINE static constexpr T of(T x) { \
      return mezzo::math::NAME(x); \
    } \
  };
FUNCTION(abs)
FUNCTION(exp)
FUNCTION(exp_below_zero)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log1p)
FUNCTION(tanh)
FUNCTION(sigmoid)
FUNCTION(erf)
FUNCTION(normal_cdf)
FUNCTION(normal_pdf)
FUNCTION(sqrt)

// -ffast-math permits other roundings, and makes the processor take subnormal numbers for 0.
#if defined(__FAST_MATH__)
constexpr bool fast_math = true;
#else
constexpr bool fast_math = false;
#endif

}  // namespace

TEST_CASE("constant evaluation, scalar code and vectors give the same bits" * doctest::skip(fast_math)) {
  check<abs_function>();
  check<exp_function>();
  check<exp_below_zero_function>();
  check<expm1_function>();
  check<log_function>();
  check<log1p_function>();
  check<tanh_function>();
  check<sigmoid_function>();
  check<erf_function>();
  check<normal_cdf_function>();
  check<normal_pdf_function>();
  check<sqrt_function>();
}
