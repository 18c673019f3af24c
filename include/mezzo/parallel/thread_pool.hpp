// SPDX-License-Identifier: MIT
//
// Threads for a program that has none of its own: a fixed number of workers, started once, asleep while there is
// nothing to do. The thread that asks takes part in the work. Nothing here changes a result: which thread runs which
// call is left open, and the library's sums do not depend on it.
#pragma once

#include <mezzo/backend/cpu/executor.hpp>
#include <mezzo/base/contract.hpp>

#include <atomic>              // atomic
#include <condition_variable>  // condition_variable
#include <cstddef>             // size_t
#include <exception>           // exception_ptr
#include <mutex>               // mutex
#include <thread>              // thread
#include <vector>              // vector

namespace mezzo::inline MEZZO_ABI {

/// A host executor, such as `thread_pool pool(4); trainer<...> t{options, cpu{.executor = pool}};`. It must outlive
/// what refers to it. May be used from several threads at once.
class thread_pool {
 public:
  static constexpr std::size_t most = 1024;

  /// `lanes` calls at once, the caller's own included; 0 for as many as the machine has.
  /// Errors: more than `most` lanes; std::system_error where the system gives no more threads.
  explicit thread_pool(std::size_t lanes = 0) : thread_pool(no_threads{}) {
    if (lanes == 0) lanes = std::thread::hardware_concurrency();
    if (lanes > most)
      fail(sentence("mezzo::thread_pool: the number of lanes must be at most ")
           << most << "; given " << lanes << "; pass 0 for the machine's");
    for (std::size_t i = 1; i < lanes; ++i) workers_.emplace_back([this] { serve(); });
  }
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  [[nodiscard]] std::size_t concurrency() const { return workers_.size() + 1; }

  /// Calls f(0) … f(count − 1) and returns when all have ended. A call made while the pool is at work, from inside such
  /// a call or from another thread, runs in the thread that made it, so that none waits for another. The first
  /// exception is thrown again once all running calls have ended; those not begun by then are left out.
  template <class F>
  void parallel(std::size_t count, F&& f) {
    const auto call = [&f](std::size_t i) { f(i); };
    job work{[](const void* data, std::size_t i) { (*static_cast<decltype(&call)>(data))(i); }, &call, count};
    if (count < 2 || !begin(work)) {
      for (std::size_t i = 0; i < count; ++i) f(i);
      return;
    }
    take_part(work);
    end(work);
  }

 private:
  struct no_threads {};
  /// Complete before a thread is started, so that the destructor stops those that did start.
  explicit thread_pool(no_threads) {}

  struct job {
    void (*call)(const void*, std::size_t);
    const void* data;
    std::size_t count;
    std::atomic<std::size_t> next{0};  ///< the first call that nobody has taken
    std::size_t workers = 0;           ///< workers in it; with `failure`, guarded by the mutex
    std::exception_ptr failure{};
  };

  /// Makes `work` the pool's, unless it has one already or no workers.
  bool begin(job& work) {
    {
      const std::lock_guard lock(mutex_);
      if (job_ != nullptr || workers_.empty()) return false;
      job_ = &work;
    }
    const std::size_t others = work.count - 1;
    if (others < workers_.size())
      for (std::size_t i = 0; i < others; ++i) wake_.notify_one();
    else
      wake_.notify_all();
    return true;
  }

  void end(job& work) {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return work.workers == 0; });
    job_ = nullptr;
    lock.unlock();
    if (work.failure) std::rethrow_exception(work.failure);
  }

  void take_part(job& work) {
    const auto run = [&work] {
      for (std::size_t i = work.next++; i < work.count; i = work.next++) work.call(work.data, i);
    };
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
      run();
    } catch (...) {
      work.next = work.count;
      const std::lock_guard lock(mutex_);
      if (!work.failure) work.failure = std::current_exception();
    }
#else
    run();
#endif
  }

  /// What a worker does from its start to its end.
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || (job_ != nullptr && job_->next < job_->count); });
      if (stopping_) return;
      job& work = *job_;
      ++work.workers;
      lock.unlock();
      take_part(work);
      lock.lock();
      if (--work.workers == 0) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;  ///< workers wait for a job
  std::condition_variable idle_;  ///< the thread that brought it waits for them
  job* job_ = nullptr;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

static_assert(host_executor<thread_pool>);

}  // namespace mezzo::inline MEZZO_ABI
