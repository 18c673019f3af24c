// SPDX-License-Identifier: MIT
//
// Training: a model, its gradients, masters and moments, and the order accumulate → unscale → clip → step → update.
// `fit` runs it over a data set; the same steps are there one by one, with types that keep the order.
#pragma once

#include <mezzo/backend/status_scope.hpp>
#include <mezzo/nn/model.hpp>
#include <mezzo/train/dataset.hpp>
#include <mezzo/train/gradients.hpp>
#include <mezzo/train/loss.hpp>
#include <mezzo/train/loss_scale.hpp>
#include <mezzo/train/optimizer.hpp>
#include <mezzo/train/report.hpp>
#include <mezzo/train/schedule.hpp>

namespace mezzo::inline MEZZO_ABI {

/// The loss scale of a policy unless the program names one: dynamic for float16 under O1 and O2, the static scale 1
/// under O3, none where float32's range is kept.
template <autocast_policy Policy>
using default_scale =
    std::conditional_t<wants_loss_scale<Policy>, dynamic_scale,
                       std::conditional_t<Policy::level == level::O3, static_scale, no_scale>>;

namespace detail {

/// Elements of a batch: float32 samples and labels of the loss's type.
template <class T, class L, class Label>
concept batch_elements =
    (std::same_as<std::remove_const_t<T>, float> && std::same_as<std::remove_const_t<L>, Label>) ||
    unsatisfied<"mezzo::trainer: samples must be float32 and labels of the loss's type (std::int32_t classes for "
                "cross_entropy_loss); given other element types; convert them, or train by fit on an array_dataset, "
                "which converts",
                T, L, Label>();

}  // namespace detail

/// Trains `Net` by `Optimizer` on `Loss` under `Policy` on `Backend`.
template <class Net, class Loss, optimizer Optimizer, autocast_policy Policy, backend Backend,
          class Scale = default_scale<Policy>>
class trainer {
 public:
  using model_type = model<Net, Policy, Backend>;
  using gradient_type = weights<Net, Policy>;
  using label_type = typename Loss::label_type;
  static_assert(Net::output_type::rank() == 1,
                "mezzo::trainer: a network must end in one row of logits for each sample; given one that ends in "
                "several axes; write flatten and dense<classes> last");

  struct setup {
    Scale scale{};
    std::uint64_t seed = 0;  ///< of the parameters
  };

  MEZZO_OUTLINE constexpr explicit trainer(const Optimizer& optimizer = {}, const Backend& on = {},
                                           const setup& how = {})
      : optimizer_(optimizer),
        scale_(how.scale),
        model_(0, how.seed, on),
        masters_(has_masters<Policy> ? low_size : 0),
        low_moments_{heap_array<float>(low_size), heap_array<float>(Optimizer::moments == 2 ? low_size : 0)},
        full_moments_{heap_array<float>(full_size), heap_array<float>(Optimizer::moments == 2 ? full_size : 0)} {
    if (!scale_.valid())
      fail(
          "mezzo::trainer: a loss scale must be finite and above 0, grow by at least 1 and shrink by less than 1; "
          "given "
          "other settings; check setup");
    if constexpr (has_masters<Policy>) layout::start(how.seed, masters_.data(), nullptr);
  }

  [[nodiscard]] constexpr model_type& network() { return model_; }
  [[nodiscard]] constexpr const model_type& network() const { return model_; }
  [[nodiscard]] constexpr Optimizer& options() { return optimizer_; }
  [[nodiscard]] constexpr const Scale& scale() const { return scale_; }
  /// Steps that ran.
  [[nodiscard]] constexpr std::size_t steps() const { return steps_; }
  /// float32 masters of the parameters stored low; empty without masters.
  [[nodiscard]] constexpr const heap_array<float>& masters() const { return masters_; }
  [[nodiscard]] constexpr const gradient_type& stored_gradients() const { return gradients_; }

  [[nodiscard]] constexpr std::size_t weight_bytes() const { return model_.parameters().bytes(); }
  [[nodiscard]] constexpr std::size_t activation_bytes() const { return model_.activation_bytes(); }
  /// Bytes of masters and moments.
  [[nodiscard]] constexpr std::size_t optimizer_bytes() const {
    return (masters_.size() + low_moments_[0].size() + low_moments_[1].size() + full_moments_[0].size() +
            full_moments_[1].size()) *
           sizeof(float);
  }

  /// Forward and backward over a batch of samples (batch, …) and their labels (batch): gradients that carry the scale.
  template <class T, class Extents, class L, class Sizes>
    requires detail::batch_elements<T, L, label_type>
  constexpr gradients<carries_scale, false, false> backward(const view<T, Extents>& samples,
                                                            const view<L, Sizes>& labels) {
    load(samples, labels);
    return ticket(of_batch<false>(run_backward(labels.data(), labels.size(), false)));
  }
  /// The same, with the norm of the gradients, for `clip_norm`.
  template <class T, class Extents, class L, class Sizes>
    requires detail::batch_elements<T, L, label_type>
  constexpr gradients<carries_scale, true, false> backward(const view<T, Extents>& samples,
                                                           const view<L, Sizes>& labels, track_norm_t) {
    load(samples, labels);
    return ticket(of_batch<true>(run_backward(labels.data(), labels.size(), true)));
  }
  template <class T, class Extents, class L, class Sizes, class... Norm>
    requires detail::batch_elements<T, L, label_type>
  constexpr auto backward(const tensor<T, Extents>& samples, const tensor<L, Sizes>& labels, Norm... norm) {
    return backward(samples.as_view(), labels.as_view(), norm...);
  }

  /// Starts a sum over micro-batches, in float32: each sample counts the same, whatever the sizes of the batches.
  template <bool HasNorm>
  [[nodiscard]] constexpr gradients<carries_scale, HasNorm, true> accumulate(
      const gradients<carries_scale, HasNorm, false>& g) {
    return add(gradients<carries_scale, HasNorm, true>{.scale = g.scale}, g, true);
  }
  /// Adds the gradients of one more micro-batch to a sum.
  template <bool HasNorm>
  [[nodiscard]] constexpr gradients<carries_scale, HasNorm, true> accumulate(
      const gradients<carries_scale, HasNorm, true>& sum, const gradients<carries_scale, HasNorm, false>& g) {
    return add(sum, g, false);
  }

  /// Updates the parameters; leaves everything as it was if a gradient is known not to be finite. That is known where
  /// there is a loss scale or the norm was tracked. Error: gradients of an earlier pass, or that made a step already.
  template <class State, bool HasNorm, bool Accumulated>
    requires detail::ready_to_step<State>
  constexpr step_outcome step(const gradients<State, HasNorm, Accumulated>& g) {
    if (g.samples != 0) expects_current(g.pass);
    pass_ = 0;
    return run_step<Accumulated>(optimizer_, g.seen, g.factor, g.samples, g.mean_loss());
  }

  /// Adjusts the loss scale to what became of a step.
  constexpr void update(const step_outcome& outcome) {
    if (outcome.reason != step_reason::no_gradients) scale_ = scale_.adjust(outcome.ran());
  }

  /// Trains for some epochs; the last batch of an epoch may be smaller. `progress` is called after each step.
  template <dataset<typename model_type::input_value> Data, class Progress = no_progress, class Rate = constant_rate>
  MEZZO_OUTLINE constexpr fit_report fit(const Data& data, const fit_options& how = {}, const Progress& progress = {},
                           const Rate& rate = {}) {
    if (how.batch == 0 || data.size() == 0)
      fail(
          "mezzo::trainer: a fit needs samples and a batch of at least one; given none; check the data set and the "
          "options");
    if (how.clip_norm < 0.0f)
      fail(
          "mezzo::trainer: the largest norm of a fit must be above 0, or 0 for none; given a negative one; check "
          "clip_norm");
    check_samples(data);
    if constexpr (requires { scale_.in_a_row; }) scale_.in_a_row = 0;
    const std::size_t batches = (data.size() + how.batch - 1) / how.batch;
    fit_report report(how.epochs * batches);
    reserve(how.batch < data.size() ? how.batch : data.size());
    heap_array<std::uint32_t> order(data.size());
    Optimizer scheduled = optimizer_;
    for (std::size_t epoch = 0; epoch < how.epochs && !report.gave_up; ++epoch) {
      fill_order(order, how.shuffle, mix_bits(how.seed) + epoch);
      for (std::size_t b = 0; b < batches && !report.gave_up; ++b) {
        const std::size_t first = b * how.batch;
        const std::size_t count = data.size() - first < how.batch ? data.size() - first : how.batch;
        data.fetch(order.data() + first, count, model_.inputs(), labels_.data());
        scheduled.learning_rate = rate.at(steps_, optimizer_.learning_rate);
        const float scale_before = scale_.value();
        const auto g = of_batch<true>(run_backward(labels_.data(), count, how.clip_norm > 0.0f));
        const auto free = unscale(g);
        const step_outcome outcome = run_step<false>(
            scheduled, g.seen, how.clip_norm > 0.0f ? clip_norm(free, how.clip_norm).factor : free.factor, count,
            g.mean_loss());
        update(outcome);
        report.record(outcome, scale_before, scale_.value());
        if (scale_.exhausted()) report.give_up(non_finite_stage());
        progress(step_progress{report.steps, report.losses.size(), epoch, outcome, scale_before});
      }
    }
    report.final_scale = scale_.value();
    return report;
  }

  /// Mean loss and share of right answers over a data set.
  template <dataset<typename model_type::input_value> Data>
  MEZZO_OUTLINE constexpr evaluation evaluate(const Data& data, std::size_t batch = 256) {
    if (batch == 0 || data.size() == 0)
      fail("mezzo::trainer: an evaluation needs samples and a batch of at least one; given none; check the data set");
    check_samples(data);
    reserve(batch < data.size() ? batch : data.size());
    heap_array<std::uint32_t> order(data.size());
    fill_order(order, false, 0);
    evaluation sum{.samples = data.size()};
    constexpr std::size_t classes = typename Net::output_type{}.size();
    for (std::size_t first = 0; first < data.size(); first += batch) {
      const std::size_t count = data.size() - first < batch ? data.size() - first : batch;
      data.fetch(order.data() + first, count, model_.inputs(), labels_.data());
      const auto logits = model_.forward(count);
      sum.loss += static_cast<double>(Loss::template evaluate<Policy>(model_.on(), logits.data(), labels_.data(), count,
                                                                      classes, 1.0f, null_gradient())) *
                  static_cast<double>(count);
      for (std::size_t i = 0; i < count; ++i)
        sum.right += std::size_t{Loss::right(logits.data() + i * classes, classes, labels_[i])};
    }
    sum.loss /= static_cast<double>(data.size());
    return sum;
  }

  /// The module, in the order of the backward pass, whose last gradients were the first not to be finite, such as
  /// "dense, module 5" (counted from 1); "" if all were.
  [[nodiscard]] constexpr short_name non_finite_stage() const {
    short_name name{};
    for_each_index<model_type::stages>([&](auto i) {
      using stage = pack_element_t<decltype(i)::value, typename Net::stages>;
      if (decltype(i)::value == non_finite_at_) {
        name = stage::name();
        name << ", module " << stage::first_module + 1;
      }
    });
    return name;
  }

 private:
  using layout = typename weights<Net, Policy>::layout;
  using output_value = typename model_type::output_value;
  static constexpr std::size_t low_size = layout::elements(true);
  static constexpr std::size_t full_size = layout::elements(false);
  // Without a loss scale nothing can be done about an overflow, so nothing asks for one.
  static constexpr bool checks = Scale::scales;

  static constexpr output_value* null_gradient() { return nullptr; }

  /// A data set that says how large its samples are must say what the network takes.
  template <class Data>
  static constexpr void check_samples(const Data& data) {
    if constexpr (requires { data.sample_size; })
      if (data.sample_size != model_type::sample_size)
        fail(sentence("mezzo::trainer: samples must have as many elements as the network's input, ")
             << model_type::sample_size << "; given " << data.sample_size << "; check sample_size");
  }

  constexpr void reserve(std::size_t batch) {
    model_.reserve(batch);
    if (labels_.size() < batch) labels_ = heap_array<label_type>(batch);
  }

  template <class T, class Extents, class L, class Sizes>
  constexpr void load(const view<T, Extents>& samples, const view<L, Sizes>& labels) {
    if (samples.extent(0) != labels.size())
      fail(sentence("mezzo::trainer: there must be one label for each sample; given ")
           << labels.size() << " labels and " << samples.extent(0) << " samples; check the batch");
    model_.load(samples);
  }

  /// Numbers the pass whose gradients the trainer now holds.
  template <class G>
  constexpr G ticket(G g) {
    g.pass = pass_ = ++passes_;
    return g;
  }
  constexpr void expects_current(std::size_t of) const {
    if (of != pass_)
      fail(
          "mezzo::trainer: gradients serve one step, before the next backward pass; given those of an earlier pass; "
          "call "
          "backward again, or accumulate the passes");
  }

  /// What a backward pass over one batch gives.
  struct pass {
    tally seen;
    float loss;
    std::size_t samples;
  };
  template <bool HasNorm>
  constexpr gradients<carries_scale, HasNorm, false> of_batch(const pass& p) const {
    return {p.seen, scale_.value(), 1.0f, static_cast<double>(p.loss) * static_cast<double>(p.samples), p.samples};
  }

  MEZZO_OUTLINE constexpr pass run_backward(const label_type* labels, std::size_t batch, bool norm) {
    constexpr std::size_t classes = typename Net::output_type{}.size();
    const status_scope status(model_.on());
    const auto logits = model_.forward(batch);
    const buffer<output_value> g(model_.on().memory, batch * classes);
    const float loss =
        Loss::template evaluate<Policy>(model_.on(), logits.data(), labels, batch, classes, scale_.value(), g.data());
    const inspection what = norm ? inspection::finite_and_norm : checks ? inspection::finite : inspection::nothing;
    non_finite_at_ = detail::no_slot;
    tally seen = model_.backward(batch, g.data(), gradients_, what, non_finite_at_);
    if (what != inspection::nothing) seen.non_finite = seen.non_finite || status.overflowed();
    return {seen, loss, batch};
  }

  template <bool Accumulated>
  MEZZO_OUTLINE constexpr step_outcome run_step(const Optimizer& optimizer, const tally& seen, float factor,
                                                std::size_t samples, float loss) {
    if (samples == 0) return {step_reason::no_gradients, 0.0f};
    if (seen.non_finite) return {step_reason::non_finite, loss};
    const auto coefficients = optimizer.at(steps_ + 1);
    if (Scale::scales || Accumulated || factor != 1.0f)
      update_all<Accumulated>(coefficients, gradient_factor{factor});
    else if constexpr (!Scale::scales && !Accumulated)
      update_all<Accumulated>(coefficients, no_factor{});
    ++steps_;
    return {step_reason::stepped, loss};
  }

  template <bool HasNorm>
  constexpr gradients<carries_scale, HasNorm, true> add(const gradients<carries_scale, HasNorm, true>& sum,
                                                        const gradients<carries_scale, HasNorm, false>& g, bool first) {
    expects_current(g.pass);
    if (!first && sum.pass != sum_)
      fail(
          "mezzo::accumulate: a sum goes on from the last one; given an earlier sum; keep what accumulate returns");
    if (sum.scale != g.scale)
      fail(
          "mezzo::accumulate: micro-batches of one step must share a loss scale; given gradients from before an "
          "update; accumulate "
          "all of them, then step, then update");
    if (low_sums_.size() != low_size) low_sums_ = heap_array<float>(low_size);
    if (full_sums_.size() != full_size) full_sums_ = heap_array<float>(full_size);
    const float weight = static_cast<float>(g.samples);
    const inspection what = HasNorm ? inspection::finite_and_norm : inspection::finite;
    tally seen = model_.on().run(accumulate_kernel<typename gradient_type::low_type>{
        low_size, low_sums_.data(), gradients_.low().data(), weight, first, what});
    seen += model_.on().run(
        accumulate_kernel<float>{full_size, full_sums_.data(), gradients_.full().data(), weight, first, what});
    seen.non_finite = seen.non_finite || sum.seen.non_finite || g.seen.non_finite;
    const std::size_t samples = sum.samples + g.samples;
    const auto result = ticket(gradients<carries_scale, HasNorm, true>{
        seen, sum.scale, 1.0f / static_cast<float>(samples), sum.loss + g.loss, samples});
    sum_ = result.pass;
    return result;
  }

  template <bool Accumulated, class Coefficients, class Factor>
  constexpr void update_all(const Coefficients& c, const Factor& by) {
    auto& values = model_.parameters();
    const auto run = [&]<bool Masters, class P, class G>(std::bool_constant<Masters>, heap_array<P>& p, float* masters,
                                                         const G* g, heap_array<float>(&moments)[2]) {
      static_cast<void>(model_.on().run(optimizer_kernel<Optimizer, P, G, Factor, Masters>{
          c, by, p.size(), p.data(), masters, g, moments[0].data(), moments[1].data()}));
    };
    if constexpr (low_size > 0) {
      if constexpr (Accumulated)
        run(std::bool_constant<has_masters<Policy>>{}, values.low(), masters_.data(), low_sums_.data(), low_moments_);
      else
        run(std::bool_constant<has_masters<Policy>>{}, values.low(), masters_.data(), gradients_.low().data(),
            low_moments_);
    }
    if constexpr (full_size > 0) {
      if constexpr (Accumulated)
        run(std::false_type{}, values.full(), nullptr, full_sums_.data(), full_moments_);
      else
        run(std::false_type{}, values.full(), nullptr, gradients_.full().data(), full_moments_);
    }
  }

  Optimizer optimizer_;
  Scale scale_;
  model_type model_;
  gradient_type gradients_;
  heap_array<float> masters_;
  heap_array<float> low_moments_[2];
  heap_array<float> full_moments_[2];
  heap_array<float> low_sums_;
  heap_array<float> full_sums_;
  heap_array<label_type> labels_;
  std::size_t steps_ = 0;
  std::size_t passes_ = 0;  // backward passes and sums so far
  std::size_t pass_ = 0;    // whose gradients a step may take
  std::size_t sum_ = 0;     // the last sum
  std::size_t non_finite_at_ = detail::no_slot;
};

}  // namespace mezzo::inline MEZZO_ABI
