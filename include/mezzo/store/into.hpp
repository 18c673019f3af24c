// SPDX-License-Identifier: MIT
//
// `into(y) = expression`: the only place where anything is computed. The destination is named first and says in which
// type; an expression that reads what it overwrites, other than element for element, is refused.
#pragma once

#include <mezzo/backend/cpu/cpu.hpp>
#include <mezzo/backend/supported.hpp>
#include <mezzo/expr/activation.hpp>
#include <mezzo/expr/gradient.hpp>
#include <mezzo/store/reverse.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Whether a tensor of sizes `From` fills one of sizes `To`, repeated along axes of size 1 and missing ones.
template <class From, class To>
constexpr bool repeats_into() {
  if (From::rank() > To::rank()) return false;
  for (std::size_t r = 0; r < To::rank(); ++r) {
    const std::size_t from = static_from_end<From>(r), to = static_from_end<To>(r);
    if (from != 1 && !sizes_agree(from, to)) return false;
  }
  return true;
}

/// Whether a store through `view` may run although leaf `of` reads memory: element for element in the outer loop only.
template <class View, class Bound, bool Elementwise>
constexpr bool safe_to_store(const View& to, const Bound& expression) {
  if constexpr (is_leaf<Bound>) {
    const overlap_kind kind = overlap(to, expression.source);
    return kind == overlap_kind::none || (Elementwise && kind == overlap_kind::same);
  } else if constexpr (is_bound<Bound>) {
    return apply_pack(
        [&](const auto&... child) {
          return (safe_to_store<View, std::remove_cvref_t<decltype(child)>,
                                Elementwise && Bound::function::kind == fn_kind::pointwise>(to, child) &&
                  ...);
        },
        expression.children);
  } else {
    return true;
  }
}

template <class T>
constexpr auto destination_view(T& to) {
  if constexpr (is_tensor<std::remove_const_t<T>>)
    return to.as_view();
  else
    return to;
}

template <class T>
inline constexpr bool writable = is_tensor<std::remove_reference_t<T>> && std::is_lvalue_reference_v<T>;
template <class T>
  requires is_view<std::remove_cvref_t<T>>
inline constexpr bool writable<T> = !std::is_const_v<typename std::remove_cvref_t<T>::element_type> &&
                                    std::same_as<typename std::remove_cvref_t<T>::layout_type, layout_right>;

template <class... Ts>
concept destinations =
    (writable<Ts> && ...) ||
    unsatisfied<
        "mezzo::into: a destination must be a named tensor or a row-major view that can be written; given "
        "another type; name the tensor, or store into a row-major one",
        Ts...>();

/// Keeps the explanation of what is no backend out of the way of what is meant as a destination.
template <class T>
inline constexpr bool holds_elements = is_tensor<std::remove_cv_t<T>> || is_view<std::remove_cv_t<T>>;

}  // namespace detail

/// Names the destinations of a store.
template <class Backend, class... Views>
class destination {
 public:
  constexpr destination(Backend& backend, const Views&... views) : backend_(backend), views_(make_pack(views...)) {}

  /// Evaluates an expression into the destination, whose sizes it must have or repeat to.
  template <class Expression>
    requires operands<Expression>
  constexpr void operator=(Expression&& expression) && {
    static_assert(sizeof...(Views) == 1,
                  "mezzo::into: an expression has one result; given several destinations; store each by itself");
    const auto given = as_expression(std::forward<Expression>(expression));
    store(given);
  }

  /// Evaluates a gradient, one destination for each tensor of its wrt.
  template <class E, class G, class... Wrt>
  constexpr void operator=(const gradient_request<E, G, Wrt...>& request) && {
    static_assert(
        sizeof...(Views) == sizeof...(Wrt),
        "mezzo::into: a gradient needs one destination for each tensor of wrt; given another number; name as many");
    if constexpr (sizeof...(Views) == sizeof...(Wrt)) {
      if constexpr (detail::is_bound<E> || detail::is_leaf<E>)
        differentiate(request, std::index_sequence_for<Wrt...>{});
      else
        differentiate(autocast<policies::native>(request), std::index_sequence_for<Wrt...>{});
    }
  }

 private:
  template <class Given>
  constexpr void store(const Given& given) {
    if constexpr (detail::is_node<Given>) {
      store(mezzo::bind<policies::native>(given));
    } else {
      static_assert(check_support<Backend, Given>::value);
      const auto& to = get<0>(views_);
      using sizes = typename pack_element_t<0, pack<Views...>>::extents_type;
      using needed = typename Given::extents_type;
      static_assert(
          detail::repeats_into<needed, sizes>(),
          "mezzo::into: the destination must have the sizes of the expression; given other sizes; check its shape");
      if constexpr (detail::repeats_into<needed, sizes>()) {
        if (!(broadcast(to.extents(), given.extents()) == to.extents()))
          fail(sentence("mezzo::into: the destination must have the sizes of the expression; given ")
               << to.size() << " elements for " << given.extents().size() << "; check its shape");
        if (!detail::safe_to_store<std::remove_cvref_t<decltype(to)>, Given, true>(to, given))
          fail(
              sentence("mezzo::into: the destination may share memory with an operand only element for element; given "
                       "an overlap; store into another tensor"));
        store_value(backend_, given, to.extents(), to.data());
      }
    }
  }

  template <class E, class G, class... Wrt, std::size_t... I>
  constexpr void differentiate(const gradient_request<E, G, Wrt...>& request, std::index_sequence<I...>) {
    static_assert(check_support<Backend, E>::value);
    static_assert(((detail::candidates<E, Wrt>::count > 0) && ...),
                  "mezzo::gradient: each tensor of wrt must be an operand of the expression; given one whose type "
                  "occurs nowhere in it; "
                  "remove it from wrt");
    ((check_target<I>(request)), ...);
    using list = target_list<E, target<Wrt, typename Views::value_type>...>;
    const auto sums = detail::move_to_pack(sums_for<list, I, Wrt, typename Views::value_type>()...);
    const list targets{make_pack(target<Wrt, typename Views::value_type>{
        get<I>(request.wrt), get<I>(views_).data(), inspection::nothing, get<I>(sums).data()}...)};
    const auto sweep = [&](const auto* g) {
      static_cast<void>(
          reverse(backend_, request.expression, g, known_result<no_sink>{}, nothing_saved{}, targets));
    };
    if constexpr (std::same_as<G, scalar>) {
      sweep(&request.incoming.as_float);
    } else if constexpr (std::same_as<typename decltype(G::source)::layout_type, layout_right>) {
      sweep(request.incoming.source.data());
    } else {
      const buffer<typename G::value_type> row_major(backend_.memory, request.incoming.source.size());
      store_value(backend_, request.incoming, request.incoming.extents(), row_major.data());
      sweep(row_major.data());
    }
    ((round_sums(get<I>(sums), get<I>(views_))), ...);
  }

  template <std::size_t I, class Request>
  constexpr void check_target(const Request& request) const {
    const auto& to = get<I>(views_);
    const auto& of = get<I>(request.wrt);
    constexpr bool fits = detail::extents_agree<typename std::remove_cvref_t<decltype(of)>::extents_type,
                                                typename std::remove_cvref_t<decltype(to)>::extents_type>();
    static_assert(fits,
                  "mezzo::gradient: a destination must have the sizes of its tensor; given other sizes; check the "
                  "order of wrt");
    if constexpr (fits)
      if (!(to.extents() == of.extents()))
        fail(sentence("mezzo::gradient: a destination must have the sizes of its tensor; given ")
             << to.size() << " elements for " << of.extents().size() << "; check the order of wrt");
    if (of.extents().size() != 0 && detail::count_occurrences(request.expression, of) == 0)
      fail(sentence("mezzo::gradient: each tensor of wrt must be an operand of the expression; given tensor ")
           << I << " of wrt, which is not; pass the tensor that the expression reads");
    bool apart = detail::safe_to_store<std::remove_cvref_t<decltype(to)>, decltype(request.expression), false>(
        to, request.expression);
    if constexpr (requires { request.incoming.source; })
      apart = apart && overlap(to, request.incoming.source) == overlap_kind::none;
    for_each_index<I>([&](auto j) {
      apart = apart && overlap(to, get<decltype(j)::value>(views_)) == overlap_kind::none;
      if (detail::is_same(get<decltype(j)::value>(request.wrt), of))
        fail(sentence("mezzo::gradient: wrt names each tensor once; given tensor ")
             << I << " twice; remove the second");
    });
    if (!apart)
      fail(sentence(
          "mezzo::gradient: a destination must not share memory with an operand, the incoming gradient or another "
          "destination; given an overlap; store into another tensor"));
  }

  template <class List, std::size_t I, class Wrt, class T>
  constexpr auto sums_for() {
    using sum = typename target<Wrt, T>::sum_type;
    buffer<sum> sums(backend_.memory, List::template unique<target<Wrt, T>> ? 0 : get<I>(views_).size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] = sum(0);
    return sums;
  }
  template <class Sum, class View>
  constexpr void round_sums(const buffer<Sum>& sums, const View& to) {
    if (sums.size() == 0) return;
    using flat = shape<dynamic_extent>;
    const leaf<view<const Sum, flat>> from{view<const Sum, flat>(sums.data(), flat(sums.size()))};
    store_value(backend_, from, flat(sums.size()), to.data());
  }

  Backend& backend_;
  pack<Views...> views_;
};

/// Destinations on a backend of the caller's, whose scratch memory serves the next store too.
template <class Backend, class... Ts>
  requires(!detail::holds_elements<Backend> && sizeof...(Ts) > 0) && backend<Backend> && detail::destinations<Ts...>
[[nodiscard]] constexpr auto into(Backend& on, Ts&&... to) {
  return destination<Backend, decltype(detail::destination_view(to))...>(on, detail::destination_view(to)...);
}

namespace detail {

/// A destination that brings its own processor.
template <class... Views>
class own_destination {
 public:
  explicit own_destination(const Views&... views) : to_(on_, views...) {}
  own_destination(const own_destination&) = delete;

  template <class Given>
  void operator=(Given&& given) && {
    std::move(to_) = std::forward<Given>(given);
  }

 private:
  cpu on_{};
  destination<cpu, Views...> to_;
};

}  // namespace detail

/// Destinations on this machine's processor, one thread.
template <class First, class... Ts>
  requires(!backend<std::remove_cvref_t<First>>) && detail::destinations<First, Ts...>
[[nodiscard]] auto into(First&& first, Ts&&... to) {
  return detail::own_destination<decltype(detail::destination_view(first)), decltype(detail::destination_view(to))...>(
      detail::destination_view(first), detail::destination_view(to)...);
}

}  // namespace mezzo::inline MEZZO_ABI
