// SPDX-License-Identifier: MIT
//
// The NPU model beside measured rows: `npu_rows FOLDER`, where the folder holds msprof_20core_pipe.csv and
// msprof_910B1_arith.csv, published profiles of Ascend-mstt. The first, third, ... row of each calibrated the model;
// errors are given apart for those and for the others. Without a folder only what needs none is printed: the published
// figures of SGEMM-cube (arXiv 2507.23387) beside the model's, and what planning and costing takes.
// In one file shapes were edited by its author; the depth of a product is read from its second operand.
#include "timing.hpp"

#include <mezzo/backend/npu/cost.hpp>

#include <array>
#include <fstream>
#include <sstream>

namespace {

using namespace mezzo::npu;
using row = std::map<std::string, std::string>;
using shape = std::vector<std::size_t>;

/// Fields of a line; quotes hold commas, and two of them stand for one.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      found.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      found.emplace_back();
    else if (c != '\r')
      found.back() += c;
  }
  return found;
}

std::vector<row> read(const std::string& path) {
  std::ifstream file(path);
  std::vector<row> rows;
  std::string line;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> names = fields(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> values = fields(line);
    row r;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) r[names[i]] = values[i];
    rows.push_back(r);
  }
  return rows;
}

double number(const row& r, const std::string& name) {
  const auto at = r.find(name);
  return at == r.end() ? 0 : std::atof(at->second.c_str());
}

/// "4,1024;2" as extents, one list an operand; an operand without extents is a number.
std::vector<shape> shapes(const std::string& text) {
  std::vector<shape> found(1);
  std::string digits;
  for (const char c : text + ";") {
    if (c >= '0' && c <= '9') {
      digits += c;
      continue;
    }
    if (!digits.empty()) found.back().push_back(std::stoul(digits));
    digits.clear();
    if (c == ';') found.emplace_back();
  }
  found.pop_back();
  return found;
}

std::vector<std::string> types(const std::string& text) {
  std::vector<std::string> found;
  std::stringstream all(text);
  for (std::string one; std::getline(all, one, ';');) found.push_back(one.rfind("DT_", 0) == 0 ? one.substr(3) : one);
  return found;
}

std::size_t size(const shape& s) {
  std::size_t n = 1;
  for (const std::size_t e : s) n *= e;
  return n;
}

std::size_t bytes(const std::string& type) {
  if (type == "INT64" || type == "DOUBLE") return 8;
  if (type == "FLOAT" || type == "INT32") return 4;
  return type == "FLOAT16" || type == "BF16" || type == "INT16" ? 2 : 1;
}

std::size_t moved(const std::vector<shape>& all, const std::vector<std::string>& all_types) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < all.size() && i < all_types.size(); ++i) sum += size(all[i]) * bytes(all_types[i]);
  return sum;
}

/// Errors by class, of the rows that calibrated and of the others.
class errors {
 public:
  void add(const std::string& of, bool calibrated, double model, double measured) {
    all_[of][calibrated ? 0 : 1].push_back(100 * std::abs(model / measured - 1));
  }
  void print() const {
    std::printf("# %-36s %26s %26s\n", "mean error, % (largest; rows)", "rows that calibrated", "other rows");
    for (const auto& [of, halves] : all_) {
      std::printf("# %-36s", of.c_str());
      for (const auto& half : halves) {
        double sum = 0, most = 0;
        for (const double e : half) {
          sum += e;
          most = std::max(most, e);
        }
        if (half.empty())
          std::printf(" %26s", "none");
        else
          std::printf(" %8.1f (%7.1f; %3d rows)", sum / static_cast<double>(half.size()), most,
                      static_cast<int>(half.size()));
      }
      std::printf("\n");
    }
  }

 private:
  std::map<std::string, std::array<std::vector<double>, 2>> all_;
};

void line(const std::string& bench, const char* peer, const std::string& what, const char* metric, double value) {
  std::printf("%s\t%s\t%s\t1\t%s\t%.5g\n", bench.c_str(), peer, what.c_str(), metric, value);
}

void compare(const std::string& bench, const std::string& what, const char* metric, double model, double measured) {
  line(bench, "measured", what, metric, measured);
  line(bench, "model", what, metric, model);
}

/// A row of a product, or none: the result is (m, n), the right operand (k, n) or transposed.
bool product_of(const std::vector<shape>& in, const std::vector<std::string>& in_types, const shape& out,
                product_task& task) {
  if (in.size() < 2 || in[0].size() < 2 || in[1].size() < 2 || out.size() < 2) return false;
  const std::size_t m = out[out.size() - 2], n = out.back();
  const std::size_t r = in[1][in[1].size() - 2], s = in[1].back();
  const std::size_t p = in[0][in[0].size() - 2], q = in[0].back();
  task.m = m;
  task.n = n;
  task.right_transposed = s != n && r == n;
  if (s != n && r != n) return false;
  task.k = task.right_transposed ? s : r;
  task.left_transposed = p != m && (q == m || p == task.k);
  task.batch = size(out) / (m * n);
  const std::string& type = in_types[0];
  task.in = type == "BF16" ? element::bfloat16 : type == "FLOAT" ? element::hf32 : element::float16;
  task.out = bytes(type) == 4 ? element::float32 : task.in;
  return true;
}

/// What elementwise kernels and whole reductions do, where the counters of the rows that calibrated or the operation's
/// formula say it; none for gathers, transpositions, slices and other kernels that are not a pass over their operands.
bool work_of(const std::string& op, bool half, bool doubled, vector_work& work) {
  const element type = half ? element::float16 : element::float32;
  const std::map<std::string, std::array<std::size_t, 4>> known = {
      {"Add", {1, 0, 0, 0}},          {"Sub", {1, 0, 0, 0}},        {"Mul", {1, 0, 0, 0}},
      {"Muls", {1, 0, 0, 0}},         {"Adds", {1, 0, 0, 0}},       {"Axpy", {2, 0, 0, 0}},
      {"Neg", {1, 0, 0, 0}},          {"Abs", {1, 0, 0, 0}},        {"Maximum", {1, 0, 0, 0}},
      {"Minimum", {1, 0, 0, 0}},      {"Relu", {1, 0, 0, 0}},       {"ReluGrad", {2, 0, 0, 0}},
      {"Square", {1, 0, 0, 0}},       {"Cast", {1, 0, 0, 0}},       {"ZerosLike", {1, 0, 0, 0}},
      {"OnesLike", {1, 0, 0, 0}},     {"Fill", {1, 0, 0, 0}},       {"Exp", {0, 1, 0, 0}},
      {"Log", {0, 1, 0, 0}},          {"Sqrt", {0, 0, 1, 0}},       {"RealDiv", {0, 0, 1, 0}},
      {"Div", {0, 0, 1, 0}},          {"Reciprocal", {0, 0, 1, 0}}, {"Equal", {3, 0, 0, 0}},
      {"NotEqual", {3, 0, 0, 0}},     {"GreaterEqual", {3, 0, 0, 0}}, {"LessEqual", {3, 0, 0, 0}},
      {"Greater", {3, 0, 0, 0}},      {"Less", {3, 0, 0, 0}},       {"LogicalAnd", {2, 0, 0, 0}},
      {"LogicalOr", {2, 0, 0, 0}},    {"LogicalNot", {2, 0, 0, 0}}, {"SelectV2", {2, 0, 0, 0}},
      {"Select", {2, 0, 0, 0}},       {"MaskedFill", {2, 0, 0, 0}}, {"DropOutDoMask", {3, 0, 0, 0}},
      {"BroadcastTo", {1, 0, 0, 0}},  {"FastGelu", {12, 2, 1, 0}},  {"FastGeluGrad", {18, 2, 2, 0}},
      {"ReduceSumD", {1, 0, 0, 0}},   {"LpNormReduceV2", {3, 0, 0, 0}}, {"LpNormReduce", {3, 0, 0, 0}},
      {"ApplyAdamW", {22, 0, 2, 0}},  {"ApplyAdamWV2", {22, 0, 2, 0}},
  };
  const auto at = known.find(op);
  if (at == known.end()) return false;
  for (std::size_t i = 0; i < vector_op_count; ++i) work.add(static_cast<vector_op>(i), type, at->second[i]);
  if (doubled) work.add(vector_op::simple, element::float32, 3);  // bfloat16 is computed in float32
  return true;
}

/// A row of a vector kernel, or none.
bool vector_of(const std::string& op, const std::vector<shape>& in, const std::vector<std::string>& in_types,
               const std::vector<shape>& out, const std::vector<std::string>& out_types, vector_task& task) {
  if (in_types.empty() || out_types.empty() || in_types[0] == "UNDEFINED" || in_types[0] == "N/A") return false;
  task = {};
  std::size_t widest = 1, dimensions = 0;
  const bool writes_only = op == "ZerosLike" || op == "OnesLike" || op == "Fill" || op == "BroadcastTo";
  for (std::size_t i = 0; i < in.size() && i < in_types.size(); ++i) {
    task.elements = std::max(task.elements, size(in[i]));
    dimensions = std::max(dimensions, in[i].size());
    if (!writes_only) task.bytes_in += size(in[i]) * bytes(in_types[i]);
    ++task.operands;
    if (size(in[i]) > 1) widest = std::max(widest, bytes(in_types[i]));
  }
  for (std::size_t i = 0; i < out.size() && i < out_types.size(); ++i) {
    task.elements = std::max(task.elements, size(out[i]));
    task.bytes_out += size(out[i]) * bytes(out_types[i]);
    ++task.operands;
    if (size(out[i]) > 1) widest = std::max(widest, bytes(out_types[i]));
  }
  task.type = widest >= 4 ? element::float32 : widest == 2 ? element::float16 : element::int8;
  task.widest_bytes = widest;
  task.whole_reduction = op.rfind("Reduce", 0) == 0 || op.rfind("LpNorm", 0) == 0;
  const bool cast_up = op == "Cast" && widest >= 4;
  if (!work_of(op, widest == 2 && !cast_up && in_types[0] != "BF16", in_types[0] == "BF16", task.work)) return false;
  // One extent: weights, gradients and states, flattened for the optimizer, of a model that L2 does not hold. A sum of
  // two tensors: one of them waited since before the branch.
  task.cold = dimensions < 2 || (op == "Add" && in.size() == 2 && size(in[0]) == size(in[1]));
  return true;
}

/// CANN's elementwise kernels in the rows that calibrated take as long as their pipes one after another.
constexpr options vector_options{.double_buffering = false};

std::string text(const shape& s) {
  std::string t;
  for (const std::size_t e : s) {
    if (!t.empty()) t += 'x';
    t += std::to_string(e);
  }
  return t.empty() ? "1" : t;
}

struct file {
  const char* name;
  const char* chip_name;
  const chip& on;
  bool pipes;
};

void measure(const std::string& folder, const file& f, errors& all) {
  const std::vector<row> rows = read(folder + "/" + f.name);
  std::size_t skipped = 0, owed = vector_task::as_many;
  if (rows.empty()) std::printf("# %s: not there, skipped\n", f.name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    const auto field = [&](const char* pipes, const char* other) { return r.at(f.pipes ? pipes : other); };
    const std::string op = field("Type", "op");
    const auto in = shapes(field("Input Shapes", "in_shapes")), out = shapes(field("Output Shapes", "out_shapes"));
    const auto in_types = types(field("Input Data Types", "in_dtypes"));
    const auto out_types = f.pipes ? std::vector<std::string>(out.size(), in_types.empty() ? "" : in_types[0])
                                   : types(r.at("out_dtypes"));
    const double duration = number(r, f.pipes ? "Duration(us)" : "dur_med_us");
    const bool calibrated = i % 2 == 0;
    const std::string half = calibrated ? "calibrated" : "predicted";
    product_task product{};
    vector_task vector{};
    if (op.find("MatMul") != std::string::npos && product_of(in, in_types, out[0], product)) {
      const product_plan plan = plan_product(f.on, product);
      const kernel_cost cost = cost_product(f.on, product, plan);
      const double mac = f.pipes ? number(r, "aic_mac_time(us)")
                                 : number(r, "mac_fp16_ratio") * number(r, "aic_or_aiv_time_us");
      const std::string what = std::to_string(product.batch) + "x" + std::to_string(product.m) + "x" +
                               std::to_string(product.k) + "x" + std::to_string(product.n) +
                               (product.left_transposed ? "_tn" : "") + (product.right_transposed ? "_nt" : "");
      const std::string bench = std::string("npu_product_") + f.chip_name + "_" + half;
      compare(bench, what, "mac_us", cost.average(f.on, pipe::cube), mac);
      compare(bench, what, "task_us", cost.microseconds, duration);
      compare(bench, what, "cores", static_cast<double>(cost.cube_cores),
              number(r, f.pipes ? "Block Dim" : "block_dim"));
      const bool aligned = product.m % 16 == 0 && product.n % 16 == 0 && product.k % 16 == 0;
      all.add("product: mac time, all", calibrated, cost.average(f.on, pipe::cube), mac);
      if (mac > 100) all.add("product: mac time, above 100 us", calibrated, cost.average(f.on, pipe::cube), mac);
      all.add(aligned ? "product: task time, aligned" : "product: task time, not aligned", calibrated,
              cost.microseconds, duration);
    } else if (r.at(f.pipes ? "Accelerator Core" : "core") == "AI_VECTOR_CORE" &&
               vector_of(op, in, in_types, out, out_types, vector)) {
      // The median of one or two calls is the first one, or the slower. A call after one of its own kind finds as much
      // in L2 to be written back as it leaves; a single one finds what the rows before left.
      const double calls = number(r, "n");
      vector.cold_code = calls == 1 || calls == 2;
      if (calls == 1) vector.owed_bytes = owed;
      const kernel_cost cost = cost_vector(f.on, vector, vector_options);
      const std::string bench = std::string("npu_vector_") + f.chip_name + "_" + half;
      compare(bench, op + "_" + text(in[0]), "task_us", cost.microseconds, duration);
      const char* kind = vector.whole_reduction ? "vector: task time, whole reductions"
                         : duration < 10        ? "vector: task time, below 10 us"
                                                : "vector: task time, above 10 us";
      all.add(kind, calibrated, cost.microseconds, duration);
      all.add("vector: task time, all", calibrated, cost.microseconds, duration);
    } else {
      ++skipped;
    }
    // Rows stand in the order of the program.
    const std::size_t read = moved(in, in_types), written = moved(out, out_types);
    if (owed != vector_task::as_many || read + written > f.on.l2_bytes)
      owed = left_in_l2(f.on, read, written, owed);
  }
  std::printf("# %s: %d rows, %d skipped: neither products nor passes over their operands\n", f.name,
              static_cast<int>(rows.size()), static_cast<int>(skipped));
}

/// Float32 products from three float16 ones on the first generation. `depth` is what the paper calls the fused blocks
/// in L1, of both parts of both operands, in as many buffers as there are.
double sgemm(std::size_t m, std::size_t k, std::size_t blocks, std::size_t buffers, std::size_t extent) {
  const product_task task{.m = extent, .n = extent, .k = extent, .out = element::float32, .parts = 2, .terms = 3};
  const tiles given{.m = m, .n = m, .k = k, .l1_k = blocks / (4 * buffers) * k, .l0_buffers = 2, .l1_buffers = buffers,
                    .c_buffers = buffers};
  const options how{.double_buffering = buffers == 2};
  return cost_product(ascend910a, task, plan_product(ascend910a, task, given), how).teraflops();
}

void published() {
  const double single = sgemm(192, 80, 32, 1, 6144), both = sgemm(176, 64, 44, 2, 5632);
  compare("npu_sgemm_910a", "192x80x192x32_single", "teraflops", single, 41.7);
  compare("npu_sgemm_910a", "176x64x176x44_double", "teraflops", both, 65.3);
  compare("npu_sgemm_910a", "gain_of_double_buffers", "ratio", both / single, 65.3 / 41.7);
}

void planning() {
  bench::round_robin bench("npu_planning", "512x768x3072", 1, "calls");
  const volatile std::size_t depth = 768;  // so that nothing is computed by the compiler
  cycles sum = 0;
  bench.add("mezzo", 1e-9, [&] {
    const product_task task{.m = 512, .n = 3072, .k = depth};
    sum += cost_product(ascend910b3, task).total;
  });
  bench.measure(0.1);
  line("npu_planning", "mezzo", "512x768x3072", "ms_best", 1e3 / (bench.best("mezzo") * 1e9));
  if (sum == 0) std::printf("# no cycles\n");
}

}  // namespace

int main(int count, char** arguments) {
  published();
  planning();
  if (count < 2) {
    std::printf("# no folder of measured rows given: npu_rows FOLDER; all rows skipped\n");
    return 0;
  }
  errors all;
  measure(arguments[1], {"msprof_20core_pipe.csv", "910b3", ascend910b3, true}, all);
  measure(arguments[1], {"msprof_910B1_arith.csv", "910b1", ascend910b1, false}, all);
  all.print();
}
