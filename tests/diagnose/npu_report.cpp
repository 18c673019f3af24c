// SPDX-License-Identifier: MIT
#include <mezzo/diagnose/npu_report.hpp>

#include <mezzo/backend/npu/model.hpp>
#include <mezzo/expr/product.hpp>
#include <mezzo/store/into.hpp>

#include "profiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace mezzo;
using doctest::Approx;

namespace {

using record = std::vector<std::string>;

/// A CSV file by the grammar of RFC 4180; fails where it is broken.
std::vector<record> parse(const std::string& text) {
  std::vector<record> records;
  std::size_t i = 0;
  const auto more = [&] { return i < text.size(); };
  while (more()) {
    records.emplace_back();
    for (bool another = true; another;) {
      std::string field;
      if (more() && text[i] == '"') {
        for (++i;; ++i) {
          REQUIRE(more());
          if (text[i] != '"')
            field += text[i];
          else if (i + 1 < text.size() && text[i + 1] == '"')
            field += text[++i];
          else
            break;
        }
        ++i;
      } else {
        for (; more() && text[i] != ',' && text[i] != '\r'; ++i) {
          REQUIRE(text[i] != '"');
          REQUIRE(text[i] != '\n');
          field += text[i];
        }
      }
      records.back().push_back(field);
      REQUIRE(more());
      another = text[i] == ',';
      if (another) ++i;
    }
    REQUIRE(text.compare(i, 2, "\r\n") == 0);
    i += 2;
  }
  return records;
}

double number(const std::string& field) {
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  REQUIRE(!field.empty());
  REQUIRE(*end == '\0');
  return value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  REQUIRE(lines.back().empty());
  lines.pop_back();
  return lines;
}

}  // namespace

TEST_CASE("CSV parses back, and its columns sum up") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1}) {
    const npu::profile p = profiles::mixed(*on);
    const std::vector<record> rows = parse(kernel_csv(*on, p));
    REQUIRE(rows.size() == p.size() + 2);
    std::map<std::string, std::size_t> at;
    for (const std::string& name : rows[0]) {
      CHECK(at.find(name) == at.end());
      at[name] = at.size();
    }
    for (const record& row : rows) REQUIRE(row.size() == rows[0].size());

    for (const char* sum : {"Calls", "Task Duration(us)", "aicore_time(us)", "total_cycles", "mac_time(us)",
                            "vec_time(us)", "mte1_time(us)", "mte2_time(us)", "mte3_time(us)", "fixpipe_time(us)",
                            "scalar_time(us)", "aiv_mte2_time(us)", "aiv_scalar_time(us)", "cube_fops", "useful_flops",
                            "vector_operations", "bytes_in", "bytes_out", "hbm_bytes", "bytes_saved_by_fusion",
                            "time_saved_by_fusion(us)"}) {
      REQUIRE(at.count(sum) == 1);
      double total = 0;
      for (std::size_t i = 1; i + 1 < rows.size(); ++i) total += number(rows[i][at[sum]]);
      CHECK_MESSAGE(total == Approx(number(rows.back()[at[sum]])).epsilon(1e-9), std::string(sum));
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto value = [&](const char* name) { return number(rows[i][at.at(name)]); };
      for (const char* pipe : {"mac", "vec", "mte1", "mte2", "mte3", "fixpipe", "scalar"}) {
        const std::string time = std::string(pipe) + "_time(us)", ratio = std::string(pipe) + "_ratio";
        CHECK(value(ratio.c_str()) == Approx(value(time.c_str()) / value("aicore_time(us)")).epsilon(1e-9));
      }
      if (i + 1 == rows.size()) continue;
      const npu::profile_entry& kernel = p[i - 1];
      CHECK(rows[i][at["Name"]] == kernel.name.text);
      CHECK(value("Calls") == static_cast<double>(kernel.calls));
      CHECK(value("cube_fops") == static_cast<double>(kernel.each.of(npu::pipe::cube)) * 8192 * value("Calls"));
      CHECK(value("total_cycles") == static_cast<double>(kernel.each.total) * value("Block Dim") * value("Calls"));
      const std::string& bound = rows[i][at["memory_bound"]];
      const double most = std::max(value("mac_ratio"), value("vec_ratio"));
      const double mte2 = std::max(value("mte2_ratio"), value("aiv_mte2_ratio"));
      if (most > 0)
        CHECK(number(bound) == Approx(mte2 / most));
      else
        CHECK(bound.empty());
      const std::string& efficiency = rows[i][at["FP16_EFFICIENCY"]];
      if (rows[i][at["Data Type"]] == "float16" && kernel.on_cube)
        CHECK(number(efficiency) == Approx(value("useful_flops") / value("cube_fops")));
      else
        CHECK(efficiency.empty());
    }
    CHECK(rows[1][at["Shape"]] == "512x768x320");
    const npu::tiles& t = p[0].tile;
    CHECK(rows[1][at["Tile"]].rfind(std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k), 0) ==
          0);
  }
}

TEST_CASE("the table lines up, fits a wide window, and has the figures of every kernel") {
  for (const npu::chip* on : {&npu::ascend910a, &npu::ascend910b1}) {
    const npu::profile p = profiles::mixed(*on);
    const std::vector<std::string> lines = lines_of(kernel_table(*on, p));
    REQUIRE(lines.size() == p.size() + 2);
    for (const std::string& line : lines) {
      CHECK(detail::character_count(line) == detail::character_count(lines[0]));
      CHECK(detail::character_count(line) <= 160);
    }
    CHECK(lines[0].rfind("kernel ", 0) == 0);
    CHECK(lines[1].rfind("matmul+bias+relu  ", 0) == 0);
    CHECK(lines[1].find(" float16 512x768x320 ") != std::string::npos);
    CHECK(lines.back().rfind("total ", 0) == 0);
    CHECK(lines.back().find(" 100 ") != std::string::npos);
    CHECK(lines[5].find("a \"quoted\", <odd> & long\\na…") == 0);
  }
}

TEST_CASE("an empty profile is a line of names and a total of nothing") {
  const npu::profile none;
  const std::vector<record> rows = parse(kernel_csv(npu::ascend910a, none));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].size() == rows[0].size());
  CHECK(rows[1][0] == "total");
  CHECK(lines_of(kernel_table(npu::ascend910a, none)).size() == 2);
  CHECK(warning_text(none).empty());
}

TEST_CASE("without fusion nothing is saved") {
  const npu::profile p = profiles::mixed(npu::ascend910b1, {.fusion = false});
  const std::vector<record> rows = parse(kernel_csv(npu::ascend910b1, p));
  for (std::size_t i = 1; i < 5; ++i) CHECK(number(rows[i][rows[i].size() - 2]) == 0);
}

TEST_CASE("what practice warns of, once each, with the operation and what to do") {
  tensor<float16, shape<40, 8>> x{shape<40, 8>{}, float16(0.5f)};
  tensor<float16, shape<40, 8>> y;
  npu::model<npu::ascend910a> on;
  for (int times = 0; times < 2; ++times) {
    into(on, y) = x * (1.0f / (x + 1.0f));
    into(on, y) = 1e-8f * x;
  }
  const std::vector<std::string> lines = lines_of(warning_text(on));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "mezzo::npu: mul: a quotient must be a division, as the reciprocal of the chips is coarse; given a product "
        "with a reciprocal; write a / b for a * (1 / b)");
  CHECK(lines[1] ==
        "mezzo::npu: mul: a number of the program must be a normal one in the type of the instruction that takes it; "
        "given one that is 0 or subnormal there; scale it, or keep<float, op::mul> in the policy");
  CHECK(static_cast<float>(y(0, 0)) == doctest::Approx(0).epsilon(1e-6));

  npu::profile asked;
  asked.warn(npu::hazard::hidden_overflow, profiles::named("matmul"));
  asked.warn(npu::hazard::hidden_overflow, profiles::named("matmul"));
  CHECK(warning_text(asked) ==
        "mezzo::npu: matmul: whether results overflowed must be read from the status flag where they saturate; given "
        "values that were asked whether they are finite, which they always are; call clear_overflow() before and "
        "overflow() after, as mezzo::trainer does\n");
}

TEST_CASE("reports of a model are those of its profile") {
  tensor<float16, shape<40, 8>> x{shape<40, 8>{}, float16(0.5f)};
  tensor<float16, shape<8, 24>> w{shape<8, 24>{}, float16(0.25f)};
  tensor<float16, shape<40, 24>> y;
  npu::model<npu::ascend910b1> on;
  into(on, y) = matmul(x, w);
  CHECK(static_cast<float>(y(3, 4)) == 1);
  CHECK(kernel_csv(on) == kernel_csv(npu::ascend910b1, on.profile));
  CHECK(kernel_table(on) == kernel_table(npu::ascend910b1, on.profile));
  CHECK(kernel_table(on).find("matmul  float16 40x24x8") != std::string::npos);
}
