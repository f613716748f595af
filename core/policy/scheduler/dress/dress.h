#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/release_estimator.h"
#include "core/policy/scheduler/dress/ratio.h"
#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// DRESS: jobs of small and of large demand have pools of their own, first come first served in
/// each; the ratio between the pools follows what is free, what is wanted, and which containers are
/// about to be released. Everything is counted in unit containers (cluster.unit).
///
/// Source: Mao et al., "DRESS: Dynamic RESource-reservation Scheme for Congested Data-intensive
/// Computing Platforms", Algorithms 1 to 3, in the readings of docs/policies.md; more than two
/// categories are ours. Parameters: those that the table (core/policy/table.h) says dress reads.
/// Good at: small jobs on a congested cluster, beside large ones that want more than comes free at
/// a time. Bad at: large jobs whose demand fits that are served first; a pool that nobody needs is
/// idle until the next update; requests that are no whole units count for more than they are.
///
/// What it tells the journal (policy_state): dress.job {job, category, units}; dress.ratio {ratios,
/// available, free, expected, wanted, used}; dress.phase {job, phase, …}; dress.release {made,
/// predicted, actual}.
class Dress : public Scheduler {
 public:
  /// The scenario must outlive it.
  explicit Dress(const Scenario& scenario);

  void refresh(Draft& draft) override;
  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;
  std::optional<obstacle::Limit> limit(const Draft& draft, const Request& request) const override;
  bool passes(EmuTime now) const override { return jobs_.empty() || now < next_update_; }

 private:
  /// What was last told of a phase; its counts change with each task.
  struct ToldPhase {
    bool begun = false, closed = false, released = false;
    int trailing = 0;
    friend bool operator==(const ToldPhase&, const ToldPhase&) = default;
  };
  struct Entry {
    std::size_t pool = 0;
    std::int64_t used = 0;        ///< by its containers, its application master's too
    std::int64_t tasks = 0;       ///< of these, by its tasks
    std::int64_t wanted = 0;      ///< w: by its requests
    std::vector<ToldPhase> told;  ///< of its phases
  };

  void take_in_nodes(const View& view);
  void take_in_containers(Draft& draft);
  void take_in_jobs(Draft& draft);
  void admit(const Job& job, Draft& draft);
  std::size_t category(std::int64_t units) const;
  void count(const Job& job, Entry& entry, const Draft& draft);
  void forget(JobId id, Draft& draft);
  /// The pool may have nothing more now.
  bool full(std::size_t pool) const;
  /// No task runs and no pool that wants something may have it, or nodes are smaller than a unit:
  /// counting would hold up everything.
  bool held_up() const;
  /// Forecast, ratios, and what there is to tell of them.
  void update(Draft& draft);
  void tell_phases(JobId id, Entry& entry, Draft& draft);
  void tell_ratio(const std::vector<double>& free, Draft& draft);
  std::int64_t units(const Resources& request) const { return units_needed(request, unit_); }

  const Scenario& scenario_;
  Resources unit_;
  std::vector<double> indicators_;  ///< upper ends of all categories but the last
  bool of_available_;
  DressBounds bounds_;
  EmuTime interval_;
  ReleaseEstimator estimator_;

  std::vector<double> ratios_;
  std::vector<std::int64_t> shares_;  ///< what each pool may hold now
  std::vector<std::int64_t> used_;    ///< by pool, those launched in this step included
  std::vector<std::int64_t> wanted_;  ///< by pool, likewise
  std::int64_t task_units_ = 0;       ///< held by tasks
  std::vector<RequestOrder> orders_;  ///< by pool
  std::map<JobId, Entry> jobs_;       ///< submitted, and not over
  std::vector<std::int64_t> node_total_, node_free_;  ///< Tot_R and A_c by node
  std::int64_t total_ = 0, available_ = 0;
  EmuTime next_update_;
  std::optional<PolicyNote> told_ratio_;
};

}  // namespace heddle
