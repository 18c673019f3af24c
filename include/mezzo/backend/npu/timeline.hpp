// SPDX-License-Identifier: MIT
//
// The pipes of one core as queues: each runs its instructions in order, different ones run at once, and flags order
// them across pipes. The way to global memory goes one way at a time. A steady state is found as two equal shapes of
// all clocks and skipped, which changes no result.
#pragma once

#include <mezzo/backend/npu/chip.hpp>

#include <type_traits>  // is_same_v

namespace mezzo::inline MEZZO_ABI {
namespace npu {

/// Queues by the names users know from msprof. On split cores the vector core issues by itself (aiv_scalar) and loads
/// through an MTE2 of its own (aiv_mte2); on combined cores those two stay idle, and there is no FixPipe.
enum class pipe : unsigned char { scalar, mte1, mte2, cube, fixpipe, vector, mte3, aiv_scalar, aiv_mte2 };
inline constexpr std::size_t pipe_count = 9;
[[nodiscard]] constexpr const char* name_of(pipe p) {
  constexpr const char* names[pipe_count] = {"scalar", "mte1", "mte2",       "mac",     "fixpipe",
                                             "vec",    "mte3", "aiv_scalar", "aiv_mte2"};
  return names[static_cast<std::size_t>(p)];
}

/// Whether split cores have the pipe on their vector side.
[[nodiscard]] constexpr bool on_vector_core(pipe p) {
  return p == pipe::vector || p == pipe::mte3 || p == pipe::aiv_scalar || p == pipe::aiv_mte2;
}

/// What a pipe does from `begin` until `end`.
struct interval {
  pipe on;
  cycles begin, end;
};

/// Takes intervals and forgets them. Any other callable gets each one, and nothing is skipped.
struct no_record {
  constexpr void operator()(const interval&) const {}
};

/// Moments that instructions wait for; each kind has one for either of two buffers.
enum class flag : unsigned char { l1_filled, l1_free, l0_free, c_free, ub_free, workspace_free };
inline constexpr std::size_t flag_count = 6;

template <class Record = no_record>
class timeline {
 public:
  static constexpr bool records = !std::is_same_v<Record, no_record>;

  /// `split`: the vector pipes have a scalar unit and a way to memory of their own.
  constexpr timeline(const chip& on, const Record& record)
      : issue_(on.issue), split_(!on.combined), record_(&record) {}

  /// Runs an instruction of `duration` on `p`, not before `ready`; returns when it ends.
  constexpr cycles run(pipe p, cycles ready, cycles duration) { return begin_at(p, issued(p, ready), duration); }

  /// The same for a load, which occupies the way to global memory.
  constexpr cycles load(pipe p, cycles ready, cycles duration) {
    const std::size_t path = path_of(p);
    const cycles earliest = issued(p, ready);
    if (stores_[path].waits && at_[pipe_count + 2 + path] <= earliest) settle(path);
    return at_[pipe_count + path] = begin_at(p, detail::larger(earliest, at_[pipe_count + path]), duration);
  }
  /// The same for a store, which sets a flag when it ends. A load that is ready before it goes first.
  constexpr void store(pipe p, cycles ready, cycles duration, flag f, std::size_t buffer) {
    const std::size_t path = path_of(p);
    settle(path);
    at_[pipe_count + 2 + path] = issued(p, ready);
    stores_[path] = {p, true, duration, index_of(f, buffer)};
  }
  /// Nothing follows on the ways to memory.
  constexpr void settle() {
    settle(0);
    settle(1);
  }
  /// The scalar unit that issues for `p` stops until a moment.
  constexpr void wait(pipe p, cycles until) {
    cycles& scalar = at_[static_cast<std::size_t>(scalar_of(p))];
    scalar = detail::larger(scalar, until);
  }

  /// Moment of a flag, for buffer 0 or 1.
  [[nodiscard]] constexpr cycles& operator()(flag f, std::size_t buffer) {
    const std::size_t index = index_of(f, buffer);
    for (std::size_t path = 0; path < 2; ++path)
      if (stores_[path].waits && stores_[path].sets == index) settle(path);
    return at_[index];
  }
  /// The buffer that is next in turn among `buffers`.
  [[nodiscard]] constexpr std::size_t turn(std::size_t which, std::size_t buffers) {
    return turns_[which]++ % buffers;
  }
  [[nodiscard]] constexpr std::size_t peek(std::size_t which, std::size_t buffers) const {
    return turns_[which] % buffers;
  }
  static constexpr std::size_t turn_count = 6;

  /// When the last instruction ends.
  [[nodiscard]] constexpr cycles end() const {
    cycles last = 0;
    for (std::size_t p = 0; p < pipe_count; ++p) last = detail::larger(last, at_[p]);
    return last;
  }
  [[nodiscard]] constexpr cycles busy(pipe p) const { return busy_[static_cast<std::size_t>(p)]; }

  /// Runs body() `count` times. Once two repetitions leave all clocks as far from each other as the two before did,
  /// whole pairs of the rest are skipped: with one or two buffers nothing has a longer period.
  template <class Body>
  constexpr void repeat(std::size_t count, const Body& body) {
    timeline before = *this;
    for (std::size_t i = 0; i < count;) {
      body();
      ++i;
      if (records || i % 2 != 0) continue;
      if (i > 2 && same_shape(before)) {
        const std::size_t pairs = (count - i) / 2;
        skip(before, static_cast<cycles>(pairs));
        i += 2 * pairs;
      }
      before = *this;
    }
  }

 private:
  [[nodiscard]] constexpr pipe scalar_of(pipe p) const {
    return split_ && on_vector_core(p) ? pipe::aiv_scalar : pipe::scalar;
  }

  /// A store that was issued and has no place on its way to memory yet; it sets the moment `sets`.
  struct waiting_store {
    pipe on = pipe::mte3;
    bool waits = false;
    cycles duration = 0;
    std::size_t sets = 0;
  };

  [[nodiscard]] constexpr std::size_t path_of(pipe p) const { return split_ && on_vector_core(p) ? 1 : 0; }
  [[nodiscard]] static constexpr std::size_t index_of(flag f, std::size_t buffer) {
    return pipe_count + 4 + 2 * static_cast<std::size_t>(f) + buffer;
  }
  constexpr void settle(std::size_t path) {
    waiting_store& s = stores_[path];
    if (!s.waits) return;
    cycles& end = at_[pipe_count + path];
    end = begin_at(s.on, detail::larger(at_[pipe_count + 2 + path], end), s.duration);
    at_[s.sets] = end;
    s.waits = false;
  }

  /// Issues an instruction; returns when it could begin for its pipe and what it waits for.
  constexpr cycles issued(pipe p, cycles ready) {
    cycles& scalar = at_[static_cast<std::size_t>(scalar_of(p))];
    note({scalar_of(p), scalar, scalar + issue_});
    scalar += issue_;
    return detail::larger(detail::larger(at_[static_cast<std::size_t>(p)], ready), scalar);
  }
  constexpr cycles begin_at(pipe p, cycles begin, cycles duration) {
    note({p, begin, begin + duration});
    return at_[static_cast<std::size_t>(p)] = begin + duration;
  }

  constexpr void note(const interval& i) {
    busy_[static_cast<std::size_t>(i.on)] += i.end - i.begin;
    if constexpr (records) (*record_)(i);
  }

  /// Before this moment nothing more can begin on the cores that have begun at all.
  [[nodiscard]] constexpr cycles base() const {
    const cycles aic = at_[static_cast<std::size_t>(pipe::scalar)];
    const cycles aiv = at_[static_cast<std::size_t>(pipe::aiv_scalar)];
    return aic == 0 ? aiv : aiv == 0 || aic < aiv ? aic : aiv;
  }
  [[nodiscard]] constexpr bool same_shape(const timeline& earlier) const {
    const cycles now = base(), then = earlier.base();
    for (std::size_t i = 0; i < sizeof at_ / sizeof *at_; ++i)
      if (detail::larger(at_[i], now) - now != detail::larger(earlier.at_[i], then) - then) return false;
    for (std::size_t path = 0; path < 2; ++path)
      if (stores_[path].waits != earlier.stores_[path].waits ||
          (stores_[path].waits && stores_[path].duration != earlier.stores_[path].duration))
        return false;
    for (std::size_t i = 0; i < turn_count; ++i)
      if (turns_[i] % 2 != earlier.turns_[i] % 2) return false;
    return true;
  }
  constexpr void skip(const timeline& earlier, cycles times) {
    const cycles by = times * (base() - earlier.base());
    for (cycles& t : at_)
      if (t != 0) t += by;
    for (std::size_t p = 0; p < pipe_count; ++p) busy_[p] += times * (busy_[p] - earlier.busy_[p]);
  }

  // Ends of the pipes and of the two ways to memory, when their waiting stores are ready, and the flags.
  cycles at_[pipe_count + 4 + 2 * flag_count]{};
  waiting_store stores_[2]{};
  cycles busy_[pipe_count]{};
  std::size_t turns_[turn_count]{};
  cycles issue_;
  bool split_;
  const Record* record_;
};

}  // namespace npu
}  // namespace mezzo::inline MEZZO_ABI
