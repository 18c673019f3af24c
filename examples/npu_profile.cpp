// SPDX-License-Identifier: MIT
//
// Trains a convolutional network and a transformer block on real handwritten digits as Ascend chips would, and reports
// where the cycles go: the values are computed, the times are those of the model, not of this machine.
//
//   g++ -std=c++20 -O2 -I single_include examples/npu_profile.cpp -o npu_profile && ./npu_profile
#define MEZZO_WITH_REPORTS
#if __has_include(<mezzo.hpp>)
#include <mezzo.hpp>
#else
#include <mezzo/mezzo.hpp>
#endif

#include "optdigits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace mezzo;

namespace {

// ---- What runs on what ---------------------------------------------------------------------------------------------

/// A chip is one constant: this imagined one has a third of the 910B1's cores and a sixth of its memory's bandwidth.
constexpr npu::chip small_chip = [] {
  npu::chip c = npu::ascend910b1;
  c.name = "small_chip";
  c.cube_cores = 8;
  c.vector_cores = 16;
  c.l2_bytes = 16 * 1024 * 1024;
  c.hbm_gigabytes = 270;
  c.l2_gigabytes = 1000;
  return c;
}();

using cnn = sequential<input<1, 28, 28>, conv2d<32, 3, same>, relu_layer, flatten, dense<10>>;

/// The rows of a digit are eight points in time.
using block = sequential<input<8, 8>, time_dense<32>, residual<layer_norm_layer<>, self_attention_layer<4>>,
                         residual<layer_norm_layer<>, time_dense<64>, gelu_layer, time_dense<32>>, flatten, dense<10>>;

constexpr std::size_t batch = 32;
constexpr std::size_t block_steps = 2;  // of the block for one of the CNN, which takes longer to compute here

struct options {
  std::size_t steps = 16;
  std::string only;
  std::FILE *csv = nullptr, *trace = nullptr, *svg = nullptr;
  bool tsv = false, kernels = false;
};

/// One network, trained for some steps under one policy on one chip.
struct result {
  std::string network, policy;
  const npu::chip* on = nullptr;
  npu::profile kernels;  // of all steps
  std::size_t steps = 0, skipped = 0;
  std::size_t weight_bytes = 0, activation_bytes = 0, optimizer_bytes = 0;
  double loss = 0, accuracy = 0;

  [[nodiscard]] std::string name() const { return network + " " + on->name + " " + policy; }
};

// ---- Command line --------------------------------------------------------------------------------------------------

constexpr const char* usage =
    "usage: npu_profile [options]\n"
    "  --steps N     training steps of the CNN, default 16; the transformer block makes twice as many\n"
    "  --only TEXT   only runs with TEXT in their names, such as cnn, 910a or O2\n"
    "  --kernels     prints the kernels of each run too\n"
    "  --tsv         prints the table tab-separated\n"
    "  --csv FILE    writes every figure of every kernel\n"
    "  --trace FILE  writes what the pipes do, for chrome://tracing or ui.perfetto.dev\n"
    "  --svg FILE    draws the roofline of the last run\n";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "npu_profile: %s\n", why.c_str());
  std::exit(2);
}

/// Opened before the work, so that nobody waits for a file that cannot be.
std::FILE* open(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) refuse("the file must be one that can be written; given '" + path + "'; check its folder");
  return file;
}

void write(std::FILE* file, const std::string& text) {
  if (file == nullptr) return;
  const bool all = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !all) refuse("a file could not be written to its end; check the room on its disk");
}

std::size_t count_of(const std::string& option, const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > 1'000'000)
    refuse(option + " takes a whole number from 1 to 1000000; given '" + text + "'");
  return static_cast<std::size_t>(value);
}

options read_options(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    const auto value = [&]() -> const char* {
      if (++i == count) refuse(option + " needs a value; see --help");
      return arguments[i];
    };
    if (option == "--help") {
      std::printf("%s", usage);
      std::exit(0);
    }
    if (option == "--steps")
      o.steps = count_of(option, value());
    else if (option == "--only")
      o.only = value();
    else if (option == "--csv")
      o.csv = open(value());
    else if (option == "--trace")
      o.trace = open(value());
    else if (option == "--svg")
      o.svg = open(value());
    else if (option == "--tsv")
      o.tsv = true;
    else if (option == "--kernels")
      o.kernels = true;
    else
      refuse("there is no option '" + option + "'; see --help");
  }
  return o;
}

// ---- Digits --------------------------------------------------------------------------------------------------------

using images = array_dataset<std::uint8_t, std::uint8_t>;

/// Of each class every tenth digit is kept for testing.
struct digits {
  static constexpr std::size_t side = 28, scale = 3, margin = 2;  // each pixel three times in both directions
  std::vector<std::uint8_t> pixels[2], large[2], labels[2];       // for training, for testing

  digits() {
    int seen[10] = {};
    for (const auto& sample : optdigits::samples) {
      const int digit = sample[optdigits::pixels] - '0';
      const std::size_t test = seen[digit]++ % 10 == 9 ? 1 : 0;
      const auto pixel = [&](std::size_t p) { return static_cast<std::uint8_t>(sample[p] - 'a'); };
      for (std::size_t p = 0; p < optdigits::pixels; ++p) pixels[test].push_back(pixel(p));
      for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
          const bool inside = i >= margin && j >= margin && i < side - margin && j < side - margin;
          large[test].push_back(inside ? pixel((i - margin) / scale * 8 + (j - margin) / scale) : std::uint8_t{0});
        }
      labels[test].push_back(static_cast<std::uint8_t>(digit));
    }
  }
  [[nodiscard]] images part(bool test, std::size_t sample_size) const {
    const std::size_t t = test ? 1 : 0;
    return {sample_size == side * side ? large[t].data() : pixels[t].data(), labels[t].data(), labels[t].size(),
            sample_size, 1.0f / optdigits::brightest};
  }
};

/// So many samples of a data set, from its beginning again where it ends.
struct samples_of {
  const images& all;
  std::size_t samples;
  std::size_t sample_size = all.sample_size;

  [[nodiscard]] std::size_t size() const { return samples; }
  template <class T>
  void fetch(const std::uint32_t* rows, std::size_t count, T* x, std::int32_t* labels) const {
    std::vector<std::uint32_t> wrapped(rows, rows + count);
    for (std::uint32_t& row : wrapped) row = static_cast<std::uint32_t>(row % all.size());
    all.fetch(wrapped.data(), count, x, labels);
  }
};

// ---- Runs ----------------------------------------------------------------------------------------------------------

template <class Network, class Policy, const npu::chip& Chip>
void run(const char* network, const char* policy, const options& o, const digits& data, std::vector<result>& results) {
  result r;
  r.network = network;
  r.policy = policy;
  r.on = &Chip;
  if (r.name().find(o.only) == std::string::npos) return;
  std::fprintf(stderr, "%s\n", r.name().c_str());
  constexpr std::size_t sample_size = typename Network::input_type{}.size();
  constexpr bool large = sample_size == digits::side * digits::side;
  const images training = data.part(false, sample_size), test = data.part(true, sample_size);

  trainer<Network, cross_entropy_loss, adam, Policy, npu::model<Chip>> t{{.learning_rate = large ? 1e-3f : 5e-3f}};
  r.steps = o.steps * (large ? 1 : block_steps);
  const fit_report report = t.fit(samples_of{training, r.steps * batch}, {.batch = batch});
  r.kernels = t.network().on().profile;
  r.skipped = report.skipped;
  r.loss = report.recent_loss(10);
  r.weight_bytes = t.weight_bytes();
  r.activation_bytes = t.activation_bytes();
  r.optimizer_bytes = t.optimizer_bytes();
  r.accuracy = t.evaluate(test, batch).accuracy();
  results.push_back(std::move(r));
}

std::vector<result> run_all(const options& o) {
  const digits data;
  std::vector<result> results;
  run<cnn, policies::O2<float16>, npu::ascend910a>("cnn", "O2-float16", o, data, results);
  run<cnn, policies::O0<>, npu::ascend910b1>("cnn", "O0", o, data, results);
  run<cnn, policies::O2<bfloat16>, npu::ascend910b1>("cnn", "O2-bfloat16", o, data, results);
  run<cnn, policies::O2<bfloat16>, small_chip>("cnn", "O2-bfloat16", o, data, results);
  run<block, policies::O0<>, npu::ascend910a>("block", "O0", o, data, results);
  run<block, policies::O2<float16>, npu::ascend910a>("block", "O2-float16", o, data, results);
  run<block, policies::O2<bfloat16>, npu::ascend910b1>("block", "O2-bfloat16", o, data, results);
  if (results.empty()) refuse("--only must be part of a run's name, such as cnn, 910a or O2; given '" + o.only + "'");
  return results;
}

// ---- Results -------------------------------------------------------------------------------------------------------

/// A number for people, or with all its digits for programs; "-" where there is none.
std::string shown(const npu::figure& f, double unit, int decimals, bool tsv) {
  if (!f.known) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", tsv ? 6 : decimals, f.value / (tsv ? 1 : unit));
  return text;
}

void print_table(const std::vector<result>& results, bool tsv) {
  std::vector<std::vector<std::string>> table;
  if (tsv)
    table.push_back({"network", "chip", "policy", "us_per_step", "mac_ratio", "fp16_efficiency", "bytes_per_step",
                     "hbm_bytes_per_step", "bytes_saved_per_step", "weight_bytes", "activation_bytes",
                     "optimizer_bytes", "accuracy", "loss", "skipped"});
  else
    table.push_back({"network", "chip", "policy", "us/step", "mac", "FP16 eff", "MB/step", "HBM MB", "MB saved",
                     "weights B", "activations B", "optimizer B", "accuracy", "loss", "skipped"});
  for (const result& r : results) {
    const npu::kernel_figures all = npu::total_figures(*r.on, r.kernels);
    const auto steps = static_cast<double>(r.steps);
    const auto number = [&](double value, double unit, int decimals) {
      return shown({value, true}, unit, decimals, tsv);
    };
    table.push_back({r.network, r.on->name, r.policy, number(all.task / steps, 1, 1),
                     number(all.ratio(npu::pipe::cube), 1, 3), shown(all.fp16_efficiency(), 1, 3, tsv),
                     number((all.bytes_in + all.bytes_out) / steps, 1e6, 2), number(all.hbm_bytes / steps, 1e6, 2),
                     number(all.bytes_saved / steps, 1e6, 2), std::to_string(r.weight_bytes),
                     std::to_string(r.activation_bytes), std::to_string(r.optimizer_bytes), number(r.accuracy, 1, 3),
                     number(r.loss, 1, 3), std::to_string(r.skipped)});
  }
  std::vector<int> width(table[0].size());
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], static_cast<int>(row[i].size()));
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i)
      std::printf("%*s%s", tsv ? 0 : i < 3 ? -width[i] : width[i], row[i].c_str(),
                  i + 1 == row.size() ? "\n" : tsv ? "\t" : "  ");
}

/// The kernels of all runs, with the run before each line.
std::string kernels_of(const std::vector<result>& results) {
  std::string text;
  for (const result& r : results) {
    const std::string kernels = kernel_csv(*r.on, r.kernels);
    const std::string run = r.network + "," + r.on->name + "," + r.policy + ",";
    for (std::size_t at = 0, end = 0; (end = kernels.find("\r\n", at)) != std::string::npos; at = end + 2)
      if (at != 0 || text.empty()) text += (at == 0 ? "Network,Chip,Policy," : run) + kernels.substr(at, end + 2 - at);
  }
  return text;
}

int report(const options& o) {
  const std::vector<result> results = run_all(o);
  print_table(results, o.tsv);
  npu::chrome_trace trace;
  for (const result& r : results) {
    if (o.kernels) std::printf("\n%s\n%s", r.name().c_str(), kernel_table(*r.on, r.kernels).c_str());
    std::fprintf(stderr, "%s", warning_text(r.kernels).c_str());
    trace.add(*r.on, r.kernels, {}, r.name());
  }
  const result& last = results.back();
  write(o.csv, kernels_of(results));
  write(o.trace, trace.json());
  write(o.svg, roofline_svg(*last.on, last.kernels, "Roofline: " + last.name()));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const options o = read_options(count, arguments);
  try {
    return report(o);
  } catch (const mezzo::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
