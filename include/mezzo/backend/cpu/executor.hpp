// SPDX-License-Identifier: MIT
//
// The library starts no thread. A host program lends its own through a reference to anything that can run N calls at
// once and wait for them.
#pragma once

#include <mezzo/base/config.hpp>

#include <concepts>     // convertible_to, same_as
#include <cstddef>      // size_t
#include <type_traits>  // remove_const

namespace mezzo::inline MEZZO_ABI {

/// A host's threads: `e.concurrency()` is how many calls run at once; `e.parallel(count, f)` calls f(0) … f(count − 1),
/// in any order, and returns when all have ended.
template <class E>
concept host_executor = requires(E& e, const E& c, void (&f)(std::size_t)) {
  { c.concurrency() } -> std::convertible_to<std::size_t>;
  e.parallel(std::size_t{1}, f);
};

/// Refers to a host's executor, which must outlive it; refers to nothing by default and then runs everything in place.
class executor_ref {
 public:
  constexpr executor_ref() = default;
  template <host_executor E>
    requires(!std::same_as<std::remove_const_t<E>, executor_ref>)
  constexpr executor_ref(E& e)
      : host_(&e),
        concurrency_([](const void* host) -> std::size_t {
          return static_cast<std::size_t>(static_cast<const E*>(host)->concurrency());
        }),
        parallel_([](void* host, std::size_t count, call f, const void* data) {
          static_cast<E*>(host)->parallel(count, [f, data](std::size_t i) { f(data, i); });
        }) {}

  /// At least 1, whatever a host that does not know its processors says.
  [[nodiscard]] std::size_t concurrency() const {
    const std::size_t calls = host_ == nullptr ? 1 : concurrency_(host_);
    return calls == 0 ? 1 : calls;
  }

  template <class F>
  void parallel(std::size_t count, const F& f) const {
    if (host_ == nullptr || count < 2) {
      for (std::size_t i = 0; i < count; ++i) f(i);
    } else {
      parallel_(
          host_, count, [](const void* data, std::size_t i) { (*static_cast<const F*>(data))(i); }, &f);
    }
  }

 private:
  using call = void (*)(const void*, std::size_t);

  void* host_ = nullptr;
  std::size_t (*concurrency_)(const void*) = nullptr;
  void (*parallel_)(void*, std::size_t, call, const void*) = nullptr;
};

}  // namespace mezzo::inline MEZZO_ABI
