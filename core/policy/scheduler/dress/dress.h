#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/release_estimator.h"
#include "core/policy/scheduler/dress/ratio.h"
#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// DRESS: jobs of small and of large demand have pools of their own, first come first served in
/// each. A share of the cluster, the ratio, is reserved for the small jobs; it follows what is
/// free, what is wanted, and what is about to be released. A request counts by its dominant share
/// of the live nodes' allowances, in billionths (kWholeCluster); cluster.unit has no part in this.
///
/// Source: Mao et al., "DRESS: Dynamic RESource-reservation Scheme for Congested Data-intensive
/// Computing Platforms", Algorithms 1 to 3, in the readings of docs/policies.md; more than two
/// categories are ours. Parameters: those that the table (core/policy/table.h) says dress reads.
/// Good at: small jobs on a congested cluster, beside large ones that want more than comes free at
/// a time. Bad at: small jobs beside large ones that fit what comes free, since Algorithm 3 serves
/// these first; what is reserved and not needed stays idle until the next update.
///
/// Notes in the journal (policy_state): dress.job {job, category, of, demand} when a job is
/// submitted; dress.ratio {ratios, available, free, expected, wanted, used} at every update;
/// dress.phase {job, phase, …} when a phase changes; dress.release {made, until, predicted, actual}
/// when a forecast's horizon has ended.
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
    std::int64_t used = 0;        ///< held by its containers, its application master's too
    std::int64_t wanted = 0;      ///< w: by its requests
    int tasks = 0;                ///< that hold a container
    std::vector<ToldPhase> told;  ///< of its phases
  };

  /// Takes in the live nodes' allowances; true if they have changed, and with them all shares.
  bool take_in_total(const View& view);
  void take_in_containers(Draft& draft);
  void take_in_jobs(Draft& draft);
  void admit(const Job& job, Draft& draft);
  std::size_t category(std::int64_t demand, const Draft& draft) const;
  void count(const Job& job, Entry& entry, const Draft& draft);
  void forget(JobId id, Draft& draft);
  /// A_c, after the launches of the draft.
  std::int64_t available(const Draft& draft) const {
    return least_billionths(draft.rooms().open_free(), total_);
  }
  /// What keeps the pool from having anything more now; nullopt: nothing does.
  std::optional<obstacle::Limit> limit(const Draft& draft, std::size_t pool) const;
  /// Settles forecasts, makes one, moves the ratios, and tells of it.
  void update(Draft& draft);
  void tell_releases(Draft& draft);
  void tell_phases(JobId id, Entry& entry, Draft& draft);
  std::int64_t size(const Resources& held) const { return dominant_billionths(held, total_); }

  const Scenario& scenario_;
  std::vector<std::int64_t> indicators_;  ///< upper ends of all categories but the last
  bool of_available_;
  DressBounds bounds_;
  bool capped_;       ///< large_pool: the last pool may use what the ratios leave, and no more
  EmuTime interval_;  ///< between two updates
  EmuTime horizon_;   ///< of the estimate; 0: there is none
  ReleaseEstimator estimator_;

  Resources total_;                   ///< shares are of this: the live nodes' allowances
  std::vector<std::int64_t> ratios_;  ///< delta, by pool; the last has none
  std::vector<std::int64_t> used_;    ///< by pool, after the launches of this step
  std::vector<std::int64_t> wanted_;  ///< P by pool, likewise
  int tasks_ = 0;                     ///< that hold a container, likewise
  std::vector<RequestOrder> orders_;  ///< by pool
  std::map<JobId, Entry> jobs_;       ///< submitted, and not over
  EmuTime next_update_;
};

}  // namespace heddle
