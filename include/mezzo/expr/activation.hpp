// SPDX-License-Identifier: MIT
//
// Smooth and kinked functions of one operand. Where the derivative can be written in the result, it is, so that
// training keeps one tensor and not two.
#pragma once

#include <mezzo/expr/pointwise.hpp>
#include <mezzo/number/math.hpp>

namespace mezzo::inline MEZZO_ABI {

/// max(x, 0), +0 for either zero; NaN stays NaN; the derivative at 0 is 0.
struct relu_fn : pointwise_fn<op::relu, reads::result> {
  static constexpr bool selects = true;
  static constexpr bool commutes_with_rounding = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return x <= T(0) ? T(0) : x;
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T y, T) {
    return y > T(0) ? g : T(0);
  }
};

/// x·Φ(x) with the normal distribution function Φ (Hendrycks & Gimpel 2016, arXiv:1606.08415), the exact form. The
/// products with x carry its NaN.
struct gelu_fn : pointwise_fn<op::gelu, reads::operands> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    MEZZO_ROUND_EACH
    return x * math::detail::normal_cdf_of_number(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T x) {
    MEZZO_ROUND_EACH
    const auto normal = math::detail::normal_of_number(x);
    return g * math::fma(x, normal.pdf, normal.cdf);
  }
};

/// The same with Φ(x) ≈ σ(2u), u = √(2/π)·(x + 0.044715x³) (ibid., section 2), which is x/2·(1 + tanh u).
struct gelu_tanh_fn : pointwise_fn<op::gelu_tanh, reads::operands> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    MEZZO_ROUND_EACH
    return x * math::detail::sigmoid_of_number(twofold(x));
  }
  /// s + x·s·(1 − s)·2u' with s = σ(2u).
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T x) {
    MEZZO_ROUND_EACH
    const T s = math::detail::sigmoid_of_number(twofold(x));
    return g * math::fma(x * (s * (T(1) - s)), math::fma(T(3) * cubic<T>, square(x), twice<T>), s);
  }

 private:
  template <class T>
  static constexpr T twice = static_cast<T>(1.5957691216057307117597842397375);  // 2·√(2/π)
  template <class T>
  static constexpr T cubic = static_cast<T>(0.044715 * 1.5957691216057307117597842397375);

  template <class T>
  MEZZO_INLINE static constexpr T twofold(T x) {
    return x * math::fma(cubic<T>, square(x), twice<T>);
  }
  /// x², held where σ has long been 0 or 1, so that 1 − s = 0 meets no infinity.
  template <class T>
  MEZZO_INLINE static constexpr T square(T x) {
    return x * x < T(10000) ? x * x : T(10000);
  }
};

/// x·σ(x) (Elfwing et al. 2018, arXiv:1702.03118).
struct silu_fn : pointwise_fn<op::silu, reads::operands> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    MEZZO_ROUND_EACH
    return x * math::detail::sigmoid_of_number(x);
  }
  /// σ(x)·(1 + x·(1 − σ(x))).
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T x) {
    MEZZO_ROUND_EACH
    const T s = math::detail::sigmoid_of_number(x);
    return g * (s * math::fma(x, T(1) - s, T(1)));
  }
};

/// 1/(1 + exp(−x)).
struct sigmoid_fn : pointwise_fn<op::sigmoid, reads::result> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return math::sigmoid(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T y, T) {
    MEZZO_ROUND_EACH
    return g * (y * (T(1) - y));
  }
};

struct tanh_fn : pointwise_fn<op::tanh, reads::result> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return math::tanh(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T y, T) {
    MEZZO_ROUND_EACH
    return g * (T(1) - y * y);
  }
};

struct exp_fn : pointwise_fn<op::exp, reads::result> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return math::exp(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T y, T) {
    return g * y;
  }
};

/// Natural logarithm.
struct log_fn : pointwise_fn<op::log, reads::operands> {
  static constexpr bool polynomial = true;

  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return math::log(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T, T x) {
    return g / x;
  }
};

struct sqrt_fn : pointwise_fn<op::sqrt, reads::result> {
  template <class T>
  MEZZO_INLINE static constexpr T apply(T x) {
    return math::sqrt(x);
  }
  template <std::size_t I, class T>
  MEZZO_INLINE static constexpr T adjoint(T g, T y, T) {
    return T(0.5) * g / y;
  }
};

template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto relu(X&& x) {
  return make_node<relu_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto gelu(X&& x) {
  return make_node<gelu_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto gelu_tanh(X&& x) {
  return make_node<gelu_tanh_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto silu(X&& x) {
  return make_node<silu_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto sigmoid(X&& x) {
  return make_node<sigmoid_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto tanh(X&& x) {
  return make_node<tanh_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto exp(X&& x) {
  return make_node<exp_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto log(X&& x) {
  return make_node<log_fn>(std::forward<X>(x));
}
template <class X>
  requires operands<X>
[[nodiscard]] constexpr auto sqrt(X&& x) {
  return make_node<sqrt_fn>(std::forward<X>(x));
}

}  // namespace mezzo::inline MEZZO_ABI
