// SPDX-License-Identifier: MIT
//
// Convolution of each channel by itself, which is no product: a sum over the taps of one plane. Rows are copied into
// planes with margins of zeros, where the sum of one tap is a run without edges, and phases of larger steps lie side by
// side; a backend brings the loops over these runs.
#pragma once

#include <mezzo/backend/patch_operand.hpp>
#include <mezzo/backend/sinks.hpp>
#include <mezzo/backend/window_taps.hpp>

#include <cstddef>  // size_t, ptrdiff_t

namespace mezzo::inline MEZZO_ABI {

/// Sums over blocks, one term after another. A backend's own may read and write whole vectors past the end, up to
/// `detail::run_slack` − 1 elements.
struct plain_sums {
  /// out[y·columns + x] = Σ_t weights[t] · source[taps[t].offset + y·line + x].
  template <class A>
  MEZZO_INLINE static constexpr void correlate(const A* source, const window_tap* taps, std::size_t tap_count,
                                               const A* weights, const block_shape& of, A* out) {
    for (std::size_t y = 0; y < of.rows; ++y)
      for (std::size_t x = 0; x < of.columns; ++x) {
        A sum = 0;
        for (std::size_t t = 0; t < tap_count; ++t) sum += weights[t] * source[taps[t].offset + y * of.line + x];
        out[y * of.columns + x] = sum;
      }
  }
  /// sums[t] += Σ_x g[x] · source[taps[t].offset + x]; g is zero past its end.
  template <class A>
  MEZZO_INLINE static constexpr void dots(const A* source, const window_tap* taps, std::size_t tap_count, const A* g,
                                          std::size_t count, A* sums) {
    for (std::size_t t = 0; t < tap_count; ++t) {
      A sum = 0;
      for (std::size_t x = 0; x < count; ++x) sum += g[x] * source[taps[t].offset + x];
      sums[t] += sum;
    }
  }
};

/// How a convolution of single channels is laid out: `shape` has one channel and some outputs a group.
struct depthwise_layout {
  static constexpr std::size_t most_places = 4096;  // of a block: source and result stay in the first-level cache

  convolution_shape shape;
  bool gradient;  // planes are those of the result's gradient, whose phases are computed
  window_axis down, across;
  std::size_t rows, columns;           // of the result, or of each of its phases
  std::size_t line, block, lines, plane;  // distance of rows; rows of the result, and of the source, at once

  constexpr depthwise_layout(const convolution_shape& s, bool by_data)
      : shape(s), gradient(by_data), down{s.kernel_height, s.step, s.before_rows},
        across{s.kernel_width, s.step, s.before_columns},
        rows(by_data ? (s.height + s.step - 1) / s.step : s.rows),
        columns(by_data ? (s.width + s.step - 1) / s.step : s.columns), line(columns + across.reach()), block(1) {
    if (line != 0 && most_places / line > 1) block = most_places / line;
    if (block > rows) block = rows;
    lines = block + down.reach();
    plane = lines * line + detail::run_slack;
  }

  /// Elements of all images and filters.
  [[nodiscard]] constexpr std::size_t inputs() const { return shape.images * shape.groups * shape.input_plane(); }
  [[nodiscard]] constexpr std::size_t results() const {
    return shape.images * shape.groups * shape.outputs * shape.output_plane();
  }
  [[nodiscard]] constexpr std::size_t weights() const { return shape.groups * shape.outputs * shape.window(); }
  /// A product and a sum for each tap of each result.
  [[nodiscard]] constexpr kernel_work work(const char* name) const {
    return {short_name{} << name, results() * shape.window(), {0, 2, 0, 0}};
  }
  [[nodiscard]] constexpr std::size_t phases() const { return shape.step * shape.step; }
  [[nodiscard]] constexpr std::size_t tap_count() const { return (gradient ? shape.outputs : 1) * shape.window(); }
  [[nodiscard]] constexpr std::size_t source_size() const { return (gradient ? shape.outputs : phases()) * plane; }
  [[nodiscard]] constexpr std::size_t result_size() const { return block * columns + detail::run_slack; }

  /// The taps in the order of the window, or phase by phase, of each phase those of one filter after another.
  constexpr void fill(window_tap* taps) const {
    for (std::size_t phase = 0; phase < (gradient ? phases() : 1); ++phase)
      for (std::size_t o = 0; o < (gradient ? shape.outputs : 1); ++o)
        for (std::size_t r = 0; r < down.taps; ++r)
          for (std::size_t s = 0; s < across.taps; ++s) {
            const std::size_t index = o * shape.window() + r * across.taps + s;
            const std::size_t own = down.phase(r) * shape.step + across.phase(s);
            if (!gradient)
              *taps++ = {own * plane + static_cast<std::size_t>(down.shift(r) - down.least()) * line +
                             static_cast<std::size_t>(across.shift(s) - across.least()),
                         index};
            else if (own == phase)
              *taps++ = {o * plane + static_cast<std::size_t>(down.most() - down.shift(r)) * line +
                             static_cast<std::size_t>(across.most() - across.shift(s)),
                         index};
          }
  }

  /// Copies the rows that `block` rows of the result from `first` on read.
  template <class Precision, class T, class A>
  MEZZO_INLINE constexpr void copy(const T* from, std::size_t first, A* out, A* whole) const {
    const std::size_t height = gradient ? shape.rows : shape.height;
    const std::size_t width = gradient ? shape.columns : shape.width;
    const std::size_t step = gradient ? 1 : shape.step;
    const std::ptrdiff_t above = gradient ? -down.most() : down.least();
    const std::ptrdiff_t before = gradient ? -across.most() : across.least();
    for (std::size_t y = 0; y < lines; ++y)
      for (std::size_t phase = 0; phase < step; ++phase) {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(first + y) + above;
        const std::size_t row = static_cast<std::size_t>(place) * step + phase;
        const T* const there = place >= 0 && row < height ? from + row * width : nullptr;
        detail::copy_row<Precision>(there, width, step, before, line, plane, out + phase * step * plane + y * line,
                                    whole);
      }
  }
};

/// y of one plane a task.
template <class PrecisionX, class X, class PrecisionW, class W, class Sink>
struct depthwise_kernel {
  using A = typename PrecisionX::compute;
  using scratch = A;
  static constexpr bool inspects = false;

  const X* x;
  const W* w;
  depthwise_layout layout;
  const window_tap* taps;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own = layout.work("depthwise_conv2d");
    return detail::delivering(own.reading(x, layout.inputs()).reading(w, layout.weights()), sink, layout.results());
  }
  [[nodiscard]] constexpr std::size_t tasks() const {
    return layout.shape.images * layout.shape.groups * layout.shape.outputs;
  }
  [[nodiscard]] constexpr std::size_t scratch_size() const {
    return layout.shape.window() + layout.source_size() + layout.result_size() + layout.shape.width;
  }
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* memory, auto& sum) const {
    run(plain_sums{}, task, memory, sum);
  }
  template <class Sums>
  MEZZO_INLINE constexpr void run(const Sums& sums, std::size_t task, A* memory, auto& sum) const {
    const convolution_shape& s = layout.shape;
    A* const weights = memory;
    A* const source = weights + s.window();
    A* const result = source + layout.source_size();
    A* const whole = result + layout.result_size();
    const std::size_t filter = task % (s.groups * s.outputs);
    const std::size_t plane = task / s.outputs;  // images have as many planes as there are groups
    for (std::size_t t = 0; t < s.window(); ++t) weights[t] = read_as<PrecisionW, A>(w[filter * s.window() + t]);
    for (std::size_t first = 0; first < s.rows; first += layout.block) {
      const std::size_t rows = s.rows - first < layout.block ? s.rows - first : layout.block;
      layout.template copy<PrecisionX>(x + plane * s.input_plane(), first, source, whole);
      sums.correlate(source, taps, s.window(), weights, {rows, layout.columns, layout.line}, result);
      sink(task * s.output_plane() + first * s.columns, rows * s.columns, result, sum);
    }
  }
};

/// The gradient by data, one plane a task: each phase is a convolution of the result's gradient with its own taps.
template <class PrecisionG, class G, class PrecisionW, class W, class Sink>
struct depthwise_data_kernel {
  using A = typename PrecisionG::compute;
  using scratch = A;
  static constexpr bool inspects = true;

  const G* g;
  const W* w;
  depthwise_layout layout;
  const window_tap* taps;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own = layout.work("depthwise_conv2d gradient by data");
    return detail::delivering(own.reading(g, layout.results()).reading(w, layout.weights()), sink, layout.inputs());
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return layout.shape.images * layout.shape.groups; }
  [[nodiscard]] constexpr std::size_t scratch_size() const {
    return layout.tap_count() + layout.source_size() + layout.phases() * layout.result_size() +
           (layout.shape.step == 1 ? 0 : layout.block * layout.shape.step * layout.shape.width);
  }
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* memory, auto& sum) const {
    run(plain_sums{}, task, memory, sum);
  }
  template <class Sums>
  MEZZO_INLINE constexpr void run(const Sums& sums, std::size_t task, A* memory, auto& sum) const {
    const convolution_shape& s = layout.shape;
    A* const weights = memory;
    A* const source = weights + layout.tap_count();
    A* const results = source + layout.source_size();
    A* const joined = results + layout.phases() * layout.result_size();
    const W* const filters = w + task % s.groups * layout.tap_count();
    for (std::size_t t = 0; t < layout.tap_count(); ++t) weights[t] = read_as<PrecisionW, A>(filters[taps[t].index]);
    for (std::size_t first = 0; first < layout.rows; first += layout.block) {
      const std::size_t places = layout.rows - first < layout.block ? layout.rows - first : layout.block;
      for (std::size_t o = 0; o < s.outputs; ++o)
        layout.template copy<PrecisionG>(g + (task * s.outputs + o) * s.output_plane(), first,
                                         source + o * layout.plane, joined);
      std::size_t done = 0;
      for (std::size_t phase = 0; phase < layout.phases(); ++phase) {
        const std::size_t count =
            s.outputs * layout.down.taps_of(phase / s.step) * layout.across.taps_of(phase % s.step);
        sums.correlate(source, taps + done, count, weights + done, {places, layout.columns, layout.line},
                       results + phase * layout.result_size());
        done += count;
      }
      const std::size_t top = first * s.step;
      const std::size_t rows = s.height - top < places * s.step ? s.height - top : places * s.step;
      if (s.step > 1) join(results, rows, joined);
      sink(task * s.input_plane() + top * s.width, rows * s.width, s.step > 1 ? joined : results, sum);
    }
  }

 private:
  /// Puts the phases of rows back between one another.
  MEZZO_INLINE constexpr void join(const A* results, std::size_t rows, A* joined) const {
    const std::size_t step = layout.shape.step, width = layout.shape.width, size = layout.result_size();
    for (std::size_t y = 0; y < rows; ++y)
      detail::interleave(step, results + y % step * step * size + y / step * layout.columns, size, width,
                         joined + y * width);
  }
};

/// The gradient by weights, one filter a task: images are added one after another.
template <class PrecisionG, class G, class PrecisionX, class X, class Sink>
struct depthwise_weights_kernel {
  using A = typename PrecisionG::compute;
  using scratch = A;
  static constexpr bool inspects = true;

  const G* g;
  const X* x;
  depthwise_layout layout;
  const window_tap* taps;
  Sink sink;

  [[nodiscard]] constexpr kernel_work work() const {
    const kernel_work own = layout.work("depthwise_conv2d gradient by weights");
    return detail::delivering(own.reading(g, layout.results()).reading(x, layout.inputs()), sink, layout.weights());
  }
  [[nodiscard]] constexpr std::size_t tasks() const { return layout.shape.groups * layout.shape.outputs; }
  [[nodiscard]] constexpr std::size_t scratch_size() const {
    return layout.shape.window() + layout.source_size() + layout.block * layout.line + detail::run_slack +
           layout.shape.width;
  }
  MEZZO_INLINE constexpr void operator()(std::size_t task, A* memory, auto& sum) const {
    run(plain_sums{}, task, memory, sum);
  }
  template <class Sums>
  MEZZO_INLINE constexpr void run(const Sums& sums, std::size_t task, A* memory, auto& sum) const {
    const convolution_shape& s = layout.shape;
    A* const totals = memory;
    A* const source = totals + s.window();
    A* const gradient = source + layout.source_size();
    A* const whole = gradient + layout.block * layout.line + detail::run_slack;
    for (std::size_t t = 0; t < s.window(); ++t) totals[t] = A(0);
    // What is multiplied by the zeros that follow the gradient.
    for (std::size_t phase = 1; phase <= layout.phases(); ++phase)
      detail::put_zeros(source + phase * layout.plane - detail::run_slack, 1);
    for (std::size_t image = 0; image < s.images; ++image) {
      const X* const input = x + (image * s.groups + task / s.outputs) * s.input_plane();
      const G* const incoming = g + (image * s.groups * s.outputs + task) * s.output_plane();
      for (std::size_t first = 0; first < s.rows; first += layout.block) {
        const std::size_t rows = s.rows - first < layout.block ? s.rows - first : layout.block;
        layout.template copy<PrecisionX>(input, first, source, whole);
        for (std::size_t y = 0; y < rows; ++y) {
          A* const to = gradient + y * layout.line;
          read_run<PrecisionG>(incoming + (first + y) * s.columns, to, s.columns);
          detail::put_zeros(to + s.columns, layout.line - s.columns);
        }
        detail::put_zeros(gradient + rows * layout.line, 1);
        sums.dots(source, taps, s.window(), gradient, (rows - 1) * layout.line + layout.columns, totals);
      }
    }
    sink(task * s.window(), s.window(), totals, sum);
  }
};

}  // namespace mezzo::inline MEZZO_ABI
