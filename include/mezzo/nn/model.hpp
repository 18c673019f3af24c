// SPDX-License-Identifier: MIT
//
// A network with memory: parameters, and the activations of a batch. `infer` runs it forward; `forward` keeps what the
// derived backward pass reads, and nothing else; `backward` writes the gradients of the parameters.
#pragma once

#include <mezzo/backend/supported.hpp>
#include <mezzo/expr/forget_sizes.hpp>
#include <mezzo/nn/weights.hpp>
#include <mezzo/store/reverse.hpp>

namespace mezzo::inline MEZZO_ABI {

namespace detail {

/// Input of a network as a name of a leaf: parameters have the names before it.
inline constexpr std::size_t input_name = static_cast<std::size_t>(-1);

template <class T, class Extents>
using input_leaf = leaf<view<const T, Extents>, leaf_name<input_name>>;

/// Everything about stage `Stage` under `Policy` with inputs of type `X`, as types.
template <class Policy, class Stage, class X>
struct stage_plan {
  template <class List, class Indices>
  struct leaves_of;
  template <class... Ps, std::size_t... I>
  struct leaves_of<parameter_list<Ps...>, std::index_sequence<I...>> {
    using type = pack<leaf<view<const parameter_t<Policy, typename Ps::tag>, typename Ps::extents_type>,
                           leaf_name<Stage::first_parameter + I>>...>;
  };
  using leaves =
      typename leaves_of<typename Stage::parameters, std::make_index_sequence<Stage::parameters::count>>::type;
  using input = input_leaf<X, typename Stage::extents_type>;
  using expression = decltype(mezzo::bind<Policy>(
      Stage::forward(std::declval<const input&>(), std::declval<const leaves&>())));
  using result = typename expression::extents_type;
  using value_type = typename expression::value_type;

  // The operation fused into the region is kept where the sweep reads it and cannot have it from the result.
  using sources = decltype(slot_sources(std::declval<const expression&>()));
  static constexpr std::size_t fused_at = fused<result, sources>::slot;
  static constexpr bool saves = [] {
    if constexpr (fused_at == no_slot || !pointwise_bound<expression>)
      return false;
    else
      return sweep_reads<region_t<expression>, fused_at, true> ||
             gather<typename pack_element_t<fused_at, sources>::function>::reads_result;
  }();
  template <bool Saves, class Region>
  struct kept_of {
    using type = no_sink;
    static constexpr bool completed = false;
  };
  template <class Region>
  struct kept_of<true, Region> {
    using part = typename kept_part<Region, fused_at>::type;
    using type = typename part::value_type;
    static constexpr bool completed = !std::same_as<part, region_slot<fused_at, type>>;
  };
  using kept = kept_of<saves, region_t<expression>>;
  using saved_type = typename kept::type;
};

/// Types along a network: `type<I>` is the input of stage I, the output of the last is that of stage_count.
template <class Policy, class X, class Stages>
struct stage_plans {
  using type = pack<>;
  using output = X;
};
template <class Policy, class X, class First, class... Rest>
struct stage_plans<Policy, X, pack<First, Rest...>> {
  using plan = stage_plan<Policy, First, X>;
  using next = stage_plans<Policy, typename plan::value_type, pack<Rest...>>;
  using type = decltype(concat(std::declval<const pack<plan>&>(), std::declval<const typename next::type&>()));
  using output = typename next::output;
};

}  // namespace detail

/// `Net` under `Policy` on `Backend`, for batches of up to a given size.
template <class Net, autocast_policy Policy, backend Backend>
class model {
 public:
  using network = Net;
  using policy = Policy;
  /// Inputs are stored as the policy stores activations.
  using input_value =
      std::conditional_t<Policy::level == level::O2 || Policy::level == level::O3, typename Policy::low_type, float>;
  using plans = typename detail::stage_plans<Policy, input_value, typename Net::stages>::type;
  using output_value = typename detail::stage_plans<Policy, input_value, typename Net::stages>::output;
  using output_view = view<const output_value, typename Net::output_batch>;
  static constexpr std::size_t stages = Net::stage_count;
  static constexpr std::size_t sample_size = typename Net::input_type{}.size();

  /// Parameters at their start, drawn from `seed`; room for batches of `max_batch` samples.
  MEZZO_OUTLINE constexpr explicit model(std::size_t max_batch = 0, std::uint64_t seed = 0, const Backend& on = {})
      : on_(on) {
    using layout = typename weights<Net, Policy>::layout;
    heap_array<float> low(layout::elements(true));
    layout::start(seed, low.data(), weights_.full().data());
    for (std::size_t i = 0; i < low.size(); ++i)
      weights_.low()[i] = convert<typename weights<Net, Policy>::low_type>(low[i]);
    reserve(max_batch);
  }

  /// Makes room for batches of `batch` samples; allocates only where there was less.
  MEZZO_OUTLINE constexpr void reserve(std::size_t batch) {
    if (batch <= max_batch_) return;
    inputs_ = heap_array<input_value>(batch * sample_size);
    results_ = make_results(batch);
    saved_ = make_saved(batch);
    max_batch_ = batch;
  }

  [[nodiscard]] constexpr Backend& on() { return on_; }
  [[nodiscard]] constexpr weights<Net, Policy>& parameters() { return weights_; }
  [[nodiscard]] constexpr const weights<Net, Policy>& parameters() const { return weights_; }
  [[nodiscard]] constexpr std::size_t max_batch() const { return max_batch_; }
  /// Where the next batch goes: max_batch samples.
  [[nodiscard]] constexpr input_value* inputs() { return inputs_.data(); }

  /// Bytes kept from forward to backward for a full batch: input, results, and what stages save beside them.
  [[nodiscard]] constexpr std::size_t activation_bytes() const {
    std::size_t sum = inputs_.size() * sizeof(input_value);
    for_each_index<stages>([&](auto i) {
      using plan = pack_element_t<decltype(i)::value, plans>;
      sum += get<decltype(i)::value>(results_).size() * sizeof(typename plan::value_type);
      if constexpr (plan::saves) sum += get<decltype(i)::value>(saved_).size() * sizeof(typename plan::saved_type);
    });
    return sum;
  }

  /// Copies samples to `inputs()`, rounded to the type of activations.
  template <class T, class Extents>
    requires std::same_as<std::remove_const_t<T>, float>
  constexpr void load(const view<T, Extents>& samples) {
    static_assert(detail::same_static_sizes<Extents, typename Net::batch_type>(),
                  "mezzo::model: samples must have the sizes of the network's input after the batch; given other "
                  "sizes; check the input of the network");
    if (!(samples.extents() == with_batch<typename Net::batch_type>(samples.extent(0))))
      fail(sentence("mezzo::model: samples must have the sizes of the network's input after the batch, ")
           << sample_size << " elements each; given " << samples.size() << " in " << samples.extent(0)
           << " samples; check their shape");
    reserve(samples.extent(0));
    for (std::size_t i = 0; i < samples.size(); ++i) inputs_[i] = convert<input_value>(samples.data()[i]);
  }

  /// Runs the network on the first `batch` samples of `inputs()`; the view is good until the next run.
  constexpr output_view forward(std::size_t batch) {
    check(batch);
    // A backend with layouts of its own keeps what it makes of the inputs for the backward pass.
    if constexpr (requires { on_.host_wrote(inputs_.data()); }) on_.host_wrote(inputs_.data());
    for_each_index<stages>([&](auto i) { run_stage<decltype(i)::value>(batch); });
    return output(batch);
  }

  /// Results for samples (batch, …) in float32.
  template <class T, class Extents>
    requires std::same_as<std::remove_const_t<T>, float>
  constexpr output_view infer(const view<T, Extents>& samples) {
    load(samples);
    return forward(samples.extent(0));
  }
  template <class Extents>
  constexpr output_view infer(const tensor<float, Extents>& samples) {
    return infer(samples.as_view());
  }

  /// Writes the gradients of all parameters, given the gradient of the last `forward`'s result. `first_non_finite`, if
  /// it finds one, is the stage of the first gradient that is not finite.
  template <class Gradients>
  constexpr tally backward(std::size_t batch, const output_value* g, Gradients& to, inspection what,
                           std::size_t& first_non_finite) {
    std::size_t bad = detail::no_slot;
    const tally sum = sweep_stage<stages - 1>(batch, g, to, what, bad);
    if (bad != detail::no_slot) first_non_finite = bad;
    return sum;
  }

 private:
  template <std::size_t I>
  using plan_at = pack_element_t<I, plans>;
  template <std::size_t I>
  using stage_at = pack_element_t<I, typename Net::stages>;

  constexpr void check(std::size_t batch) const {
    if (batch == 0 || batch > max_batch_)
      fail(sentence("mezzo::model: a batch must hold at least one sample and at most those the model was made for, ")
           << max_batch_ << "; given " << batch << "; make the model with a larger batch");
  }

  template <class Extents>
  static constexpr Extents with_batch(std::size_t batch) {
    return [&]<class Index, std::size_t B, std::size_t... Sizes>(std::type_identity<extents<Index, B, Sizes...>>) {
      return Extents(batch);
    }(std::type_identity<Extents>{});
  }

  static constexpr auto make_results(std::size_t batch) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return detail::move_to_pack(heap_array<typename plan_at<I>::value_type>(
          with_batch<typename plan_at<I>::result>(batch).size())...);
    }(std::make_index_sequence<stages>{});
  }
  static constexpr auto make_saved(std::size_t batch) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return detail::move_to_pack(make_saved_at<I>(batch)...);
    }(std::make_index_sequence<stages>{});
  }
  template <std::size_t I>
  static constexpr auto make_saved_at(std::size_t batch) {
    if constexpr (plan_at<I>::saves)
      return heap_array<typename plan_at<I>::saved_type>(with_batch<typename plan_at<I>::result>(batch).size());
    else
      return pack<>{};
  }

  constexpr output_view output(std::size_t batch) const {
    return {get<stages - 1>(results_).data(), with_batch<typename Net::output_batch>(batch)};
  }

  template <std::size_t I>
  constexpr const auto* stage_input() const {
    if constexpr (I == 0)
      return inputs_.data();
    else
      return get<I - 1>(results_).data();
  }

  /// The bound expression of stage `I`.
  template <std::size_t I>
  constexpr auto expression(std::size_t batch) const {
    using plan = plan_at<I>;
    using sizes = typename stage_at<I>::extents_type;
    const auto* x = stage_input<I>();
    const typename plan::input in{{x, with_batch<sizes>(batch)}};
    const auto leaves = [&]<std::size_t... P>(std::index_sequence<P...>) {
      return typename plan::leaves{{{{weights_.template get<stage_at<I>::first_parameter + P>()}}...}};
    }(std::make_index_sequence<stage_at<I>::parameters::count>{});
    return forget_sizes(mezzo::bind<Policy>(stage_at<I>::forward(in, leaves)));
  }

  template <std::size_t I>
  MEZZO_OUTLINE constexpr void run_stage(std::size_t batch) {
    const auto e = expression<I>(batch);
    static_assert(check_support<Backend, std::remove_const_t<decltype(e)>>::value);
    if constexpr (plan_at<I>::saves)
      store_value(on_, e, e.extents(), get<I>(results_).data(),
                  kept_in<typename plan_at<I>::kept::part, typename plan_at<I>::saved_type>{get<I>(saved_).data()});
    else
      store_value(on_, e, e.extents(), get<I>(results_).data());
  }

  template <std::size_t I, class G, class Gradients>
  MEZZO_OUTLINE constexpr tally sweep_stage(std::size_t batch, const G* g, Gradients& to, inspection what,
                                            std::size_t& bad) {
    using plan = plan_at<I>;
    const auto e = expression<I>(batch);
    using bound_type = std::remove_const_t<decltype(e)>;
    const auto saved = [&] {
      if constexpr (plan::saves)
        return saved_value<typename plan::saved_type, plan::kept::completed>{get<I>(saved_).data()};
      else
        return nothing_saved{};
    }();
    const known_result<typename plan::value_type> known{get<I>(results_).data()};
    const auto parameters = parameter_targets<I>(to, what);
    const auto note = [&](const tally& sum) {
      if (sum.non_finite && bad == detail::no_slot) bad = I;
      return sum;
    };
    const auto sweep = [&]<class... Ts>(const pack<Ts...>& all) {
      return note([&]<std::size_t... K>(std::index_sequence<K...>) {
        using list = target_list<bound_type, Ts...>;
        const auto sums = detail::move_to_pack(sums_for<list>(get<K>(all))...);
        tally sum = reverse(on_, e, g, known, saved, list{make_pack(with_sums(get<K>(all), get<K>(sums))...)});
        ((sum += round_sums(get<K>(all), get<K>(sums))), ...);
        return sum;
      }(std::index_sequence_for<Ts...>{}));
    };
    if constexpr (I == 0) {
      return sweep(parameters);
    } else {
      using T = typename plan_at<I - 1>::value_type;
      const auto in = forget_leaf_sizes(
          typename plan::input{{stage_input<I>(), with_batch<typename stage_at<I>::extents_type>(batch)}});
      using in_leaf = std::remove_const_t<decltype(in)>;
      const buffer<T> dx(on_.memory, in.extents().size());
      const auto with_input =
          concat(parameters, make_pack(target<in_leaf, T>{in, dx.data(), inspection::nothing, nullptr}));
      tally sum = sweep(with_input);
      sum += sweep_stage<I - 1>(batch, static_cast<const T*>(dx.data()), to, what, bad);
      return sum;
    }
  }

  // A leaf that occurs several times in its module has its contributions added in float32 and rounded once.
  template <class List, class Leaf, class T>
  constexpr auto sums_for(const target<Leaf, T>& to) {
    if constexpr (List::template unique<target<Leaf, T>>) {
      return pack<>{};
    } else {
      buffer<typename target<Leaf, T>::sum_type> sums(on_.memory, to.of.extents().size());
      for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] = 0;
      return sums;
    }
  }
  template <class Target, class Sums>
  static constexpr Target with_sums(Target to, const Sums& sums) {
    if constexpr (!std::same_as<Sums, pack<>>) to.sums = sums.data();
    return to;
  }
  template <class Leaf, class T, class Sums>
  static constexpr tally round_sums(const target<Leaf, T>& to, const Sums& sums) {
    tally seen;
    if constexpr (!std::same_as<Sums, pack<>>) store_sink<T>{to.data, to.what}(0, sums.size(), sums.data(), seen);
    return seen;
  }

  template <std::size_t I, class Gradients>
  constexpr auto parameter_targets(Gradients& to, inspection what) const {
    constexpr std::size_t first = stage_at<I>::first_parameter;
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return make_pack(
          parameter_target<first + P>(weights_.template get<first + P>(), to.template get<first + P>(), what)...);
    }(std::make_index_sequence<stage_at<I>::parameters::count>{});
  }
  template <std::size_t P, class Values, class To>
  static constexpr auto parameter_target(const Values& values, const To& to, inspection what) {
    using named = leaf<Values, leaf_name<P>>;
    const auto of = forget_leaf_sizes(named{values});
    return target<std::remove_const_t<decltype(of)>, typename To::value_type>{of, to.data(), what, nullptr};
  }

  Backend on_;
  std::size_t max_batch_ = 0;
  weights<Net, Policy> weights_;
  heap_array<input_value> inputs_;
  decltype(make_results(0)) results_;
  decltype(make_saved(0)) saved_;
};

}  // namespace mezzo::inline MEZZO_ABI
