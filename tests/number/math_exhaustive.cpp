// SPDX-License-Identifier: MIT
//
// The accuracy of mezzo::math against the C library's next wider type. Every 997th float by default, all 2^32 with
// --all; doubles are sampled. Prints the largest error of each function in units in the last place; fails above the
// bound that the function documents. For builds without -ffast-math, which flushes subnormal numbers and deletes the
// tests for infinity below.
#include <mezzo/number/math.hpp>

#include <algorithm>  // max
#include <bit>        // bit_cast
#include <cmath>      // the reference
#include <cstdint>
#include <cstdio>
#include <cstring>  // strcmp
#include <limits>
#include <thread>

#if defined(__GNUC__) && !defined(__clang__)
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

constexpr int block = 1024;

// The errors of normal_cdf are counted in units of 1, since its lower tail promises no relative accuracy.
enum class unit { last_place, of_one };

struct cdf {
  template <class T>
  TEST_INLINE static constexpr T ours(T x) { return mezzo::math::normal_cdf(x); }
  template <class T>
  static T reference(T x) { return std::erfc(-x * static_cast<T>(0.70710678118654752440084436210484904L)) / 2; }
};
struct pdf {
  template <class T>
  TEST_INLINE static constexpr T ours(T x) { return mezzo::math::normal_pdf(x); }
  template <class T>
  static T reference(T x) {
    const T square = x * x;
    const T lost = std::isfinite(square) ? std::fma(x, x, -square) : 0;
    return std::exp(-square / 2) * (1 - lost / 2) * static_cast<T>(0.39894228040143267793994605993438187L);
  }
};
struct logistic {
  template <class T>
  TEST_INLINE static constexpr T ours(T x) { return mezzo::math::sigmoid(x); }
  template <class T>
  static T reference(T x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
};
struct below_zero {
  template <class T>
  TEST_INLINE static constexpr T ours(T x) { return mezzo::math::exp_below_zero(x < 0 ? x : -x); }
  template <class T>
  static T reference(T x) { return std::exp(-std::abs(x)); }
};
#define SAME_NAME(NAME) \
  struct NAME##_ { \
    template <class T> \
    TEST_INLINE static constexpr T ours(T x) { return mezzo::math::NAME(x); } \
    template <class T> \
    static T reference(T x) { return std::NAME(x); } \
  };
SAME_NAME(exp)
SAME_NAME(expm1)
SAME_NAME(log)
SAME_NAME(log1p)
SAME_NAME(tanh)
SAME_NAME(erf)
SAME_NAME(sqrt)

template <class Function, class T>
TEST_LOOP void apply(T* y, const T* x) {
  for (int i = 0; i < block; ++i) y[i] = Function::ours(x[i]);
}

template <class T, class Wide>
double error_of(T given, Wide right, unit in) {
  const T rounded = static_cast<T>(right);
  if (std::isnan(right) || std::isnan(given)) return std::isnan(right) && std::isnan(given) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(given)) {
    // On either side of the overflow threshold infinity and the largest number are one unit apart.
    if (given == rounded) return 0;
    return std::max(std::abs(given), std::abs(rounded)) > 0 &&
                   std::min(std::abs(given), std::abs(rounded)) == std::numeric_limits<T>::max()
               ? 1
               : HUGE_VAL;
  }
  int exponent = 0;
  std::frexp(right, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  if (in == unit::of_one) exponent = 0;
  return static_cast<double>(std::ldexp(std::abs(static_cast<Wide>(given) - right),
                                        std::numeric_limits<T>::digits - exponent));
}

struct worst {
  double error = 0;
  double at = 0;
};

template <class Function, class T, class Wide, class Bits>
worst measure(std::uint64_t first, std::uint64_t last, std::uint64_t stride, unit in, Bits bits) {
  worst found;
  T x[block];
  T y[block];
  while (first < last) {
    for (int i = 0; i < block; ++i) x[i] = bits(std::min(first + static_cast<std::uint64_t>(i) * stride, last - 1));
    apply<Function>(y, x);
    for (int i = 0; i < block; ++i) {
      const double error = error_of<T, Wide>(y[i], Function::reference(static_cast<Wide>(x[i])), in);
      if (!(error <= found.error)) found = {error, static_cast<double>(x[i])};
    }
    first += stride * block;
  }
  return found;
}

// Doubles whose sign and exponent spread over all that matters: 2^-40 to 2^11, and one in eight over every exponent.
double sample(std::uint64_t counter) {
  const std::uint64_t word = (counter + 1) * 0x9e3779b97f4a7c15ULL;
  const std::uint64_t mixed = (word ^ (word >> 29)) * 0xbf58476d1ce4e5b9ULL;
  const std::uint64_t random = mixed ^ (mixed >> 32);
  const std::uint64_t exponent = counter % 8 == 0 ? random >> 52 & 0x7ff : 1023 - 40 + (random >> 52 & 0x7ff) % 51;
  return std::bit_cast<double>((counter & 1) << 63 | exponent << 52 | (random & 0xfffffffffffffULL));
}

bool all_floats = false;
bool failed = false;

template <class Function>
void check(const char* name, double float_bound, double double_bound, unit in = unit::last_place) {
  constexpr std::uint64_t half = 1ULL << 31;
  const std::uint64_t stride = all_floats ? 1 : 997;
  const auto bits = [](std::uint64_t word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word)); };
  worst parts[2];
  std::thread other([&] { parts[0] = measure<Function, float, double>(0, half, stride, in, bits); });
  parts[1] = measure<Function, float, double>(half, 2 * half, stride, in, bits);
  other.join();
  const worst narrow = parts[0].error > parts[1].error ? parts[0] : parts[1];
  const worst wide = measure<Function, double, long double>(0, all_floats ? 30000000 : 300000, 1, in, sample);
  const bool holds = narrow.error <= float_bound && wide.error <= double_bound;
  failed = failed || !holds;
  std::printf("%-10s float %.4f (at %a, bound %g)  double %.4f (at %a, bound %g)%s%s\n", name, narrow.error, narrow.at,
              float_bound, wide.error, wide.at, double_bound, in == unit::of_one ? "  in units of 1" : "",
              holds ? "" : "  ABOVE ITS BOUND");
}

}  // namespace

int main(int count, char** arguments) {
  all_floats = count > 1 && std::strcmp(arguments[1], "--all") == 0;
  check<exp_>("exp", 1, 1);
  check<below_zero>("exp below", 1, 1);
  check<expm1_>("expm1", 1.5, 2);
  check<log_>("log", 1, 1);
  check<log1p_>("log1p", 1, 1);
  check<tanh_>("tanh", 1.5, 1.5);
  check<logistic>("sigmoid", 2.5, 2.5);
  check<erf_>("erf", 1.4, 1.4);
  check<cdf>("normal_cdf", 1.2, 1.2, unit::of_one);
  check<pdf>("normal_pdf", 1.7, 1.7);
  check<sqrt_>("sqrt", 0.5, 0.5);
  return failed ? 1 : 0;
}
