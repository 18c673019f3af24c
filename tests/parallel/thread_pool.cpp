// SPDX-License-Identifier: MIT
#include <mezzo/parallel/thread_pool.hpp>

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/store/into.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using namespace mezzo;

namespace {

static_assert(!std::is_copy_constructible_v<thread_pool> && !std::is_move_constructible_v<thread_pool>);

bool runs_each_once(thread_pool& pool, std::size_t count) {
  std::vector<int> times(count);
  pool.parallel(count, [&](std::size_t i) { ++times[i]; });
  return times == std::vector<int>(count, 1);
}

template <class Tensor>
Tensor random(std::uint64_t seed) {
  Tensor t;
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = counter_uniform(seed, i) - 0.5f;
  return t;
}
template <class Tensor>
bool same(const Tensor& a, const Tensor& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a.data()[i]) != bits_of(b.data()[i])) return false;
  return true;
}

/// A product with its epilogue, and a sum over all of its elements and over its rows.
struct work {
  tensor<float, shape<70, 40>> x = random<tensor<float, shape<70, 40>>>(1);
  tensor<float, shape<40, 90>> w = random<tensor<float, shape<40, 90>>>(2);
  tensor<float, shape<90>> b = random<tensor<float, shape<90>>>(3);
  tensor<float, shape<70, 90>> y{};
  tensor<float, shape<90>> columns{};
  tensor<float, shape<>> total{};

  void run(cpu& on) {
    into(on, y) = relu(linear(x, w, b));
    into(on, columns) = sum<0>(y);
    into(on, total) = sum(y);
  }
  [[nodiscard]] bool equals(const work& other) const {
    return same(y, other.y) && same(columns, other.columns) && same(total, other.total);
  }
};

std::atomic<std::size_t> function_sum{0};
void add_to_sum(std::size_t i) { function_sum += i; }

}  // namespace

TEST_CASE("a pool has the lanes it was asked for, the caller's among them") {
  CHECK(thread_pool(1).concurrency() == 1);
  CHECK(thread_pool(3).concurrency() == 3);
  const std::size_t machine = std::thread::hardware_concurrency();
  CHECK(thread_pool().concurrency() == (machine == 0 ? 1 : machine));
  CHECK_THROWS_WITH_AS(
      thread_pool(5000),
      "mezzo::thread_pool: the number of lanes must be at most 1024; given 5000; pass 0 for the machine's", error);
}

TEST_CASE("each call runs once, whatever their number") {
  for (std::size_t lanes : {1u, 2u, 3u, 5u}) {
    thread_pool pool(lanes);
    for (std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 100u, 1000u}) REQUIRE(runs_each_once(pool, count));
  }
}

TEST_CASE("a plain function is as good as a closure") {
  thread_pool pool(2);
  function_sum = 0;
  pool.parallel(10, add_to_sum);
  CHECK(function_sum == 45);
}

TEST_CASE("calls run at once, one of them in the thread that asked") {
  thread_pool pool(3);
  std::atomic<int> arrived{0};
  std::thread::id ids[3];
  pool.parallel(3, [&](std::size_t i) {
    ids[i] = std::this_thread::get_id();
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // ends only if all three are here together
  });
  CHECK(arrived == 3);
  CHECK(ids[0] != ids[1]);
  CHECK(ids[0] != ids[2]);
  CHECK(ids[1] != ids[2]);
  const auto self = std::this_thread::get_id();
  CHECK((ids[0] == self || ids[1] == self || ids[2] == self));
}

TEST_CASE("any number of lanes gives the same bits") {
  work alone;
  cpu one;
  alone.run(one);
  for (std::size_t lanes : {1u, 2u, 3u}) {
    thread_pool pool(lanes);
    cpu several{.executor = pool};
    work shared;
    shared.run(several);
    CAPTURE(lanes);
    CHECK(several.executor.concurrency() == lanes);
    CHECK(shared.equals(alone));
  }
}

TEST_CASE("many tiny calls, and pools that come and go") {
  thread_pool pool(3);
  std::size_t sum = 0;
  for (std::size_t round = 0; round < 5000; ++round) {
    std::size_t parts[4]{};
    pool.parallel(4, [&](std::size_t i) { parts[i] = i + round; });
    sum += parts[0] + parts[1] + parts[2] + parts[3];
  }
  CHECK(sum == 4 * (4999 * 5000 / 2) + 5000 * 6);
  for (int i = 0; i < 100; ++i) {
    thread_pool brief(3);
    if (i % 2 == 0) REQUIRE(runs_each_once(brief, 3));
  }
}

TEST_CASE("the first exception arrives after all calls have ended, and the pool goes on") {
  for (std::size_t lanes : {1u, 2u, 3u}) {
    thread_pool pool(lanes);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> running{0};
      std::string what;
      try {
        pool.parallel(64, [&](std::size_t i) {
          ++running;
          if (i % 8 == 3) {
            --running;
            throw std::runtime_error("call " + std::to_string(i));
          }
          --running;
        });
      } catch (const std::runtime_error& e) {
        what = e.what();
      }
      REQUIRE(running == 0);
      REQUIRE(what.substr(0, 5) == "call ");
      if (lanes == 1) REQUIRE(what == "call 3");
    }
    CHECK(runs_each_once(pool, 16));
  }
}

TEST_CASE("after an exception no further call begins") {
  thread_pool pool(2);
  std::atomic<std::size_t> begun{0};
  CHECK_THROWS_AS(pool.parallel(1000000,
                                [&](std::size_t) {
                                  ++begun;
                                  throw std::runtime_error("at once");
                                }),
                  std::runtime_error);
  CHECK(begun <= pool.concurrency());
}

TEST_CASE("a call inside a call runs in place") {
  thread_pool pool(3);
  std::vector<int> times(3 * 4 * 2);
  std::atomic<int> strangers{0};
  pool.parallel(3, [&](std::size_t i) {
    const auto self = std::this_thread::get_id();
    pool.parallel(4, [&](std::size_t j) {
      pool.parallel(2, [&](std::size_t k) {
        ++times[(i * 4 + j) * 2 + k];
        if (std::this_thread::get_id() != self) ++strangers;
      });
    });
  });
  CHECK(times == std::vector<int>(3 * 4 * 2, 1));
  CHECK(strangers == 0);
}

TEST_CASE("two pools that call each other do not wait for each other") {
  thread_pool first(2);
  thread_pool second(2);
  std::atomic<int> calls{0};
  first.parallel(2, [&](std::size_t) {
    second.parallel(2, [&](std::size_t) { first.parallel(2, [&](std::size_t) { ++calls; }); });
  });
  CHECK(calls == 8);
}

TEST_CASE("several threads use one pool at once") {
  thread_pool pool(3);
  work alone;
  cpu one;
  alone.run(one);
  std::atomic<int> wrong{0};
  std::vector<std::thread> users;
  for (int user = 0; user < 3; ++user)
    users.emplace_back([&] {
      cpu on{.executor = pool};
      for (int round = 0; round < 20; ++round) {
        work mine;
        mine.run(on);
        if (!mine.equals(alone) || !runs_each_once(pool, 10)) ++wrong;
      }
    });
  for (std::thread& user : users) user.join();
  CHECK(wrong == 0);
}

TEST_CASE("workers that slept wake up") {
  thread_pool pool(2);
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(runs_each_once(pool, 8));
  }
}
