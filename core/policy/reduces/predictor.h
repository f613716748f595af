#pragma once

#include "core/model/takagi_sugeno.h"
#include "core/policy/reduces/reduce_watch.h"
#include "core/policy/reduces/remaining_time.h"

namespace heddle {

/// What all predictors share: they watch reduces, are multiplied by noise, and tell what they
/// predict at each control point.
///
/// In the journal, `policy_state` lines about "reduce.prediction" say for each live reduce, once
/// every control_interval: container, waits (1: for maps), predicted_s (noise included), naive_s.
class Predictor : public RemainingTime {
 public:
  void refresh(Draft& draft, std::span<const Event> events) final;
  EmuTime of(const Container& reduce, const View& view) const final;

 protected:
  /// `keep`: the watch keeps what it has seen of each reduce.
  Predictor(const Scenario& scenario, bool keep);
  /// Seconds, not yet checked.
  virtual double estimate(const Container& reduce, const View& view) const = 0;
  /// A step's reduces have completed.
  virtual void learn() {}

  const Scenario& scenario() const { return scenario_; }
  const ReduceWatch& watch() const { return watch_; }

 private:
  std::int64_t control_point(EmuTime now) const { return now.count() / interval_.count(); }
  void tell(Draft& draft) const;

  const Scenario& scenario_;
  EmuTime interval_;
  double noise_;
  std::int64_t last_point_ = 0;
  ReduceWatch watch_;
};

/// Plain extrapolation of what is observed (ReduceWatch).
///
/// Source: (1 - progress) / rate, as in Zaharia et al., "Improving MapReduce performance in
/// heterogeneous environments", OSDI 2008. Parameters: none.
/// Good at: work at an even pace, once it has begun.
/// Bad at: what it has seen nothing of yet: a first reduce's work, and what follows it.
class NaivePredictor : public Predictor {
 public:
  explicit NaivePredictor(const Scenario& scenario) : Predictor(scenario, false) {}

 private:
  double estimate(const Container& reduce, const View& view) const override;
};

/// iKayak's: a Takagi-Sugeno model with NARX regressors, trained before and adapted on the way, at
/// the end of each reduce by what was seen of it.
class FuzzyPredictor : public Predictor {
 public:
  FuzzyPredictor(const Scenario& scenario, FuzzyModel model);

 private:
  double estimate(const Container& reduce, const View& view) const override;
  void learn() override;

  TakagiSugeno model_;
};

/// Knows what each task will do, and so what it will take if nothing gets in its way; in
/// simulations only.
class OraclePredictor : public Predictor {
 public:
  explicit OraclePredictor(const Scenario& scenario) : Predictor(scenario, false) {}

 private:
  double estimate(const Container& reduce, const View& view) const override;
  double map_s(TaskId map, NodeId node, Millicores cores) const;
  double maps_left_s(PhaseId phase, const View& view) const;
};

}  // namespace heddle
