// SPDX-License-Identifier: MIT
//
// Softmax, layer normalisation, GELU and cross-entropy on 4,096 rows of 1,024, forward and backward, float32 and
// bfloat16, beside oneDNN or libtorch, loops by hand and a copy of the same bytes.
#include "network_peers.hpp"
#include "rows_by_hand.hpp"
#include "timing.hpp"

#include <mezzo/mezzo.hpp>

#include <cstring>
#include <memory>

#if defined(BENCH_ONEDNN)
#include <oneapi/dnnl/dnnl.hpp>
#endif

using namespace mezzo;

namespace {

constexpr std::size_t rows = 4096, length = by_hand::length;
using row_shape = shape<rows, length>;
using parameters = tensor<float, shape<length>>;

template <class T>
using bits_of = std::conditional_t<std::is_same_v<T, float>, float, std::uint16_t>;

/// Memory of one benchmark.
template <class T>
struct memory {
  tensor<T, row_shape> x, y, dy, dx;
  parameters gain, shift, dgain, dshift;
  tensor<float, shape<rows>> row_mean, row_scale, peer_mean, peer_variance;
  tensor<std::int32_t, shape<rows>> labels;

  memory() {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x.data()[i] = convert<T>(3 * bench::number(i, 1));
      dy.data()[i] = convert<T>(bench::number(i, 2));
    }
    for (std::size_t j = 0; j < length; ++j) {
      gain.data()[j] = 1 + 0.5f * bench::number(j, 3);
      shift.data()[j] = bench::number(j, 4);
    }
    for (std::size_t r = 0; r < rows; ++r) labels.data()[r] = static_cast<std::int32_t>(r * 37 % length);
  }
  const bits_of<T>* bits(const tensor<T, row_shape>& t, std::size_t row) const {
    return reinterpret_cast<const bits_of<T>*>(t.data() + row * length);
  }
  bits_of<T>* bits(tensor<T, row_shape>& t, std::size_t row) const {
    return reinterpret_cast<bits_of<T>*>(t.data() + row * length);
  }
};

/// Results are checked before they are timed: mezzo's against the loops by hand, whose polynomials are good to 2e-6 of
/// the largest element of a result, and bfloat16 to its last bit.
template <class T>
void check(const char* what, const tensor<T, row_shape>& mine, const tensor<T, row_shape>& by_hand) {
  double largest = 0;
  for (std::size_t i = 0; i < mine.size(); ++i)
    largest = std::max(largest, std::abs(convert<double>(by_hand.data()[i])));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const double a = convert<double>(mine.data()[i]), b = convert<double>(by_hand.data()[i]);
    const double last = std::is_same_v<T, float> ? 0 : 0x1p-7 * std::max(std::abs(a), std::abs(b));
    if (std::abs(a - b) <= 2e-6 * largest + last) continue;
    std::fprintf(stderr, "rows: %s differs at %zu: %g by mezzo, %g by hand\n", what, i, a, b);
    std::exit(1);
  }
}

#if defined(BENCH_ONEDNN)
using dnnl::algorithm;
using dnnl::prop_kind;

struct onednn {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::memory::desc rows_of;

  explicit onednn(bool low)
      : rows_of({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)},
                low ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab) {}

  template <class M>
  dnnl::memory at(const M& m) const {
    return {rows_of, engine, const_cast<void*>(static_cast<const void*>(m.data()))};
  }
  dnnl::memory vector(const dnnl::memory::desc& of, const float* data) const {
    return {of, engine, const_cast<float*>(data)};
  }
  std::function<void()> runner(dnnl::primitive primitive, std::unordered_map<int, dnnl::memory> arguments) const {
    return [=, s = stream]() mutable {
      primitive.execute(s, arguments);
      s.wait();
    };
  }
};
#endif

/// Adds the contenders of one operation and runs them. `bytes` are those that it must move.
template <class T, class Mine, class Row>
void contest(const char* what, memory<T>& m, int arrays, const Mine& mine, const Row& by_hand_row,
             std::function<void()> peer, bench::ratios& against, tensor<T, row_shape>& result,
             const char* peer_name = "oneDNN") {
  const std::string type = std::is_same_v<T, float> ? "float32" : "bfloat16";
  const std::string name = std::string(what) + "_" + type;
  const double bytes = 1e-9 * static_cast<double>(arrays) * rows * length * sizeof(T);
  bench::round_robin bench(name, "4096x1024", 1, "gbytes");
  bench.add("mezzo", bytes, mine);
  if (by_hand::float32_loops().softmax != nullptr) {
    const auto by_hand = [&] {
      for (std::size_t r = 0; r < rows; ++r) by_hand_row(r);
    };
    mine();
    const auto kept = std::make_unique<tensor<T, row_shape>>(result);
    by_hand();
    check(name.c_str(), *kept, result);
    bench.add("by hand", bytes, by_hand);
  }
  if (peer) bench.add(peer_name, bytes, peer);
  bench.add("copy", 1e-9 * 2 * rows * length * sizeof(T), [&] {
    std::memcpy(static_cast<void*>(m.dx.data()), m.x.data(), rows * length * sizeof(T));
    asm volatile("" ::: "memory");
  });
  bench.measure();
  for (const bench::contender& c : bench.entries())
    if (c.name != "mezzo") {
      const std::string kind = c.name == "copy" ? " of " : " against ";
      against.add(type + kind + c.name, bench.best("mezzo") / c.best());
      against.add("all" + kind + c.name, bench.best("mezzo") / c.best());
    }
}

template <class T>
void all(const by_hand::loops<bits_of<T>>& loops, bench::ratios& against) {
  using native = policies::native;
  const auto held = std::make_unique<memory<T>>();
  memory<T>& m = *held;
  cpu on;
  std::function<void()> peer[6];
#if defined(BENCH_ONEDNN)
  const onednn d(!std::is_same_v<T, float>);
  const auto md = d.rows_of;
  {
    dnnl::softmax_v2_forward::primitive_desc f(
        {prop_kind::forward_training, algorithm::softmax_accurate, md, md, 1}, d.engine);
    dnnl::softmax_v2_backward::primitive_desc b({algorithm::softmax_accurate, md, md, md, 1}, d.engine, f);
    peer[0] = d.runner(dnnl::softmax_v2_forward(f), {{DNNL_ARG_SRC, d.at(m.x)}, {DNNL_ARG_DST, d.at(m.y)}});
    peer[1] = d.runner(dnnl::softmax_v2_backward(b), {{DNNL_ARG_DST, d.at(m.y)},
                                                      {DNNL_ARG_DIFF_DST, d.at(m.dy)},
                                                      {DNNL_ARG_DIFF_SRC, d.at(m.dx)}});
  }
  {
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    dnnl::layer_normalization_forward::primitive_desc f({prop_kind::forward_training, md, 1e-5f, flags}, d.engine);
    dnnl::layer_normalization_backward::primitive_desc b({prop_kind::backward, md, md, 1e-5f, flags}, d.engine, f);
    const dnnl::memory::desc column({static_cast<std::int64_t>(length)}, dnnl::memory::data_type::f32,
                                    dnnl::memory::format_tag::a);
    const auto gain = d.vector(column, m.gain.data()), shift = d.vector(column, m.shift.data());
    const auto mean = d.vector(f.mean_desc(), m.peer_mean.data());
    const auto var = d.vector(f.variance_desc(), m.peer_variance.data());
    peer[2] = d.runner(dnnl::layer_normalization_forward(f), {{DNNL_ARG_SRC, d.at(m.x)},
                                                              {DNNL_ARG_DST, d.at(m.y)},
                                                              {DNNL_ARG_SCALE, gain},
                                                              {DNNL_ARG_SHIFT, shift},
                                                              {DNNL_ARG_MEAN, mean},
                                                              {DNNL_ARG_VARIANCE, var}});
    peer[3] = d.runner(dnnl::layer_normalization_backward(b), {{DNNL_ARG_SRC, d.at(m.x)},
                                                               {DNNL_ARG_DIFF_DST, d.at(m.dy)},
                                                               {DNNL_ARG_DIFF_SRC, d.at(m.dx)},
                                                               {DNNL_ARG_SCALE, gain},
                                                               {DNNL_ARG_SHIFT, shift},
                                                               {DNNL_ARG_DIFF_SCALE, d.vector(column, m.dgain.data())},
                                                               {DNNL_ARG_DIFF_SHIFT, d.vector(column, m.dshift.data())},
                                                               {DNNL_ARG_MEAN, mean},
                                                               {DNNL_ARG_VARIANCE, var}});
  }
  {
    dnnl::eltwise_forward::primitive_desc f(
        {prop_kind::forward_training, algorithm::eltwise_gelu_erf, md, 0.f, 0.f}, d.engine);
    dnnl::eltwise_backward::primitive_desc b({algorithm::eltwise_gelu_erf, md, md, 0.f, 0.f}, d.engine, f);
    peer[4] = d.runner(dnnl::eltwise_forward(f), {{DNNL_ARG_SRC, d.at(m.x)}, {DNNL_ARG_DST, d.at(m.y)}});
    peer[5] = d.runner(dnnl::eltwise_backward(b), {{DNNL_ARG_SRC, d.at(m.x)},
                                                   {DNNL_ARG_DIFF_DST, d.at(m.dy)},
                                                   {DNNL_ARG_DIFF_SRC, d.at(m.dx)}});
  }
#endif
  const auto x = [&](std::size_t r) { return m.bits(m.x, r); };
  const auto dy = [&](std::size_t r) { return m.bits(m.dy, r); };
  const auto y_to = [&](std::size_t r) { return m.bits(m.y, r); };
  const auto dx_to = [&](std::size_t r) { return m.bits(m.dx, r); };

  contest("softmax", m, 2, [&] { into(on, m.y) = autocast<policies::O0<>>(softmax(m.x)); },
          [&](std::size_t r) { loops.softmax(x(r), y_to(r)); }, peer[0], against, m.y);
  // Backward starts from the kept result, as it does in a network.
  contest("softmax_gradient", m, 3, [&] {
    using fn = softmax_fn<op::softmax, -1, false>;
    static_cast<void>(gather<fn>::template backward<precision<as_given, float, float>, 0, false>(
        on, m.dy.data(), m.y.data(), store_sink<T>{m.dx.data(), inspection::nothing}, m.x.as_view()));
  }, [&](std::size_t r) { loops.softmax_gradient(m.bits(m.y, r), dy(r), dx_to(r)); }, peer[1], against, m.dx);
  contest("layer_norm", m, 2,
          [&] { into(on, m.y) = autocast<policies::O0<>>(layer_norm(m.x, m.gain, m.shift)); },
          [&](std::size_t r) {
            loops.layer_norm(x(r), y_to(r), m.gain.data(), m.shift.data(), m.row_mean.data() + r,
                             m.row_scale.data() + r);
          },
          peer[2], against, m.y);
  contest("layer_norm_gradient", m, 3,
          [&] {
            into(on, m.dx, m.dgain, m.dshift) = autocast<policies::O0<>>(
                gradient(layer_norm(m.x, m.gain, m.shift), m.dy, wrt(m.x, m.gain, m.shift)));
          },
          [&](std::size_t r) {
            loops.layer_norm_gradient(x(r), dy(r), dx_to(r), m.gain.data(), m.row_mean.data()[r],
                                      m.row_scale.data()[r], m.dgain.data(), m.dshift.data());
          },
          peer[3], against, m.dx);
  contest("gelu", m, 2, [&] { into(on, m.y) = autocast<native>(gelu(m.x)); },
          [&](std::size_t r) { loops.gelu(x(r), y_to(r)); }, peer[4], against, m.y);
  contest("gelu_gradient", m, 3, [&] { into(on, m.dx) = autocast<native>(gradient(gelu(m.x), m.dy, wrt(m.x))); },
          [&](std::size_t r) { loops.gelu_gradient(x(r), dy(r), dx_to(r)); }, peer[5], against, m.dx);
  contest("gelu_tanh", m, 2, [&] { into(on, m.y) = autocast<native>(gelu_tanh(m.x)); },
          [&](std::size_t r) { loops.gelu_tanh(x(r), y_to(r)); },
          bench::libtorch_gelu_tanh(!std::is_same_v<T, float>), against, m.y, "libtorch");
  contest("cross_entropy_and_gradient", m, 2,
          [&] { into(on, m.dx) = autocast<policies::O0<>>(gradient(cross_entropy(m.x, m.labels), wrt(m.x))); },
          [&](std::size_t r) {
            static_cast<void>(loops.cross_entropy(x(r), m.labels.data()[r], dx_to(r), 1.0f / rows));
          },
          bench::libtorch_cross_entropy(!std::is_same_v<T, float>), against, m.dx, "libtorch");
}

}  // namespace

int main() {
  bench::ratios against;
  all<float>(by_hand::float32_loops(), against);
  all<bfloat16>(by_hand::bfloat16_loops(), against);
  against.print("mezzo, best samples");
}
