// SPDX-License-Identifier: MIT
#include "rows_by_hand.hpp"

#if defined(__AVX512BF16__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <cmath>

namespace by_hand {
namespace {

using u16 = std::uint16_t;

static inline __m512 ld_bf16(const u16* p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p)), 16));
}
static inline void st_bf16(u16* p, __m512 v) { _mm256_storeu_si256((__m256i*)p, (__m256i)_mm512_cvtneps_pbh(v)); }
// exp with a degree-5 polynomial after range reduction; ~2 ulp on [-87, 88].
static inline __m512 exp512(__m512 x) {
  x = _mm512_max_ps(_mm512_min_ps(x, _mm512_set1_ps(88.3f)), _mm512_set1_ps(-87.3f));
  const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 r = _mm512_fnmadd_ps(k, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fnmadd_ps(k, _mm512_set1_ps(-2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.9875691500e-4f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
  p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, _mm512_set1_ps(1.0f)));
  return _mm512_scalef_ps(p, k);
}
// erf by Abramowitz & Stegun 7.1.26 (|error| < 1.5e-7); also hands back exp(-x*x).
static inline __m512 erf512(__m512 x, __m512& ex2) {
  const __m512 ax = _mm512_abs_ps(x);
  const __m512 t =
      _mm512_div_ps(_mm512_set1_ps(1.f), _mm512_fmadd_ps(_mm512_set1_ps(0.3275911f), ax, _mm512_set1_ps(1.f)));
  __m512 p = _mm512_set1_ps(1.061405429f);
  p = _mm512_fmadd_ps(p, t, _mm512_set1_ps(-1.453152027f));
  p = _mm512_fmadd_ps(p, t, _mm512_set1_ps(1.421413741f));
  p = _mm512_fmadd_ps(p, t, _mm512_set1_ps(-0.284496736f));
  p = _mm512_fmadd_ps(p, t, _mm512_set1_ps(0.254829592f));
  p = _mm512_mul_ps(p, t);
  ex2 = exp512(_mm512_sub_ps(_mm512_setzero_ps(), _mm512_mul_ps(x, x)));
  const __m512 r = _mm512_fnmadd_ps(p, ex2, _mm512_set1_ps(1.f));
  return _mm512_or_ps(r, _mm512_and_ps(x, _mm512_set1_ps(-0.f)));
}

template <class T>
static inline __m512 ld(const T* p) {
  if constexpr (sizeof(T) == 2)
    return ld_bf16((const u16*)p);
  else
    return _mm512_loadu_ps((const float*)p);
}
template <class T>
static inline void st(T* p, __m512 v) {
  if constexpr (sizeof(T) == 2)
    st_bf16((u16*)p, v);
  else
    _mm512_storeu_ps((float*)p, v);
}

template <class T>
static void softmax_fwd_row(const T* x, T* y) {
  alignas(64) float e[length];
  __m512 mx = ld(x);
  for (int i = 16; i < length; i += 16) mx = _mm512_max_ps(mx, ld(x + i));
  const __m512 mv = _mm512_set1_ps(_mm512_reduce_max_ps(mx));
  __m512 s0 = _mm512_setzero_ps(), s1 = s0;
  for (int i = 0; i < length; i += 32) {
    const __m512 a = exp512(_mm512_sub_ps(ld(x + i), mv)), b = exp512(_mm512_sub_ps(ld(x + i + 16), mv));
    s0 = _mm512_add_ps(s0, a);
    s1 = _mm512_add_ps(s1, b);
    _mm512_store_ps(e + i, a);
    _mm512_store_ps(e + i + 16, b);
  }
  const __m512 inv = _mm512_set1_ps(1.f / _mm512_reduce_add_ps(_mm512_add_ps(s0, s1)));
  for (int i = 0; i < length; i += 16) st(y + i, _mm512_mul_ps(_mm512_load_ps(e + i), inv));
}
template <class T>
static void softmax_bwd_row(const T* y, const T* dy, T* dx) {
  __m512 s0 = _mm512_setzero_ps(), s1 = s0;
  for (int i = 0; i < length; i += 32) {
    s0 = _mm512_fmadd_ps(ld(y + i), ld(dy + i), s0);
    s1 = _mm512_fmadd_ps(ld(y + i + 16), ld(dy + i + 16), s1);
  }
  const __m512 d = _mm512_set1_ps(_mm512_reduce_add_ps(_mm512_add_ps(s0, s1)));
  for (int i = 0; i < length; i += 16) st(dx + i, _mm512_mul_ps(ld(y + i), _mm512_sub_ps(ld(dy + i), d)));
}
template <class T>
static void ln_fwd_row(const T* x, T* y, const float* ga, const float* be, float& mean, float& rstd) {
  __m512 s = _mm512_setzero_ps(), s2 = s, q = s, q2 = s;
  for (int i = 0; i < length; i += 32) {
    const __m512 a = ld(x + i), b = ld(x + i + 16);
    s = _mm512_add_ps(s, a);
    s2 = _mm512_add_ps(s2, b);
  }
  const float mu = _mm512_reduce_add_ps(_mm512_add_ps(s, s2)) / length;
  const __m512 m = _mm512_set1_ps(mu);
  for (int i = 0; i < length; i += 32) {
    const __m512 a = _mm512_sub_ps(ld(x + i), m), b = _mm512_sub_ps(ld(x + i + 16), m);
    q = _mm512_fmadd_ps(a, a, q);
    q2 = _mm512_fmadd_ps(b, b, q2);
  }
  const float rs = 1.f / std::sqrt(_mm512_reduce_add_ps(_mm512_add_ps(q, q2)) / length + 1e-5f);
  const __m512 r = _mm512_set1_ps(rs);
  for (int i = 0; i < length; i += 16)
    st(y + i,
       _mm512_fmadd_ps(_mm512_mul_ps(_mm512_sub_ps(ld(x + i), m), r), _mm512_load_ps(ga + i), _mm512_load_ps(be + i)));
  mean = mu;
  rstd = rs;
}
template <class T>
static void ln_bwd_row(const T* x, const T* dy, T* dx, const float* ga, float mean, float rstd, float* dga,
                       float* dbe) {
  const __m512 m = _mm512_set1_ps(mean), r = _mm512_set1_ps(rstd);
  __m512 s = _mm512_setzero_ps(), q = s;
  for (int i = 0; i < length; i += 16) {
    const __m512 d = ld(dy + i), xh = _mm512_mul_ps(_mm512_sub_ps(ld(x + i), m), r),
                 gd = _mm512_mul_ps(d, _mm512_load_ps(ga + i));
    s = _mm512_add_ps(s, gd);
    q = _mm512_fmadd_ps(gd, xh, q);
    _mm512_store_ps(dga + i, _mm512_fmadd_ps(d, xh, _mm512_load_ps(dga + i)));
    _mm512_store_ps(dbe + i, _mm512_add_ps(d, _mm512_load_ps(dbe + i)));
  }
  const __m512 a = _mm512_set1_ps(_mm512_reduce_add_ps(s) / length),
               b = _mm512_set1_ps(_mm512_reduce_add_ps(q) / length);
  for (int i = 0; i < length; i += 16) {
    const __m512 xh = _mm512_mul_ps(_mm512_sub_ps(ld(x + i), m), r),
                 gd = _mm512_mul_ps(ld(dy + i), _mm512_load_ps(ga + i));
    st(dx + i, _mm512_mul_ps(r, _mm512_sub_ps(_mm512_sub_ps(gd, a), _mm512_mul_ps(xh, b))));
  }
}
template <class T>
static void gelu_fwd_row(const T* x, T* y) {
  for (int i = 0; i < length; i += 16) {
    __m512 e;
    const __m512 v = ld(x + i), f = erf512(_mm512_mul_ps(v, _mm512_set1_ps(0.70710678f)), e);
    st(y + i, _mm512_mul_ps(_mm512_mul_ps(v, _mm512_set1_ps(0.5f)), _mm512_add_ps(f, _mm512_set1_ps(1.f))));
  }
}
template <class T>
static void gelu_bwd_row(const T* x, const T* dy, T* dx) {
  for (int i = 0; i < length; i += 16) {
    __m512 e;
    const __m512 v = ld(x + i), f = erf512(_mm512_mul_ps(v, _mm512_set1_ps(0.70710678f)), e);
    const __m512 cdf = _mm512_fmadd_ps(f, _mm512_set1_ps(0.5f), _mm512_set1_ps(0.5f));
    st(dx + i, _mm512_mul_ps(ld(dy + i), _mm512_fmadd_ps(_mm512_mul_ps(v, _mm512_set1_ps(0.39894228f)), e, cdf)));
  }
}
template <class T>
static void gelu_tanh_fwd_row(const T* x, T* y) {  // 0.5 x (1 + tanh(u)) = x * sigmoid(2u)
  for (int i = 0; i < length; i += 16) {
    const __m512 v = ld(x + i);
    const __m512 u2 =
        _mm512_mul_ps(_mm512_mul_ps(v, _mm512_set1_ps(-1.59576912f)),
                      _mm512_fmadd_ps(_mm512_mul_ps(v, v), _mm512_set1_ps(0.044715f), _mm512_set1_ps(1.f)));
    st(y + i, _mm512_div_ps(v, _mm512_add_ps(_mm512_set1_ps(1.f), exp512(u2))));
  }
}
// loss and d loss / d logits in one visit of the row
template <class T>
static float xent_row(const T* x, int target, T* dx, float scale) {
  alignas(64) float e[length];
  __m512 mx = ld(x);
  for (int i = 16; i < length; i += 16) mx = _mm512_max_ps(mx, ld(x + i));
  const float mf = _mm512_reduce_max_ps(mx);
  const __m512 mv = _mm512_set1_ps(mf);
  __m512 s0 = _mm512_setzero_ps(), s1 = s0;
  for (int i = 0; i < length; i += 32) {
    const __m512 a = exp512(_mm512_sub_ps(ld(x + i), mv)), b = exp512(_mm512_sub_ps(ld(x + i + 16), mv));
    s0 = _mm512_add_ps(s0, a);
    s1 = _mm512_add_ps(s1, b);
    _mm512_store_ps(e + i, a);
    _mm512_store_ps(e + i + 16, b);
  }
  const float sum = _mm512_reduce_add_ps(_mm512_add_ps(s0, s1)), et = e[target];
  e[target] -= sum;  // softmax - one-hot, before scaling
  const __m512 inv = _mm512_set1_ps(scale / sum);
  for (int i = 0; i < length; i += 16) st(dx + i, _mm512_mul_ps(_mm512_load_ps(e + i), inv));
  return std::log(sum) - std::log(et);
}

template <class T>
loops<T> all() {
  loops<T> l;
  l.softmax = softmax_fwd_row<T>;
  l.softmax_gradient = softmax_bwd_row<T>;
  l.layer_norm = [](const T* x, T* y, const float* gain, const float* shift, float* mean, float* scale) {
    ln_fwd_row(x, y, gain, shift, *mean, *scale);
  };
  l.layer_norm_gradient = ln_bwd_row<T>;
  l.gelu = gelu_fwd_row<T>;
  l.gelu_gradient = gelu_bwd_row<T>;
  l.gelu_tanh = gelu_tanh_fwd_row<T>;
  l.cross_entropy = xent_row<T>;
  return l;
}

}  // namespace

loops<float> float32_loops() { return all<float>(); }
loops<std::uint16_t> bfloat16_loops() { return all<std::uint16_t>(); }

}  // namespace by_hand

#else

namespace by_hand {
loops<float> float32_loops() { return {}; }
loops<std::uint16_t> bfloat16_loops() { return {}; }
}  // namespace by_hand

#endif
