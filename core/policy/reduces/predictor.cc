#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <queue>

#include "core/model/prediction_error.h"
#include "core/model/takagi_sugeno.h"
#include "core/policy/reduces/control_points.h"
#include "core/policy/reduces/model_file.h"
#include "core/policy/reduces/reduce_watch.h"
#include "core/policy/reduces/remaining_time.h"
#include "core/scenario/draw.h"

namespace heddle {
namespace {

// Upper bound of predictions in seconds, longer than any run.
constexpr double kLongest = 1e8;

// Parameters of online adaptation. A model from a file is worth some thousand observations, so its
// weights are assumed to be exact to a few percent of a regressor's usual size. The observations of
// one reduce are not independent. Together they count as kWorth observations.
constexpr TakagiSugeno::Learning kLearning{0.999, 0.05};
constexpr double kWorth = 2;

double within_reason(double seconds) { return std::clamp(seconds, 0.0, kLongest); }

const NodeSpec& node_of(const Scenario& scenario, NodeId id) {
  return scenario.cluster.nodes[static_cast<std::size_t>(id.value)];
}

double sum_of(const std::vector<DataWrite>& writes) {
  double bytes = 0;
  for (const DataWrite& write : writes) bytes += static_cast<double>(write.size.count());
  return bytes;
}

/// Returns the time that the writes take if nothing else uses the node. Copies are also sent over
/// the network.
double write_s(const Scenario& scenario, const std::vector<DataWrite>& writes, NodeId node) {
  const NodeSpec& spec = node_of(scenario, node);
  double copied = 0;
  for (const DataWrite& write : writes)
    if (!write.kept)
      copied += static_cast<double>(write.size.count()) *
                std::min<double>(scenario.storage.replicas - 1,
                                 static_cast<double>(scenario.cluster.nodes.size()) - 1);
  return std::max(sum_of(writes) / spec.disk_bytes_per_s, copied * 8 / spec.network_bits_per_s);
}

double work_s(const Scenario& scenario, const TaskWork& work, NodeId node, Millicores cores) {
  return to_seconds(ideal_time(work, cores, node_of(scenario, node).speed,
                               scenario.emulation.cpu_limit == CpuLimit::kShares));
}

/// Common base of the predictors. It watches reduces, multiplies predictions by noise, and writes
/// predictions to the journal at each control point.
///
/// In the journal, `policy_state` lines about "reduce.prediction" have these fields for each live
/// reduce, once every control_interval: container, waits (1 if the reduce waits for maps),
/// predicted_s (with noise) and naive_s.
class Predictor : public RemainingTime {
 public:
  void refresh(Draft& draft, std::span<const Event> events) final {
    if (watch_.refresh(draft.view(), events)) draft.remember();
    learn(draft);
    // In each interval, the first step is always in the journal.
    const std::int64_t point = control_point(draft.view().now);
    if (point == last_point_) return;
    last_point_ = point;
    draft.remember();
    tell(draft);
  }

  EmuTime of(const Container& reduce, const View& view) const final {
    double seconds = estimate(reduce, view);
    if (!std::isfinite(seconds)) seconds = watch_.signs(reduce, view.cluster, view.now).left_s();
    if (noise_ > 0) {
      const std::uint64_t key =
          draw_key(scenario_.seed, {static_cast<std::uint64_t>(reduce.id.value),
                                    static_cast<std::uint64_t>(control_point(view.now))});
      seconds *= draw({Drawn::Dist::kNormal, 1, noise_}, key);
    }
    return emu_seconds(within_reason(seconds));
  }

 protected:
  /// `keep`: true if the watch keeps its observations of each reduce.
  Predictor(const Scenario& scenario, bool keep)
      : scenario_(scenario),
        interval_(std::max(EmuTime(1), value(scenario.policy, kControlInterval))),
        noise_(value(scenario.policy, kPredictionNoise)),
        watch_(scenario, keep) {}
  /// Returns the predicted time in seconds. The result can be negative or not finite.
  virtual double estimate(const Container& reduce, const View& view) const = 0;
  /// Learns from the reduces that have completed in this step.
  virtual void learn(Draft&) {}

  const Scenario& scenario() const { return scenario_; }
  const ReduceWatch& watch() const { return watch_; }

 private:
  std::int64_t control_point(EmuTime now) const { return now.count() / interval_.count(); }
  void tell(Draft& draft) const {
    const View& view = draft.view();
    for (ContainerId id : watch_.reduces()) {
      const Container* reduce = view.cluster.container(id);
      if (!reduce) continue;
      const ReduceSigns signs = watch_.signs(*reduce, view.cluster, view.now);
      draft.note({"reduce.prediction",
                  {{"container", id.value},
                   {"waits", std::int64_t{signs.works ? 0 : 1}},
                   {"predicted_s", to_seconds(of(*reduce, view))},
                   {"naive_s", to_seconds(emu_seconds(std::min(signs.left_s(), kLongest)))}}});
    }
  }

  const Scenario& scenario_;
  EmuTime interval_;
  double noise_;
  std::int64_t last_point_ = 0;
  ReduceWatch watch_;
};

/// Predicts by extrapolation of what is observed (ReduceWatch).
///
/// Source: (1 - progress) / rate, as in Zaharia et al., "Improving MapReduce performance in
/// heterogeneous environments", OSDI 2008. There are no parameters. Good at: work at an even pace,
/// after it has begun. Bad at: what has not been observed yet, such as the work of a phase's first
/// reduce, and what comes after the work.
class NaivePredictor : public Predictor {
 public:
  explicit NaivePredictor(const Scenario& scenario) : Predictor(scenario, false) {}

 private:
  double estimate(const Container& reduce, const View& view) const override {
    return watch().signs(reduce, view.cluster, view.now).left_s();
  }
};

/// iKayak's predictor. It is a Takagi-Sugeno model with NARX regressors. The model is trained
/// before the run. At the end of each reduce, it is adapted to the observations of this reduce.
class FuzzyPredictor : public Predictor {
 public:
  FuzzyPredictor(const Scenario& scenario, FuzzyModel model)
      : Predictor(scenario, true), model_(std::move(model), kLearning) {}

 protected:
  double estimate(const Container& reduce, const View& view) const override {
    return by_model(watch().regressors_of(reduce, view.cluster, view.now));
  }
  double by_model(const Regressors& seen) const { return model_.predict(seen.premise, seen.x); }

  void learn(Draft&) override {
    for (const ReduceWatch::Ended& ended : watch().completed()) {
      const double weight = std::min(
          1.0, kWorth / static_cast<double>(std::max<std::size_t>(ended.observations.size(), 1)));
      for (const Observation& seen : ended.observations)
        model_.adapt({seen.regressors.premise, seen.regressors.x, to_seconds(ended.at - seen.at)},
                     weight);
    }
  }

 private:
  TakagiSugeno model_;
};

/// Uses the model or the naive prediction: the one that was better so far, by the root mean square
/// error over the observations of all reduces that have completed. The model's error is taken
/// before it is adapted to the reduce. On a tie, and before the first reduce has completed, the
/// model is used. The choice is in the journal when it changes: "reduce.predictor" {model (1 or 0),
/// model_rmse_s, naive_rmse_s}.
class AutoPredictor : public FuzzyPredictor {
 public:
  using FuzzyPredictor::FuzzyPredictor;

 private:
  double estimate(const Container& reduce, const View& view) const override {
    return use_model_ ? FuzzyPredictor::estimate(reduce, view)
                      : watch().signs(reduce, view.cluster, view.now).left_s();
  }

  void learn(Draft& draft) override {
    for (const ReduceWatch::Ended& ended : watch().completed())
      for (const Observation& seen : ended.observations) {
        const double actual = to_seconds(ended.at - seen.at), naive = seen.signs.left_s();
        const double modelled = by_model(seen.regressors);
        model_error_.add(std::isfinite(modelled) ? within_reason(modelled) : naive, actual);
        naive_error_.add(naive, actual);
      }
    FuzzyPredictor::learn(draft);
    const bool model = model_error_.rmse() <= naive_error_.rmse();
    if (std::exchange(use_model_, model) == model) return;
    draft.remember();
    draft.note({"reduce.predictor",
                {{"model", std::int64_t{model}},
                 {"model_rmse_s", model_error_.rmse()},
                 {"naive_rmse_s", naive_error_.rmse()}}});
  }

  PredictionError model_error_, naive_error_;
  bool use_model_ = true;
};

/// Knows what each task will do, and computes from that how long the task will take if nothing
/// interferes. Only simulations can use it.
class OraclePredictor : public Predictor {
 public:
  explicit OraclePredictor(const Scenario& scenario) : Predictor(scenario, false) {}

 private:
  double estimate(const Container& reduce, const View& view) const override {
    const TaskWork work = draw_work(scenario(), reduce.task);
    const double whole = work_s(scenario(), work, reduce.node, reduce.resources.cores);
    const NodeSpec& node = node_of(scenario(), reduce.node);
    const double write = write_s(scenario(), work.writes, reduce.node);
    const ReduceSigns signs = watch().signs(reduce, view.cluster, view.now);
    if (const auto worked = watch().worked(reduce.id, view.now)) {
      double since = to_seconds(view.now - watch().reported(reduce.id));
      double left = (1 - signs.progress) * whole;
      if (signs.progress == 0) {
        left = whole;
        since = to_seconds(*worked);
      } else if (signs.progress >= 1) {
        since = std::max(0.0, to_seconds(*worked) - whole);
      }
      if (signs.speed == 0) since = 0;
      return std::max(0.0, left + write - since);
    }
    double maps = 0;
    for (int before : phase_of(scenario(), reduce.task.phase).after)
      maps = std::max(maps, maps_left_s({reduce.task.phase.job, before}, view));
    const double fetch = signs.to_fetch * (1 << 20) * 8 / node.network_bits_per_s;
    return std::max(maps, fetch) + whole + write;
  }

  double map_s(TaskId map, NodeId node, Millicores cores) const {
    const TaskWork work = draw_work(scenario(), map);
    double bytes = 0;
    for (const DataRead& read : work.reads) bytes += static_cast<double>(read.size.count());
    return bytes / node_of(scenario(), node).disk_bytes_per_s +
           work_s(scenario(), work, node, cores) + write_s(scenario(), work.writes, node);
  }

  double maps_left_s(PhaseId phase, const View& view) const {
    const ClusterState& cluster = view.cluster;
    const Job& job = cluster.job(phase.job);
    if (job.complete(phase.phase)) return 0;
    // Slots for maps, ordered by the time at which they become free.
    std::priority_queue<double, std::vector<double>, std::greater<>> places;
    NodeId some{0};
    double last = 0;
    for (ContainerId id : cluster.holdings(phase.job).containers) {
      const Container& map = *cluster.container(id);
      if (map.task.phase != phase) continue;
      const EmuTime since = map.started_at.value_or(view.now);
      places.push(std::max(
          0.0, map_s(map.task, map.node, map.resources.cores) - to_seconds(view.now - since)));
      last = std::max(last, places.top());
      some = map.node;
    }
    const PhaseSpec& spec = phase_of(scenario(), phase);
    const int running = static_cast<int>(places.size());
    const int pending = std::max(0, spec.tasks - job.completed(phase.phase) - running);
    if (places.empty()) places.push(0);
    for (int i = 0; i < pending; ++i) {
      // Take any pending maps. They differ only in their random draws, so the choice matters
      // little.
      const double free = places.top();
      places.pop();
      places.push(free + map_s({phase, spec.tasks - 1 - i}, some, spec.request.cores));
    }
    while (!places.empty()) {
      last = std::max(last, places.top());
      places.pop();
    }
    return last;
  }
};

}  // namespace

std::unique_ptr<RemainingTime> make_remaining_time(const Scenario& scenario) {
  const PredictorKind kind = value(scenario.policy, kPredictor);
  if (kind == PredictorKind::kNaive) return std::make_unique<NaivePredictor>(scenario);
  if (kind == PredictorKind::kOracle) return std::make_unique<OraclePredictor>(scenario);
  FuzzyModel model = default_fuzzy_model();
  if (!scenario.remaining_model.empty()) {
    Result<FuzzyModel> read = read_fuzzy_model(scenario.remaining_model);
    assert(read);  // reading a scenario checks it
    model = *std::move(read);
  }
  if (kind == PredictorKind::kFuzzy)
    return std::make_unique<FuzzyPredictor>(scenario, std::move(model));
  return std::make_unique<AutoPredictor>(scenario, std::move(model));
}

}  // namespace heddle
