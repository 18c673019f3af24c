// SPDX-License-Identifier: MIT
//
// A network as a flat list of modules. The compiler derives the sizes from the forward expressions and cuts the list
// into stages: a product, convolution or pooling with the elementwise modules that follow it. A stage is one
// expression, so its activations ride in the epilogue, and no type grows with the depth of the network.
#pragma once

#include <mezzo/base/type_name.hpp>
#include <mezzo/expr/bind.hpp>
#include <mezzo/nn/layers.hpp>

namespace mezzo::inline MEZZO_ABI {

/// Sizes of one sample.
template <std::size_t... Sizes>
struct input {
  using extents_type = shape<Sizes...>;
  static_assert(
      ((Sizes != dynamic_extent) && ...),
      "mezzo::input: the sizes of a sample must be known to the compiler; given a dynamic one; write numbers");
};

namespace detail {

template <class T>
inline constexpr bool is_input = false;
template <std::size_t... Sizes>
inline constexpr bool is_input<input<Sizes...>> = true;
template <class T>
concept starts_a_network =
    is_input<T> || unsatisfied<"mezzo::sequential: a network begins with the sizes of a sample; given a module first; "
                               "write input<...>, such as input<1, 28, 28>, before it",
                               T>();

template <class Extents>
struct batched;
template <class Index, std::size_t... Sizes>
struct batched<extents<Index, Sizes...>> {
  using type = shape<dynamic_extent, Sizes...>;
};
template <class Extents>
struct sample;
template <class Index, std::size_t Batch, std::size_t... Sizes>
struct sample<extents<Index, Batch, Sizes...>> {
  using type = shape<Sizes...>;
};
template <class Extents>
using sample_t = typename sample<Extents>::type;

template <class T, class Extents, class Name>
using named_leaf = leaf<view<const T, Extents>, Name>;

/// `Module::forward` on an expression and its parameters out of `parameters`, from index `First`.
template <class Module, std::size_t First, class X, class Parameters>
constexpr auto apply_module(const X& x, const Parameters& parameters) {
  using list = typename Module::template parameters<sample_t<typename X::extents_type>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Module::forward(x, get<First + I>(parameters)...);
  }(std::make_index_sequence<list::count>{});
}

template <std::size_t First, class X, class Parameters>
constexpr X apply_modules(const X& x, const Parameters&) {
  return x;
}
template <std::size_t First, class Module, class... Rest, class X, class Parameters>
constexpr auto apply_modules(const X& x, const Parameters& parameters) {
  constexpr std::size_t count = Module::template parameters<sample_t<typename X::extents_type>>::count;
  return apply_modules<First + count, Rest...>(apply_module<Module, First>(x, parameters), parameters);
}

template <class List>
struct probe_leaves;
template <class... Ps>
struct probe_leaves<parameter_list<Ps...>> {
  using type = pack<leaf<view<const float, typename Ps::extents_type>>...>;
};

template <class Expression>
inline constexpr bool gathers = false;
template <class Fn, class... Children>
inline constexpr bool gathers<node<Fn, Children...>> = Fn::kind == fn_kind::gather || (gathers<Children> || ...);
template <class Expression>
inline constexpr bool only_reshapes = false;
template <class Fn, class Child>
  requires(Fn::kind == fn_kind::rearrange)
inline constexpr bool only_reshapes<node<Fn, Child>> = is_leaf<Child> && !std::same_as<Fn, transpose_fn>;

/// What one module makes of samples in batches of `Extents`.
template <class Module, class Extents>
struct module_info {
  using parameters = typename Module::template parameters<sample_t<Extents>>;
  using expression = decltype(apply_module<Module, 0>(std::declval<const leaf<view<const float, Extents>>&>(),
                                                      std::declval<const typename probe_leaves<parameters>::type&>()));
  using extents_type = typename expression::extents_type;
};

/// Modules one after another: all their parameters.
template <class Extents, class... Modules>
struct chained {
  using parameters = parameter_list<>;
};
template <class Extents, class Module, class... Rest>
struct chained<Extents, Module, Rest...> {
  using info = module_info<Module, Extents>;
  using parameters = decltype(join(typename info::parameters{},
                                   typename chained<typename info::extents_type, Rest...>::parameters{}));
};

}  // namespace detail

/// Modules that are computed together: input sizes with the batch, first parameter and first module in the network.
template <class Extents, std::size_t FirstParameter, std::size_t FirstModule, class Parameters, class... Modules>
struct stage {
  using extents_type = Extents;
  using parameters = Parameters;
  static constexpr std::size_t first_parameter = FirstParameter;
  static constexpr std::size_t first_module = FirstModule;

  /// The stage's expression on its input and on its own parameters.
  template <class X, class Leaves>
  static constexpr auto forward(const X& x, const Leaves& leaves) {
    return detail::apply_modules<0, Modules...>(x, leaves);
  }

  /// Name of the module that gives the stage its name in reports.
  static constexpr short_name name() { return unqualified_name<pack_element_t<0, pack<Modules...>>>(); }
};

namespace detail {

struct nothing_open {};

/// Walks the modules: `Open` is the stage being filled, `Done` the finished ones.
template <class Extents, class Parameters, std::size_t Module, class Open, class Done, class... Left>
struct stages_of;

template <class Done, class Open>
struct close_stage;
template <class... Done>
struct close_stage<pack<Done...>, nothing_open> {
  using type = pack<Done...>;
};
template <class... Done, class Open>
struct close_stage<pack<Done...>, Open> {
  using type = pack<Done..., Open>;
};

template <class Extents, class Parameters, std::size_t Module, class Open, class Done>
struct stages_of<Extents, Parameters, Module, Open, Done> {
  using stages = typename close_stage<Done, Open>::type;
  using parameters = Parameters;
  using extents_type = Extents;
};

/// `Open` with one more module, or a new stage.
template <class Open, class Extents, std::size_t FirstParameter, std::size_t Index, class Added, class M>
struct extend {
  using type = stage<Extents, FirstParameter, Index, Added, M>;
};
template <class Extents, std::size_t FirstParameter, std::size_t FirstModule, class Parameters, class... Modules,
          class Now, std::size_t NowParameter, std::size_t Index, class Added, class M>
struct extend<stage<Extents, FirstParameter, FirstModule, Parameters, Modules...>, Now, NowParameter, Index, Added, M> {
  using type = stage<Extents, FirstParameter, FirstModule, decltype(join(Parameters{}, Added{})), Modules..., M>;
};

template <class Extents, class Parameters, std::size_t Index, class Open, class Done, class M, class... Left>
struct stages_of<Extents, Parameters, Index, Open, Done, M, Left...> {
  using info = module_info<M, Extents>;
  static constexpr bool alias = only_reshapes<typename info::expression>;
  static constexpr bool closes = alias || gathers<typename info::expression>;
  using done = typename std::conditional_t<closes, close_stage<Done, Open>, std::type_identity<Done>>::type;
  using open = std::conditional_t<closes, nothing_open, Open>;
  using extended = typename extend<open, Extents, Parameters::count, Index, typename info::parameters, M>::type;
  using next = stages_of<typename info::extents_type, decltype(join(Parameters{}, typename info::parameters{})),
                         Index + 1, std::conditional_t<alias, nothing_open, extended>, done, Left...>;
  using stages = typename next::stages;
  using parameters = typename next::parameters;
  using extents_type = typename next::extents_type;
};

}  // namespace detail

/// A network: `sequential<input<1, 28, 28>, conv2d<32, 3, same>, relu_layer, flatten, dense<10>>`.
template <detail::starts_a_network Input, class... Modules>
struct sequential {
  using input_type = typename Input::extents_type;
  using batch_type = typename detail::batched<input_type>::type;
  using walk = detail::stages_of<batch_type, parameter_list<>, 0, detail::nothing_open, pack<>, Modules...>;
  using stages = typename walk::stages;
  using parameters = typename walk::parameters;
  using output_batch = typename walk::extents_type;
  using output_type = detail::sample_t<output_batch>;
  static constexpr std::size_t stage_count = stages::size;
  static_assert(
      stage_count > 0,
      "mezzo::sequential: a network needs at least one module that computes; given none; add one, such as dense<10>");
};

}  // namespace mezzo::inline MEZZO_ABI
