#pragma once

#include <optional>

#include "core/policy/scheduler/haste/initial_plan.h"
#include "core/policy/scheduler/haste/map_stages.h"
#include "core/policy/scheduler/haste/preferences.h"
#include "core/policy/scheduler/haste/terms.h"

namespace heddle {

/// HaSTE: for the node to be filled, of the requests that fit the one with the largest preference
/// norm(fitness) + norm(urgency) first. Each term is normalised over the candidates: the requests
/// that fit and may be launched there now. Fitness is ffd-dp's; urgency moves a job's tasks by how
/// far its maps are and by what its reduces hold. Of equal ones the more urgent goes first, then by
/// (priority, submit time, job id, phase), and so do, after all that fit, those that don't. When a
/// batch comes to an idle cluster, each node is first filled as a knapsack, once (InitialPlan).
///
/// Source: Yao et al., "HaSTE: Hadoop YARN Scheduling Based on Task-Dependency and
/// Resource-Demand", CLOUD 2014; the readings are in docs/policies.md. Parameters:
/// initial_assignment, urgency, cores_weight and memory_weight (w_k, no unit, default 1). Good at:
/// the makespan of batches whose jobs differ in shape and have reduces. Bad at: what ffd-dp is bad
/// at; small differences count as much as large ones, each term being stretched over the candidates
/// of the moment.
class Haste : public Scheduler {
 public:
  explicit Haste(const Scenario& scenario);

  void refresh(Draft& draft) override;
  void in_order(const Round& round, const Visit& visit) override;
  std::string reason(const Request& request) const override;
  void launched(const Draft& draft, const Request& request) override;
  bool by_node() const override { return true; }
  bool passes(EmuTime) const override { return true; }

 protected:
  /// How much alignment counts, 0 to 1: `fixed`, or, without, the share of jobs that are not
  /// iterative, of those that were submitted and are not finished.
  struct Aggressiveness {
    std::optional<double> fixed;
  };
  Haste(const Scenario& scenario, Aggressiveness aggressiveness);

 private:
  /// What is known of a job.
  struct Known {
    explicit Known(const JobSpec& job) : stages(job), terms(job.phases.size()) {}
    MapStages stages;
    std::vector<PreferenceTerms> terms;  ///< by phase, of those that ask
    bool active = false;                 ///< submitted and not finished
    int batch = 0;                       ///< the number of the batch that the job came with
  };
  enum class Choice { kOrder, kPlan, kPreference };
  /// The one that is being visited.
  struct Visited {
    Choice choice = Choice::kOrder;
    Preferences::Choice by;
  };

  void put(const Draft& draft, JobId job);
  /// Returns true if the job was submitted since the last step.
  bool count(const Job& job);
  /// Takes in jobs that were submitted: they begin a batch, join it, or come too late for it.
  void gather_batch(const View& view, const std::vector<JobId>& submitted);
  PreferenceTerms terms_of(const Draft& draft, const Request& request) const;
  double aggressiveness() const;
  /// False if a visit ended the round.
  bool visit_planned(const Round& round, const Visit& visit);
  bool visit_fitting(const Round& round, const Visit& visit);
  void visit_others(const Round& round, const Visit& visit);

  Urgency form_;
  Fitness::Weights weights_;
  Aggressiveness aggressiveness_;
  RequestOrder order_;
  Preferences preferences_;
  std::optional<InitialPlan> plan_;
  std::vector<Known> jobs_;
  int active_ = 0, active_iterative_ = 0;  ///< jobs
  int batch_ = 0;                          ///< batches so far
  bool gathering_ = false;                 ///< no task of the last batch has started
  Resources allowances_;                   ///< that the terms were reckoned with
  std::optional<NodeId> filling_;          ///< while a node is being filled
  Visited visited_;
};

}  // namespace heddle
