// SPDX-License-Identifier: MIT
//
// Where the gradient of one slot of a region goes while the region is swept: straight to its destination, into scratch
// that is summed because the slot was repeated, or nowhere, because another slot's gradient is the same.
#pragma once

#include <mezzo/store/targets.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Type in which the gradient of a source is stored on its way: what the source's own backward pass would round it to.
template <class Source>
struct gradient_type {
  using type = typename Source::value_type;
};
template <class Fn, class Precision, class... Children>
  requires(Fn::kind == fn_kind::gather && !std::same_as<typename Precision::operand, as_given>)
struct gradient_type<bound<Fn, Precision, Children...>> {
  using type = typename Precision::operand;
};
template <class Source>
using gradient_t = typename gradient_type<Source>::type;

template <class Sink>
struct sink_element;
template <class T>
struct sink_element<store_sink<T>> {
  using lane = gradient_lane<T>;
  using type = T;
};
template <class T>
struct sink_element<add_sink<T>> {
  using lane = gradient_sum_lane<T>;
  using type = T;
};

/// Sums an array with the sizes of the result over the axes that `source` repeats.
template <class Backend, class T, class Result, class Extents, class Sink>
MEZZO_OUTLINE constexpr tally sum_repeated(Backend& backend, const T* full, const Result& sizes, const Extents& source,
                             const Sink& sink) {
  loop_shape loop;
  bool reduced[max_rank] = {};
  loop.rank = Result::rank() == 0 ? 1 : Result::rank();
  for (std::size_t r = 0; r < Result::rank(); ++r) {
    loop.size[r] = sizes.extent(r);
    reduced[r] = from_end(source, Result::rank() - 1 - r) == 1;
  }
  return backend.run(reduce_kernel<precision<as_given, compute_t<T>, compute_t<T>>, T, Sink>(full, loop, reduced,
                                                                                             compute_t<T>(1), sink));
}

/// The gradient of one slot while a region is swept: the lane that the loop writes, and what is done when it has ended.
/// `Sink` is where the slot's gradient is due.
template <class Source, class Result, class Sink>
struct slot_gradient {
  static constexpr bool repeats = !same_static_sizes<typename Source::extents_type, Result>();
  // A slot that its type repeats is summed from the compute type; one that repeats only at run time, from its own.
  using lane_type = std::conditional_t<repeats, gradient_lane<compute_t<typename sink_element<Sink>::type>>,
                                       typename sink_element<Sink>::lane>;
  using element = std::remove_pointer_t<decltype(lane_type::data)>;

  Sink sink;
  buffer<element> full;

  template <class Backend>
  constexpr slot_gradient(Backend& backend, const Source& source, const Result& sizes, const Sink& due)
      : sink(due),
        full(backend.memory, repeats || sink.data == nullptr || !(source.extents() == sizes) ? sizes.size() : 0) {
    if constexpr (std::same_as<lane_type, gradient_sum_lane<element>>)
      for (std::size_t i = 0; i < full.size(); ++i) full.data()[i] = element{};
  }

  [[nodiscard]] constexpr lane_type lane() const {
    if constexpr (repeats)
      return {full.data(), inspection::nothing};
    else if constexpr (std::same_as<lane_type, gradient_sum_lane<element>>)
      return {full.size() == 0 ? sink.data : full.data()};
    else
      return {full.size() == 0 ? sink.data : full.data(), full.size() == 0 ? sink.what : inspection::nothing};
  }

  template <class Backend>
  constexpr tally finish(Backend& backend, const Source& source, const Result& sizes) const {
    if (sink.data == nullptr || (!repeats && source.extents() == sizes)) return {};
    return sum_repeated(backend, full.data(), sizes, source.extents(), sink);
  }
};

/// A slot whose gradient nobody wants.
struct no_slot_gradient {
  [[nodiscard]] constexpr no_gradient_lane lane() const { return {}; }
  template <class Backend, class Source, class Result>
  constexpr tally finish(Backend&, const Source&, const Result&) const {
    return {};
  }
};

/// A repeated bias whose gradient is that of the product under it: it is summed from there, and the loop writes one
/// array less. The sum is of the gradient as the product reads it.
template <class Source, class Shared, class Result, class T, class Sink>
struct shared_gradient {
  Sink sink;
  const Shared& product;
  const T* gradient;

  [[nodiscard]] constexpr no_gradient_lane lane() const { return {}; }

  template <class Backend>
  constexpr tally finish(Backend& backend, const Source& source, const Result& sizes) const {
    if (sink.data == nullptr) return {};
    if (!(product.extents() == sizes))
      fail(sentence(
          "mezzo::into: the result of a product or reduction repeats only along axes that its type fixes at 1; "
          "given one whose dynamic size is 1; store it first, then combine"));
    return sum_repeated(backend, gradient, sizes, source.extents(), sink);
  }
};

/// Whether slot `I` takes its gradient from another slot's scratch, and which.
template <class Region, class Result, class Targets, class Sources, std::size_t I>
struct sharing {
  static constexpr std::size_t with = same_gradient_as<Region, I>;
  static constexpr bool value = [] {
    if constexpr (with == no_slot) {
      return false;
    } else {
      using source = pack_element_t<I, Sources>;
      using product = pack_element_t<with, Sources>;
      return is_leaf<source> && Targets::template wanted<source> && Targets::template wanted<product> &&
             same_static_sizes<typename product::extents_type, Result>() &&
             !same_static_sizes<typename source::extents_type, Result>();
    }
  }();
};

/// Scratch for the gradient of a source that is swept further.
template <class Targets, class Backend, class Source>
constexpr auto gradient_scratch(Backend& backend, const Source& source) {
  if constexpr (is_bound<Source> && Targets::template wanted<Source>)
    return buffer<gradient_t<Source>>(backend.memory, source.extents().size());
  else
    return pack<>{};
}

template <class Backend, class Source, class Result, class Targets, class Scratch>
constexpr auto begin_slot(Backend& backend, const Source& source, const Result& sizes, const Targets& targets,
                          const Scratch& scratch) {
  if constexpr (!Targets::template wanted<Source>) {
    return no_slot_gradient{};
  } else if constexpr (is_leaf<Source>) {
    static_assert(std::same_as<typename decltype(Source::source)::layout_type, layout_right>,
                  "mezzo::gradient: a tensor of wrt must be row-major; given a view with another layout; take the "
                  "gradient of the "
                  "row-major tensor and use transpose in the expression");
    return targets.with_sink(source, [&]<class Sink>(const Sink& sink) {
      return slot_gradient<Source, Result, Sink>(backend, source, sizes, sink);
    });
  } else {
    using sink = store_sink<gradient_t<Source>>;
    return slot_gradient<Source, Result, sink>(backend, source, sizes, sink{scratch.data(), inspection::nothing});
  }
}

template <class Result, class Source, class Shared, class Targets, class T>
constexpr auto share_slot(const Source& source, const Shared& product, const Targets& targets,
                          const buffer<T>& scratch) {
  return targets.with_sink(source, [&]<class Sink>(const Sink& sink) {
    return shared_gradient<Source, Shared, Result, T, Sink>{sink, product, scratch.data()};
  });
}

/// What slot `I` does with its gradient while the region is swept.
template <class Sharing, std::size_t I, class Backend, class Sources, class Result, class Targets, class Scratch>
constexpr auto start_slot(Backend& backend, const Sources& sources, const Result& sizes, const Targets& targets,
                          const Scratch& scratch) {
  if constexpr (Sharing::value)
    return share_slot<Result>(get<I>(sources), get<Sharing::with>(sources), targets, get<Sharing::with>(scratch));
  else
    return begin_slot(backend, get<I>(sources), sizes, targets, get<I>(scratch));
}

}  // namespace detail

}  // namespace mezzo::inline MEZZO_ABI
