// SPDX-License-Identifier: MIT
//
// Matrix products in float32, bfloat16 and float16 storage, packing included, beside the libraries that are installed.
// Shapes are M×K×N; `_nt` has the second operand transposed in memory (a layer's forward pass), `_tn` the first (the
// gradient of its weights). The closing table has a line for all shapes and one for the plain ones, untransposed and at
// least 64 high and wide. `products --threads 2` measures the library alone on two threads.
#include "ceilings.hpp"
#include "timing.hpp"

#include <mezzo/mezzo.hpp>
#include <mezzo/parallel/thread_pool.hpp>

#include <dlfcn.h>

#include <cstring>

#if defined(BENCH_ONEDNN)
#include <oneapi/dnnl/dnnl.hpp>
#endif
#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace {

using namespace mezzo;

struct sizes {
  int m, k, n;
  bool layouts;
};
constexpr sizes shapes[] = {{64, 64, 64, false},       {128, 128, 128, false},    {256, 256, 256, false},
                            {512, 512, 512, false},    {1024, 1024, 1024, false}, {2048, 2048, 2048, false},
                            {32, 25088, 10, true},     {128, 784, 512, true},     {512, 768, 3072, true},
                            {64, 1152, 3136, true}};

/// CBLAS, of a shared library that is there or not.
struct blas {
  using sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  std::string name;
  sgemm call = nullptr;

  blas(std::string as, const char* file) : name(std::move(as)) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    if (void* set = dlsym(library, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
    if (void* set = dlsym(library, "bli_thread_set_num_threads")) reinterpret_cast<void (*)(long)>(set)(1);
    call = reinterpret_cast<sgemm>(dlsym(library, "cblas_sgemm"));
  }
};

struct case_of {
  sizes s;
  bool left_turned, right_turned;

  [[nodiscard]] std::string name() const {
    return std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n) + (right_turned ? "_nt" : "") +
           (left_turned ? "_tn" : "");
  }
  [[nodiscard]] double work() const { return 2e-9 * s.m * s.k * s.n; }
};

template <class T>
struct operands_of {
  std::vector<T> a, b;

  explicit operands_of(const sizes& s)
      : a(static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.k)),
        b(static_cast<std::size_t>(s.k) * static_cast<std::size_t>(s.n)) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = convert<T>(bench::number(i, 1));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = convert<T>(bench::number(i, 2));
  }
};

/// Largest error of some elements, as a share of the sum of the products' magnitudes.
template <class T>
double error_of(const case_of& c, const operands_of<T>& in, const std::vector<float>& out) {
  double worst = 0;
  for (int probe = 0; probe < 16; ++probe) {
    const int i = probe * 7919 % c.s.m, j = probe * 104729 % c.s.n;
    double sum = 0, size = 0;
    for (int k = 0; k < c.s.k; ++k) {
      const int at = c.left_turned ? k * c.s.m + i : i * c.s.k + k, by = c.right_turned ? j * c.s.k + k : k * c.s.n + j;
      const double x = convert<double>(in.a[static_cast<std::size_t>(at)]);
      const double y = convert<double>(in.b[static_cast<std::size_t>(by)]);
      sum += x * y;
      size += std::abs(x * y);
    }
    worst = std::max(worst, std::abs(static_cast<double>(out[static_cast<std::size_t>(i * c.s.n + j)]) - sum) / size);
  }
  return worst;
}

template <class T>
void run_library(cpu& on, const case_of& c, const operands_of<T>& in, std::vector<float>& out) {
  using matrix = matrix_operand<precision<as_given, float, float>, T>;
  const auto m = static_cast<std::size_t>(c.s.m), k = static_cast<std::size_t>(c.s.k);
  const auto n = static_cast<std::size_t>(c.s.n);
  const matrix a = c.left_turned ? matrix{in.a.data(), 1, c.s.m} : matrix{in.a.data(), c.s.k, 1};
  const matrix b = c.right_turned ? matrix{in.b.data(), 1, c.s.k} : matrix{in.b.data(), c.s.n, 1};
  on.multiply(a, b, product_shape{m, n, k}, matrix_sink<store_sink<float>>{{out.data()}, n});
}

#if defined(BENCH_ONEDNN)
template <class T>
void add_onednn(bench::round_robin& bench, const case_of& c, const operands_of<T>& in, std::vector<float>& out) {
  using dnnl::memory;
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  const auto type = std::is_same_v<T, float> ? memory::data_type::f32 : memory::data_type::bf16;
  using tag = memory::format_tag;
  const memory::desc a({c.s.m, c.s.k}, type, c.left_turned ? tag::ba : tag::ab);
  const memory::desc b({c.s.k, c.s.n}, type, c.right_turned ? tag::ba : tag::ab);
  const memory::desc y({c.s.m, c.s.n}, memory::data_type::f32, tag::ab);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(engine, a, b, y);
#else
  const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, y), engine);
#endif
  const dnnl::matmul product(description);
  const memory left(a, engine, const_cast<T*>(in.a.data())), right(b, engine, const_cast<T*>(in.b.data()));
  const memory result(y, engine, out.data());
  bench.add("oneDNN", c.work(), [=] {
    product.execute(stream, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
    stream.wait();
  });
}
#endif

#if defined(BENCH_EIGEN)
void add_eigen(bench::round_robin& bench, const case_of& c, const operands_of<float>& in, std::vector<float>& out) {
  using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  bench.add("Eigen", c.work(), [&c, &in, &out] {
    Eigen::Map<matrix> y(out.data(), c.s.m, c.s.n);
    const Eigen::Map<const matrix> a(in.a.data(), c.left_turned ? c.s.k : c.s.m, c.left_turned ? c.s.m : c.s.k);
    const Eigen::Map<const matrix> b(in.b.data(), c.right_turned ? c.s.n : c.s.k, c.right_turned ? c.s.k : c.s.n);
    if (c.left_turned)
      y.noalias() = a.transpose() * b;
    else if (c.right_turned)
      y.noalias() = a * b.transpose();
    else
      y.noalias() = a * b;
  });
}
#endif

/// Wrong results must not be timed.
template <class T>
void check(const bench::contender& contender, const case_of& c, const operands_of<T>& in, std::vector<float>& out) {
  std::fill(out.begin(), out.end(), -1e30f);
  contender.run();
  // Sums in float32: half a unit of roundoff for each of the k additions, at the most.
  if (const double error = error_of(c, in, out); error > c.s.k * 0x1p-24) {
    std::fprintf(stderr, "products: %s is wrong on %s by %g of the sum of magnitudes\n", contender.name.c_str(),
                 c.name().c_str(), error);
    std::exit(1);
  }
}

template <class T>
void measure(const char* bench_name, const case_of& c, cpu& on, int threads, const std::vector<blas>& blases,
             bench::ratios& against, std::map<std::string, double>& own) {
  bench::round_robin bench(bench_name, c.name(), threads, "gflops");
  const operands_of<T> in(c.s);
  std::vector<float> out(static_cast<std::size_t>(c.s.m) * static_cast<std::size_t>(c.s.n));
  bench.add("mezzo", c.work(), [&] { run_library(on, c, in, out); });
  if constexpr (std::is_same_v<T, float>) {
    for (const blas& b : blases)
      if (b.call != nullptr && threads == 1)
        bench.add(b.name, c.work(), [&] {
          b.call(101, c.left_turned ? 112 : 111, c.right_turned ? 112 : 111, c.s.m, c.s.n, c.s.k, 1.0f, in.a.data(),
                 c.left_turned ? c.s.m : c.s.k, in.b.data(), c.right_turned ? c.s.k : c.s.n, 0.0f, out.data(), c.s.n);
        });
#if defined(BENCH_EIGEN)
    if (threads == 1) add_eigen(bench, c, in, out);
#endif
  }
#if defined(BENCH_ONEDNN)
  if constexpr (!std::is_same_v<T, float16>)
    if (threads == 1) add_onednn(bench, c, in, out);
#endif
  for (const bench::contender& contender : bench.entries()) check(contender, c, in, out);
  bench.add("multiply-add ceiling", bench::multiply_add_loop::work(on.isa), [&] { bench::run_multiply_adds(on.isa); });
#if MEZZO_X86_DISPATCH
  if (std::is_same_v<T, bfloat16> && supported_isa() == isa::avx512_bf16)
    bench.add("vdpbf16ps ceiling", bench::pair_work(), [] { bench::run_pair_products(); });
#endif
  bench.measure();
  const double mine = bench.best("mezzo");
  // Beside the figures of all shapes, those of the untransposed ones that are not skinny.
  const bool plain = !c.left_turned && !c.right_turned && std::min(c.s.m, c.s.n) >= 64;
  const auto note = [&](const std::string& to, double ratio) {
    against.add(std::string(bench_name) + to, ratio);
    if (plain) against.add(std::string(bench_name) + to + ", plain", ratio);
  };
  double best_peer = 0;
  for (const bench::contender& contender : bench.entries()) {
    if (contender.name == "mezzo") continue;
    const bool ceiling = contender.name.ends_with("ceiling");
    if (!ceiling) best_peer = std::max(best_peer, contender.best());
    note((ceiling ? " of " : " against ") + contender.name, mine / contender.best());
  }
  if (best_peer > 0) note(" against the best peer", mine / best_peer);
  const std::string key = c.name();
  if (std::is_same_v<T, float>)
    own[key] = mine;
  else if (own.contains(key))
    note(" against own float32", mine / own[key]);
}

}  // namespace

int main(int count, char** arguments) {
  int threads = 1;
  std::string filter, cap;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--threads") == 0) threads = std::atoi(arguments[i + 1]);
    if (std::strcmp(arguments[i], "--shape") == 0) filter = arguments[i + 1];
    if (std::strcmp(arguments[i], "--isa") == 0) cap = arguments[i + 1];
  }
  thread_pool pool(static_cast<std::size_t>(threads > 1 ? threads : 1));
  cpu on;
  if (threads > 1) on.executor = pool;
  if (cap == "avx2") on.isa = isa::avx2;
  if (cap == "avx512") on.isa = isa::avx512;
  if (cap == "avx512_bf16") on.isa = isa::avx512_bf16;
  std::vector<blas> blases;
  blases.emplace_back("OpenBLAS", "libopenblas.so.0");
  blases.emplace_back("BLIS", "libblis.so.4");
  bench::ratios against;
  std::map<std::string, double> own;
  for (const sizes& s : shapes)
    for (const auto& [left, right] : {std::pair{false, false}, std::pair{false, true}, std::pair{true, false}}) {
      const case_of c{s, left, right};
      if (((left || right) && !s.layouts) || c.name().find(filter) == std::string::npos) continue;
      measure<float>("product_float32", c, on, threads, blases, against, own);
      measure<bfloat16>("product_bfloat16", c, on, threads, blases, against, own);
      measure<float16>("product_float16", c, on, threads, blases, against, own);
    }
  against.print("mezzo, best samples");
}
