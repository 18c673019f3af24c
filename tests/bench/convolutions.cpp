// SPDX-License-Identifier: MIT
//
// Convolutions forward, by data and by weights, in float32 and bfloat16, beside oneDNN in the plain layout (batch,
// channels, rows, columns) that both read, and in the blocked layout that oneDNN chooses itself. Of all channels, of
// groups of them, and of each by itself.
#include "ceilings.hpp"
#include "timing.hpp"

#include <mezzo/mezzo.hpp>

#include <cstring>

#if defined(BENCH_ONEDNN)
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace {

using namespace mezzo;

template <std::size_t N, std::size_t C, std::size_t H, std::size_t O, std::size_t K, std::size_t Step,
          std::size_t G = 1>
struct sizes {
  static constexpr std::size_t out = (H + 2 * (K / 2) - K) / Step + 1;
  using x = shape<N, C, H, H>;
  using w = shape<O, C / G, K, K>;
  using y = shape<N, O, out, out>;
  static constexpr double work = 2e-9 * N * O * out * out * (C / G) * K * K;
  static std::string name() {
    return std::to_string(N) + "x" + std::to_string(C) + "x" + std::to_string(H) + "_" + std::to_string(K) + "x" +
           std::to_string(K) + (Step > 1 ? "s2_" : "_") + std::to_string(O) +
           (G == 1 ? "" : G == C ? "_depthwise" : "_groups_" + std::to_string(G));
  }
};

enum class pass { forward, data, weights };
constexpr const char* name_of(pass p) {
  return p == pass::forward ? "forward" : p == pass::data ? "data" : "weights";
}

template <class T, class Extents>
void fill(tensor<T, Extents>& t, std::uint64_t seed) {
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = convert<T>(bench::number(i, seed));
}

#if defined(BENCH_ONEDNN)
/// oneDNN on memory of its own: in the plain layout, or in what it likes best.
template <class T, std::size_t N, std::size_t C, std::size_t H, std::size_t O, std::size_t K, std::size_t Step,
          std::size_t G>
void add_onednn(bench::round_robin& bench, pass what, bool blocked, sizes<N, C, H, O, K, Step, G>) {
  using namespace dnnl;
  using s = sizes<N, C, H, O, K, Step, G>;
  static engine on(engine::kind::cpu, 0);
  static stream queue(on);
  const auto type = std::is_same_v<T, float> ? memory::data_type::f32 : memory::data_type::bf16;
  const auto plain = blocked ? memory::format_tag::any : memory::format_tag::nchw;
  const auto weights_tag = blocked ? memory::format_tag::any
                           : G == 1 ? memory::format_tag::oihw
                                    : memory::format_tag::goihw;
  const auto l = [](std::size_t n) { return static_cast<memory::dim>(n); };
  const memory::dims filters = G == 1 ? memory::dims{l(O), l(C), l(K), l(K)}
                                      : memory::dims{l(G), l(O / G), l(C / G), l(K), l(K)};
  const memory::desc x({l(N), l(C), l(H), l(H)}, type, plain), w(filters, type, weights_tag),
      y({l(N), l(O), l(s::out), l(s::out)}, type, plain);
  const memory::dims step{l(Step), l(Step)}, before{l(K / 2), l(K / 2)};
  const auto filled = [&](const memory::desc& d) {
    memory m(d, on);
    auto* at = static_cast<T*>(m.get_data_handle());
    for (std::size_t i = 0; i < d.get_size() / sizeof(T); ++i) at[i] = convert<T>(bench::number(i, 5));
    return m;
  };
  try {
    const convolution_forward::primitive_desc forward(
        convolution_forward::desc(prop_kind::forward_training, algorithm::convolution_direct, x, w, y, step, before,
                                  before),
        on);
    std::unordered_map<int, memory> arguments;
    primitive run;
    if (what == pass::forward) {
      run = convolution_forward(forward);
      arguments = {{DNNL_ARG_SRC, filled(forward.src_desc())},
                   {DNNL_ARG_WEIGHTS, filled(forward.weights_desc())},
                   {DNNL_ARG_DST, filled(forward.dst_desc())}};
    } else if (what == pass::data) {
      const convolution_backward_data::primitive_desc d(
          convolution_backward_data::desc(algorithm::convolution_direct, x, w, y, step, before, before), on, forward);
      run = convolution_backward_data(d);
      arguments = {{DNNL_ARG_DIFF_SRC, filled(d.diff_src_desc())},
                   {DNNL_ARG_WEIGHTS, filled(d.weights_desc())},
                   {DNNL_ARG_DIFF_DST, filled(d.diff_dst_desc())}};
    } else {
      const convolution_backward_weights::primitive_desc d(
          convolution_backward_weights::desc(algorithm::convolution_direct, x, w, y, step, before, before), on,
          forward);
      run = convolution_backward_weights(d);
      arguments = {{DNNL_ARG_SRC, filled(d.src_desc())},
                   {DNNL_ARG_DIFF_WEIGHTS, filled(d.diff_weights_desc())},
                   {DNNL_ARG_DIFF_DST, filled(d.diff_dst_desc())}};
    }
    bench.add(blocked ? "oneDNN blocked" : "oneDNN plain", s::work, [=] {
      run.execute(queue, arguments);
      queue.wait();
    });
  } catch (const dnnl::error& e) {
    std::fprintf(stderr, "convolutions: oneDNN %s %s: %s\n", name_of(what), s::name().c_str(), e.what());
  }
}
#endif

/// One element of a result in double, by the definition, the sum of its terms' magnitudes and their number.
struct sum_of {
  double value = 0, size = 0, terms = 0;
  void add(double a, double b) {
    ++terms;
    value += a * b;
    size += std::abs(a * b);
  }
};
template <class X, class W, class Y>
sum_of element(pass what, std::size_t at, std::size_t step, const X& x, const W& w, const Y& dy) {
  const std::size_t images = x.extents().extent(0), all = x.extents().extent(1), high = x.extents().extent(2);
  const std::size_t channels = w.extents().extent(1), parts = all / channels;
  const std::size_t outputs = w.extents().extent(0), window = w.extents().extent(2), out = dy.extents().extent(2);
  const std::size_t before = window / 2;
  sum_of sum;
  // Every product x·w·dy of the convolution; the index `at` fixes one of the three tensors' elements.
  const auto visit = [&](std::size_t n, std::size_t o, std::size_t i, std::size_t j, std::size_t c, std::size_t r,
                         std::size_t s) {
    const std::size_t y = i * step + r - before, z = j * step + s - before;
    if (y >= high || z >= high) return;
    const double a = convert<double>(x(n, o / (outputs / parts) * channels + c, y, z));
    const double b = convert<double>(w(o, c, r, s)), g = convert<double>(dy(n, o, i, j));
    if (what == pass::forward)
      sum.add(a, b);
    else if (what == pass::weights)
      sum.add(a, g);
    else if (y * high + z == at % (high * high))
      sum.add(b, g);
  };
  const std::size_t plane = what == pass::data ? high * high : out * out, taps = window * window;
  for (std::size_t n = 0; n < images; ++n) {
    if (what != pass::weights && n != at / plane / (what == pass::data ? all : outputs)) continue;
    for (std::size_t o = 0; o < outputs; ++o) {
      if (what == pass::forward && o != at / plane % outputs) continue;
      if (what == pass::weights && o != at / taps / channels) continue;
      for (std::size_t c = 0; c < channels; ++c) {
        if (what == pass::data && o / (outputs / parts) * channels + c != at / plane % all) continue;
        if (what == pass::weights && c != at / taps % channels) continue;
        for (std::size_t i = 0; i < out * out; ++i) {
          if (what == pass::forward && i != at % plane) continue;
          for (std::size_t t = 0; t < taps; ++t)
            if (what != pass::weights || t == at % taps) visit(n, o, i / out, i % out, c, t / window, t % window);
        }
      }
    }
  }
  return sum;
}

/// Wrong results must not be timed: some elements, to half a unit of roundoff for each addition and one for the store.
template <class Result, class X, class W, class Y>
void check(pass what, std::size_t step, const Result& result, const X& x, const W& w, const Y& dy) {
  using T = typename Result::value_type;
  for (std::size_t probe = 0; probe < 5; ++probe) {
    const std::size_t at = (probe * 7919 + probe * result.size() / 5) % result.size();
    const sum_of expected = element(what, at, step, x, w, dy);
    const double store = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-8;
    const double bound = expected.size * expected.terms * 0x1p-24 + std::abs(expected.value) * store;
    if (!(std::abs(convert<double>(result.data()[at]) - expected.value) <= bound)) {
      std::fprintf(stderr, "convolutions: %s is wrong at %zu: %g, not %g\n", name_of(what), at,
                   convert<double>(result.data()[at]), expected.value);
      std::exit(1);
    }
  }
}

template <class T, std::size_t N, std::size_t C, std::size_t H, std::size_t O, std::size_t K, std::size_t Step,
          std::size_t G>
void measure(cpu& on, pass what, sizes<N, C, H, O, K, Step, G>, bench::ratios& against) {
  using s = sizes<N, C, H, O, K, Step, G>;
  static tensor<T, typename s::x> x, dx;
  static tensor<T, typename s::w> w, dw;
  static tensor<T, typename s::y> y, dy;
  fill(x, 1);
  fill(w, 2);
  fill(dy, 3);
  const std::string type = std::is_same_v<T, float> ? "float32" : "bfloat16";
  const std::string kind = G == 1 ? "convolution_" : G == C ? "depthwise_" : "grouped_";
  const std::string bench_name = kind + name_of(what) + "_" + type;
  bench::round_robin bench(bench_name, s::name(), 1, "gflops");
  bench.add("mezzo", s::work, [&] {
    const auto e = convolve2d<padding<K / 2>, stride<Step>, groups<G>>(x, w);
    using native = policies::native;
    if (what == pass::forward)
      into(on, y) = autocast<native>(e);
    else if (what == pass::data)
      into(on, dx) = autocast<native>(gradient(e, dy, wrt(x)));
    else
      into(on, dw) = autocast<native>(gradient(e, dy, wrt(w)));
  });
  bench.entries().front().run();
  if (what == pass::forward)
    check(what, Step, y, x, w, dy);
  else if (what == pass::data)
    check(what, Step, dx, x, w, dy);
  else
    check(what, Step, dw, x, w, dy);
#if defined(BENCH_ONEDNN)
  for (const bool blocked : {false, true}) add_onednn<T>(bench, what, blocked, s{});
#endif
  bench.add("multiply-add ceiling", bench::multiply_add_loop::work(on.isa), [&] { bench::run_multiply_adds(on.isa); });
  bench.measure();
  for (const bench::contender& c : bench.entries())
    if (c.name != "mezzo")
      against.add(bench_name + (c.name.ends_with("ceiling") ? " of " : " against ") + c.name,
                  bench.best("mezzo") / c.best());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string filter = count > 1 ? arguments[1] : "";
  cpu on;
  bench::ratios against;
  const auto all = [&](auto of) {
    if (decltype(of)::name().find(filter) == std::string::npos) return;
    for (const pass what : {pass::forward, pass::data, pass::weights}) {
      measure<float>(on, what, of, against);
      measure<bfloat16>(on, what, of, against);
    }
  };
  all(sizes<8, 64, 56, 64, 3, 1>{});
  all(sizes<8, 128, 28, 128, 3, 1>{});
  all(sizes<8, 256, 14, 256, 3, 1>{});
  all(sizes<8, 3, 224, 64, 7, 2>{});
  all(sizes<32, 1, 28, 32, 3, 1>{});
  all(sizes<8, 64, 56, 64, 3, 1, 64>{});
  all(sizes<8, 96, 112, 96, 3, 2, 96>{});
  all(sizes<8, 192, 14, 192, 5, 1, 192>{});
  all(sizes<8, 128, 56, 128, 3, 1, 32>{});
  all(sizes<8, 256, 28, 256, 3, 1, 8>{});
  against.print("mezzo, best samples");
}
