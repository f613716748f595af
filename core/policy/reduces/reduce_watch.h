#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/policy/base/policy.h"

namespace heddle {

const PhaseSpec& phase_of(const Scenario& scenario, PhaseId id);

/// Features of a reduce that can be observed from outside the task: from heartbeats, from starts
/// and ends, and from the sizes of map outputs. Sizes are in MiB, and times in emulated seconds.
/// All values are finite. All except the selectivity are at least 0.
struct ReduceSigns {
  bool works = false;      ///< the reduce has all its inputs
  double maps_s = 0;       ///< time until all maps before the reduce are complete, extrapolated
  double work_s = 0;       ///< time that the rest of its own work takes (see ReduceWatch)
  double progress = 0;     ///< 0..1, at the last report
  double input = 0;        ///< size of its input, estimated from the maps that are complete
  double to_fetch = 0;     ///< size of the input that is not read yet; 0 after its work began
  double written = 0;      ///< size that it has moved in addition to its input
  double speed = 0;        ///< its cores times the speed of its node; 0 while it is suspended
  double full_speed = 0;   ///< the value of `speed` if the reduce is not suspended
  double backlog = 0;      ///< size that all started reduces still have to move, per live node
  double beside = 0;       ///< size that the other reduces on its node still have to move
  double queue = 0;        ///< number of maps of all jobs without a container, per live node
  double selectivity = 0;  ///< log10 of (output size of a map / input size of a map), -4 to 2

  /// Returns the naive prediction of the remaining time. It extrapolates what was observed, without
  /// a model.
  double left_s() const { return maps_s + work_s; }
};

/// Input of the model of remaining times, for one reduce at one time. `x` has the regressors.
/// `premise` has the values that decide which rules apply (docs/reference/policies.md, "Remaining
/// times").
struct Regressors {
  Eigen::VectorXd premise, x;
};
/// Returns the regressors. `before`: the features at the previous report. Source: NARX (nonlinear
/// autoregressive model with exogenous inputs). y and u appear with the previous values too.
Regressors regressors(const ReduceSigns& now, const ReduceSigns& before);
/// Return the names of the values in `premise` and in `x`, in their order. Model files use these
/// names.
const std::vector<std::string>& premise_names();
const std::vector<std::string>& regressor_names();

/// An observation of a reduce at a report.
struct Observation {
  EmuTime at;
  ReduceSigns signs;
  Regressors regressors;
};

/// Observes reduces through heartbeats. A heartbeat is used as a report of its node's reduces if at
/// least kReportEvery has passed since the previous report. Other heartbeats are ignored, so that
/// the journal needs only few of them.
///
/// For maps, the extrapolation assumes that each map of the phase takes the average time of the
/// complete maps. It also assumes that the number of maps that run at a time does not change. The
/// time that the rest of a reduce's work takes is (1 - progress) / rate. The rate counts from the
/// time at which the reduce had its inputs, without suspensions. Before there is any progress, the
/// work is assumed to take the average time of the phase's completed reduces.
class ReduceWatch {
 public:
  static constexpr EmuTime kReportEvery = emu_seconds(5);

  /// `keep`: true if observations are kept until the reduce has ended.
  ReduceWatch(const Scenario& scenario, bool keep)
      : scenario_(scenario), keep_(keep), to_move_(scenario.cluster.nodes.size()) {}

  /// Takes in a step. Returns true if it used a heartbeat as a report. A replay then needs that
  /// heartbeat too.
  bool refresh(const View& view, std::span<const Event> events);
  /// A reduce that completed in the last refresh. `at` is when it ended. `observations` are those
  /// that were kept, in order of time.
  struct Ended {
    Container container;
    EmuTime at;
    std::vector<Observation> observations;
  };
  const std::vector<Ended>& completed() const { return completed_; }
  /// Returns the features of a live container of a reduce phase at `now`.
  ReduceSigns signs(const Container& reduce, const ClusterState& cluster, EmuTime now) const;
  Regressors regressors_of(const Container& reduce, const ClusterState& cluster, EmuTime now) const;
  /// Returns the live reduces that have started, ascending.
  std::vector<ContainerId> reduces() const;
  /// Returns the time of the last report of the reduce.
  EmuTime reported(ContainerId reduce) const;
  /// Returns for how long the reduce has had all its inputs, without suspensions. Returns nullopt
  /// if some inputs are still missing.
  std::optional<EmuTime> worked(ContainerId reduce, EmuTime now) const;

 private:
  struct Watched {
    JobId job;
    NodeId node;
    std::optional<EmuTime> works_since;
    EmuTime suspended;  ///< length of finished suspensions since works_since
    std::optional<EmuTime> suspended_since;
    double progress = 0;
    EmuBytes moved;
    EmuTime reported;
    std::optional<double> input;  ///< at the last report; does not change after the work began
    std::optional<ReduceSigns> last, before;  ///< at the last report and at the report before it
    EmuTime last_at;
    std::vector<Observation> observations;

    EmuBytes to_move;  ///< the part of backlog_ and to_move_ that belongs to this reduce

    EmuBytes left_to_move() const;
  };
  struct Lengths {
    double sum_s = 0;
    int count = 0;
  };

  void started(const Container& container, EmuTime at);
  void ended(const Container& container, Outcome outcome, EmuTime at);
  void begin_work(ContainerId id, EmuTime at);
  void forget_unfed(JobId job, ContainerId id);
  void count_queue(const View& view);
  bool report(const NodeHeartbeat& beat, const View& view, EmuTime at);
  double expected_input(const Container& reduce, const ClusterState& cluster) const;
  double phase_left_s(PhaseId phase, const ClusterState& cluster, EmuTime now) const;
  double maps_left_s(const Container& reduce, const ClusterState& cluster, EmuTime now) const;
  void sum_up(Watched& watched, EmuBytes to_move);
  double work_left_s(const Watched& watched, PhaseId phase, EmuTime now) const;

  const Scenario& scenario_;
  bool keep_;
  std::unordered_map<ContainerId, Watched> watched_;
  std::map<JobId, std::set<ContainerId>> unready_;  ///< reduces that still wait for inputs
  std::map<NodeId, EmuTime> reported_;              ///< time of the last report of each node
  std::map<PhaseId, Lengths> tasks_;                ///< times of completed tasks, from start to end
  std::map<PhaseId, Lengths> work_;  ///< times of completed reduces, from having inputs to end
  /// Time of the first start in a phase, and the sum of the times of its completed tasks in s.
  std::map<PhaseId, std::pair<EmuTime, double>> begun_;
  std::vector<Ended> completed_;
  // Data that reduces still have to move, for the cluster and by node. Number of maps without a
  // container, for the cluster and by job. All reduces must see the same sums in a step. Therefore,
  // after the features of one reduce were computed, later reports wait in reported_late_ until the
  // next step.
  EmuBytes backlog_;
  std::vector<EmuBytes> to_move_;
  std::int64_t queue_ = 0;
  std::unordered_map<JobId, std::int64_t> queues_;
  std::vector<ContainerId> reported_late_;
  /// Time until phases are complete, computed in this step. The time is the same for all reduces of
  /// a job.
  mutable std::map<PhaseId, double> phases_left_;
  mutable std::optional<EmuTime> counted_at_;
};

}  // namespace heddle
