// SPDX-License-Identifier: MIT
#include <mezzo/backend/backend.hpp>

#include <mezzo/backend/reference/reference.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

using namespace mezzo;

namespace {

/// A backend of a program's own: plain loops that run backwards and count.
struct counting {
  static constexpr const char* name = "counting";

  workspace memory{};
  int kernels = 0;
  int products = 0;

  template <class Tag, class T>
  static constexpr bool supports = true;
  template <real T>
  [[nodiscard]] bool native() const {
    return true;
  }

  template <class Kernel>
  tally run(const Kernel& kernel) {
    ++kernels;
    const buffer<typename Kernel::scratch> scratch(memory, kernel.scratch_size());
    const buffer<tally> sums(memory, kernel.tasks());
    for (std::size_t task = kernel.tasks(); task-- > 0;) {
      sums.data()[task] = tally{};
      kernel(task, scratch.data(), sums.data()[task]);
    }
    tally total;
    for (std::size_t task = 0; task < sums.size(); ++task) total += sums.data()[task];
    return total;
  }

  /// A few elements of the result at a time.
  template <class Left, class Right, class Sink>
  tally multiply(const Left& a, const Right& b, const product_shape& shape, const Sink& sink) {
    ++products;
    const buffer<typename Left::A> row(memory, shape.n);
    tally sum;
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t j = 0; j < shape.n; ++j) {
        row.data()[j] = 0;
        for (std::size_t k = 0; k < shape.k; ++k) row.data()[j] += a.element(i, k) * b.element(k, j);
      }
      for (std::size_t j = 0; j < shape.n; j += 4)
        sink.tile_row(i, j, shape.n - j < 4 ? shape.n - j : 4, row.data() + j, sum);
    }
    return sum;
  }
};
static_assert(backend<counting>);

struct nothing {};
static_assert(!backend<nothing> && !backend<int>);

}  // namespace

TEST_CASE("a program's own backend runs everything, with the results of the reference") {
  tensor<float, shape<7, 5>> x;
  tensor<float, shape<5, 6>> w;
  tensor<float, shape<6>> b;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 9) - 4;
  for (std::size_t i = 0; i < w.size(); ++i) w.data()[i] = static_cast<float>(i % 7) - 3;
  b.fill(1);
  const tensor<float, shape<7, 6>> dy(shape<7, 6>{}, 1);

  const auto all = [&](auto& on, auto& y, auto& dw, auto& db, auto& p) {
    into(on, y) = relu(linear(x, w, b));
    into(on, dw, db) = gradient(relu(linear(x, w, b)), dy, wrt(w, b));
    into(on, p) = sum<0>(matmul(x, w));
  };
  tensor<float, shape<7, 6>> y[2];
  tensor<float, shape<5, 6>> dw[2];
  tensor<float, shape<6>> db[2];
  tensor<float, shape<6>> p[2];
  reference plain;
  counting own;
  all(plain, y[0], dw[0], db[0], p[0]);
  all(own, y[1], dw[1], db[1], p[1]);
  const auto same = [](const auto& a, const auto& c) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a.data()[i] != c.data()[i]) return false;
    return true;
  };
  CHECK(same(y[0], y[1]));
  CHECK(same(dw[0], dw[1]));
  CHECK(same(db[0], db[1]));
  CHECK(same(p[0], p[1]));
  CHECK(own.products == 4);  // forward, again for the sweep, by weights, and before the sum
  CHECK(own.kernels > 0);
}
