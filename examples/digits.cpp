// SPDX-License-Identifier: MIT
//
// Trains one small convolutional network on real handwritten digits under five precision policies and compares them.
// Without arguments it uses the 1,797 digits compiled into it, so it runs from anywhere:
//
//   g++ -std=c++20 -O3 -I single_include examples/digits.cpp -o digits && ./digits
#define MEZZO_WITH_FILES
#if __has_include(<mezzo.hpp>)
#include <mezzo.hpp>
#else
#include <mezzo/mezzo.hpp>
#endif

#include "loss_curves.hpp"
#include "optdigits.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if defined(_WIN32)
#include <io.h>
#define MEZZO_IS_TERMINAL(file) (_isatty(_fileno(file)) != 0)
#else
#include <unistd.h>
#define MEZZO_IS_TERMINAL(file) (isatty(fileno(file)) != 0)
#endif

using namespace mezzo;

namespace {

// ---- What to do ----------------------------------------------------------------------------------------------------

struct options {
  std::size_t epochs = 0;  // 0: 30 for the built-in digits, 2 for files
  std::size_t batch = 32;
  std::size_t seeds = 1;
  float rate = 0.0f;  // 0: 2e-3 for the built-in digits, 1e-3 for files
  dynamic_scale scale{};
  std::string data, csv, svg;
  std::vector<std::string> policies;
  bool tsv = false;
};

constexpr const char* usage =
    "usage: digits [options]\n"
    "  --data DIR     train on IDX files in DIR (MNIST or Fashion-MNIST, gunzipped) instead of the built-in digits\n"
    "  --policy NAME  only this policy (repeat for several): O0, O1-bfloat16, O2-bfloat16, O2-float16, O3-float16\n"
    "  --epochs N     default 30, with --data 2\n"
    "  --batch N      samples a step, default 32\n"
    "  --rate R       learning rate, default 0.002, with --data 0.001\n"
    "  --seeds N      averages over N seeds, default 1\n"
    "  --scale S      first loss scale of O2-float16, default 65536\n"
    "  --interval N   clean steps before the loss scale grows, default 2000\n"
    "  --tsv          prints the table tab-separated\n"
    "  --csv FILE     writes the loss of every step\n"
    "  --svg FILE     draws the loss curves\n";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "digits: %s\n%s", why.c_str(), usage);
  std::exit(2);
}

std::size_t whole_number(const std::string& name, const char* text) {
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > 1'000'000)
    refuse(name + " takes a whole number from 1 to 1000000; given '" + text + "'");
  return static_cast<std::size_t>(value);
}

float positive_number(const std::string& name, const char* text) {
  char* end = nullptr;
  const float value = std::strtof(text, &end);
  if (*text == '\0' || *end != '\0' || !(value > 0.0f) || !(value <= 0x1p127f))
    refuse(name + " takes a positive number; given '" + text + "'");
  return value;
}

options read_options(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--tsv") {
      o.tsv = true;
      continue;
    }
    if (name == "--help") {
      std::printf("%s", usage);
      std::exit(0);
    }
    static constexpr const char* known[] = {"--data", "--policy", "--epochs",   "--batch", "--rate",
                                            "--seeds", "--scale",  "--interval", "--csv",   "--svg"};
    bool found = false;
    for (const char* k : known) found = found || name == k;
    if (!found) refuse("unknown option '" + name + "'");
    if (++i == count) refuse(name + " needs a value");
    const char* value = arguments[i];
    if (name == "--data") o.data = value;
    if (name == "--policy") o.policies.push_back(value);
    if (name == "--epochs") o.epochs = whole_number(name, value);
    if (name == "--batch") o.batch = whole_number(name, value);
    if (name == "--rate") o.rate = positive_number(name, value);
    if (name == "--seeds") o.seeds = whole_number(name, value);
    if (name == "--scale") o.scale.scale = positive_number(name, value);
    if (name == "--interval") o.scale.interval = static_cast<int>(whole_number(name, value));
    if (name == "--csv") o.csv = value;
    if (name == "--svg") o.svg = value;
  }
  if (o.epochs == 0) o.epochs = o.data.empty() ? 30 : 2;
  if (o.rate == 0.0f) o.rate = o.data.empty() ? 2e-3f : 1e-3f;
  return o;
}

// ---- Data ------------------------------------------------------------------------------------------------------------

using images = array_dataset<std::uint8_t, std::uint8_t>;

struct digit_data {
  std::vector<std::uint8_t> train_pixels, train_labels, test_pixels, test_labels;

  [[nodiscard]] images train(std::size_t pixels, float factor) const {
    return {train_pixels.data(), train_labels.data(), train_labels.size(), pixels, factor};
  }
  [[nodiscard]] images test(std::size_t pixels, float factor) const {
    return {test_pixels.data(), test_labels.data(), test_labels.size(), pixels, factor};
  }
};

/// The built-in digits; of each class every fifth is kept for testing.
digit_data built_in_digits() {
  digit_data d;
  int seen[10] = {};
  for (const auto& sample : optdigits::samples) {
    const int digit = sample[optdigits::pixels] - '0';
    const bool test = seen[digit]++ % 5 == 4;
    auto& pixels = test ? d.test_pixels : d.train_pixels;
    for (int p = 0; p < optdigits::pixels; ++p) pixels.push_back(static_cast<std::uint8_t>(sample[p] - 'a'));
    (test ? d.test_labels : d.train_labels).push_back(static_cast<std::uint8_t>(digit));
  }
  return d;
}

constexpr std::size_t side = 28;  // of the images that the network for files takes

/// One part of a data set in IDX files: images of 28×28 and a label from 0 to 9 for each.
void read_part(const std::string& directory, const std::string& part, std::vector<std::uint8_t>& pixels,
               std::vector<std::uint8_t>& labels) {
  const std::string image_path = directory + "/" + part + "-images-idx3-ubyte";
  const std::string label_path = directory + "/" + part + "-labels-idx1-ubyte";
  const auto i = read_idx_images(image_path.c_str());
  const auto l = read_idx_labels(label_path.c_str());
  if (i.rows != side || i.columns != side)
    fail(sentence("digits: images must be 28 by 28; given ") << i.rows << " by " << i.columns << "; use MNIST or Fashion-MNIST");
  if (i.count != l.labels.size() || i.count == 0)
    fail(sentence("digits: there must be one label for each image; given ")
         << i.count << " images and " << l.labels.size() << " labels; check that the files belong together");
  for (const std::uint8_t label : l.labels)
    if (label > 9) fail(sentence("digits: labels must be from 0 to 9; given ") << unsigned{label} << "; check the label file");
  pixels.assign(i.pixels.begin(), i.pixels.end());
  labels.assign(l.labels.begin(), l.labels.end());
}

digit_data digits_in(const std::string& directory) {
  digit_data d;
  read_part(directory, "train", d.train_pixels, d.train_labels);
  read_part(directory, "t10k", d.test_pixels, d.test_labels);
  return d;
}

// ---- Training ----------------------------------------------------------------------------------------------------------

using small_network = sequential<input<1, 8, 8>, conv2d<16, 3, same>, relu_layer, max_pool<2>, flatten, dense<10>>;
using large_network = sequential<input<1, side, side>, conv2d<32, 3, same>, relu_layer, max_pool<2>, flatten, dense<10>>;

struct result {
  std::string policy;
  double accuracy = 0, loss = 0, ms_per_step = 0, skipped = 0, growths = 0, scale = 0;  // means over the seeds
  std::size_t weight_bytes = 0, activation_bytes = 0, optimizer_bytes = 0;
  loss_curve curve;
};

/// Shows where training is: one line redrawn on a terminal, ten lines a run elsewhere.
class progress_line {
 public:
  progress_line(const std::string& policy, std::size_t seed) : name_(policy), seed_(seed) {}

  void operator()(const step_progress& p) const {
    const bool last = p.step == p.total;
    if (!last && p.step % (terminal_ ? 20 : p.total / 10 + 1) != 0) return;
    std::fprintf(stderr, "%s%-12s seed %zu  epoch %2zu  step %6zu of %zu  loss %.4f%s", terminal_ ? "\r" : "", name_.c_str(),
                 seed_, p.epoch + 1, p.step, p.total, static_cast<double>(p.outcome.loss),
                 terminal_ ? (last ? "\033[K\r" : "\033[K") : "\n");
    std::fflush(stderr);
  }

 private:
  const std::string& name_;
  std::size_t seed_;
  bool terminal_ = MEZZO_IS_TERMINAL(stderr);
};

template <class Network, class Policy>
result train(const char* name, const options& o, const images& training, const images& test) {
  using trainer_type = trainer<Network, cross_entropy_loss, adam, Policy, cpu>;
  result r;
  r.policy = r.curve.name = name;
  for (std::size_t seed = 0; seed < o.seeds; ++seed) {
    typename trainer_type::setup how{.seed = seed};
    if constexpr (std::same_as<default_scale<Policy>, dynamic_scale>) how.scale = o.scale;
    trainer_type t{{.learning_rate = o.rate}, cpu{}, how};

    const auto start = std::chrono::steady_clock::now();
    const fit_report report =
        t.fit(training, {.epochs = o.epochs, .batch = o.batch, .seed = seed}, progress_line(r.policy, seed));
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (report.gave_up)
      std::fprintf(stderr, "%s: gave up after overflows in every step; the first in module %s\n", name,
                   report.first_non_finite.text);

    const double share = 1.0 / static_cast<double>(o.seeds);
    r.accuracy += 100 * t.evaluate(test, o.batch).accuracy() * share;
    r.loss += report.recent_loss(report.losses.size() / o.epochs) * share;
    r.ms_per_step += ms / static_cast<double>(report.steps) * share;
    r.skipped += static_cast<double>(report.skipped) * share;
    r.growths += static_cast<double>(report.growths) * share;
    r.scale += static_cast<double>(report.final_scale) * share;
    r.weight_bytes = t.weight_bytes();
    r.activation_bytes = t.activation_bytes();
    r.optimizer_bytes = t.optimizer_bytes();
    r.curve.losses.resize(report.steps);
    for (std::size_t i = 0; i < report.steps; ++i)
      r.curve.losses[i] += static_cast<double>(report.losses[i]) * share;
  }
  return r;
}

template <class Network>
std::vector<result> compare(const options& o, const images& training, const images& test) {
  std::vector<result> results;
  std::vector<std::string> unknown = o.policies;
  const auto run = [&]<class Policy>(const char* name, std::type_identity<Policy>) {
    bool wanted = o.policies.empty();
    for (const std::string& p : o.policies) wanted = wanted || p == name;
    std::erase(unknown, name);
    if (wanted) results.push_back(train<Network, Policy>(name, o, training, test));
  };
  run("O0", std::type_identity<policies::O0<>>{});
  run("O1-bfloat16", std::type_identity<policies::O1<bfloat16>>{});
  run("O2-bfloat16", std::type_identity<policies::O2<bfloat16>>{});
  run("O2-float16", std::type_identity<policies::O2<float16>>{});
  run("O3-float16", std::type_identity<policies::O3<float16>>{});
  if (!unknown.empty()) refuse("unknown policy '" + unknown.front() + "'");
  return results;
}

// ---- Results -----------------------------------------------------------------------------------------------------------

void print_table(const std::vector<result>& results, bool tsv) {
  const char* head = tsv ? "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n" : "%-12s %8s %8s %11s %12s %16s %15s %8s %8s %9s\n";
  const char* line = tsv ? "%s\t%.2f\t%.5f\t%.4f\t%zu\t%zu\t%zu\t%g\t%g\t%g\n"
                         : "%-12s %8.2f %8.4f %11.3f %12zu %16zu %15zu %8g %8g %9g\n";
  std::printf(head, "policy", "accuracy", "loss", "ms_per_step", "weight_bytes", "activation_bytes", "optimizer_bytes",
              "skipped", "growths", "scale");
  for (const result& r : results)
    std::printf(line, r.policy.c_str(), r.accuracy, r.loss, r.ms_per_step, r.weight_bytes, r.activation_bytes,
                r.optimizer_bytes, r.skipped, r.growths, r.scale);
}

int run(const options& o) {
  std::vector<result> results;
  if (o.data.empty()) {
    const digit_data d = built_in_digits();
    constexpr float factor = 1.0f / optdigits::brightest;
    results = compare<small_network>(o, d.train(optdigits::pixels, factor), d.test(optdigits::pixels, factor));
  } else {
    const digit_data d = digits_in(o.data);
    constexpr float factor = 1.0f / 255.0f;
    results = compare<large_network>(o, d.train(side * side, factor), d.test(side * side, factor));
  }
  print_table(results, o.tsv);
  std::vector<loss_curve> curves;
  for (const result& r : results) curves.push_back(r.curve);
  if (!o.csv.empty() && !write_csv(o.csv.c_str(), curves)) refuse("cannot write '" + o.csv + "'");
  if (!o.svg.empty() && !write_svg(o.svg.c_str(), curves, 50)) refuse("cannot write '" + o.svg + "'");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const options o = read_options(count, arguments);
  try {
    return run(o);
  } catch (const mezzo::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
