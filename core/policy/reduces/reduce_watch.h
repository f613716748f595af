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

/// Features of a reduce that can be observed from outside: from heartbeats, starts and ends, and
/// sizes of map outputs. Sizes are in MiB, times in emulated seconds; all are finite and, except
/// for the selectivity, not negative.
struct ReduceSigns {
  bool works = false;      ///< the reduce has all its inputs
  double maps_s = 0;       ///< time until all maps before it are complete, extrapolated
  double work_s = 0;       ///< time of its own work that is left, extrapolated (see ReduceWatch)
  double progress = 0;     ///< 0..1, as of the last report
  double input = 0;        ///< size of what it reads, estimated from the maps that are complete
  double to_fetch = 0;     ///< part of the input not read yet; 0 once it works
  double written = 0;      ///< size moved beyond its input
  double speed = 0;        ///< cores it has times its node's speed; 0 while it is suspended
  double full_speed = 0;   ///< the speed if it were not suspended
  double backlog = 0;      ///< size that all started reduces have yet to move, per live node
  double beside = 0;       ///< size that the other reduces on its node have yet to move
  double queue = 0;        ///< maps of all jobs that nobody runs yet, per live node
  double selectivity = 0;  ///< log10 of (what a map hands over / what it reads), -4 to 2

  /// Returns the naive prediction: the plain extrapolation of what was observed.
  double left_s() const { return maps_s + work_s; }
};

/// The regressors of a reduce's remaining time at one time, and the premise, which says which rules
/// apply: docs/reference/policies.md, "Remaining times".
struct Regressors {
  Eigen::VectorXd premise, x;
};
/// Returns the regressors. `before`: the features at the report before. Source: NARX, y and u
/// lagged once, and the data.
Regressors regressors(const ReduceSigns& now, const ReduceSigns& before);
/// Return the names in that order, as a model's file has them.
const std::vector<std::string>& premise_names();
const std::vector<std::string>& regressor_names();

/// An observation of a reduce at a report.
struct Observation {
  EmuTime at;
  ReduceSigns signs;
  Regressors regressors;
};

/// Follows reduces by what heartbeats measure. A heartbeat is taken as a report of its node's
/// reduces if kReportEvery has passed since the report before. Other heartbeats are not looked at,
/// so that few have to be remembered.
///
/// For maps, the extrapolation assumes that each map of the phase takes as long as the complete
/// ones did on average, and that as many run at a time as now. The work left of a reduce is (1 -
/// progress) / rate, with the rate since it had its inputs, without suspensions. Before there is
/// any progress, it is what reduces of the phase have needed on average from there on.
class ReduceWatch {
 public:
  static constexpr EmuTime kReportEvery = emu_seconds(5);

  /// `keep`: whether observations are kept until the reduce has ended.
  ReduceWatch(const Scenario& scenario, bool keep)
      : scenario_(scenario), keep_(keep), to_move_(scenario.cluster.nodes.size()) {}

  /// Takes in a step. Returns true if a heartbeat was taken as a report; a replay then needs it
  /// too.
  bool refresh(const View& view, std::span<const Event> events);
  /// A reduce that completed in the last refresh, its end, and the observations that were kept, in
  /// order.
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
  /// Returns when the reduce was last measured.
  EmuTime reported(ContainerId reduce) const;
  /// Returns for how long the reduce has had all its inputs, without suspensions; nullopt if some
  /// are still missing.
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
    std::optional<double> input;  ///< as of the last report; fixed once the reduce works
    std::optional<ReduceSigns> last, before;  ///< at the last report and the one before
    EmuTime last_at;
    std::vector<Observation> observations;

    EmuBytes to_move;  ///< the amount that is in the sums

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
  std::map<JobId, std::set<ContainerId>> unready_;       ///< reduces that don't work yet
  std::map<NodeId, EmuTime> reported_;                   ///< when the node's last report was taken
  std::map<PhaseId, Lengths> tasks_;                     ///< completed tasks, start to end
  std::map<PhaseId, Lengths> work_;                      ///< completed reduces, from inputs to end
  std::map<PhaseId, std::pair<EmuTime, double>> begun_;  ///< first start, and seconds of tasks
  std::vector<Ended> completed_;
  // Data that reduces have yet to move, in all and by node, and maps that nobody runs yet, in all
  // and by job. All reduces see the same sums in a step: once the features of one were computed,
  // reports wait in reported_late_ for the next step.
  EmuBytes backlog_;
  std::vector<EmuBytes> to_move_;
  std::int64_t queue_ = 0;
  std::unordered_map<JobId, std::int64_t> queues_;
  std::vector<ContainerId> reported_late_;
  /// Time left of phases in this step, which is the same for all reduces of a job.
  mutable std::map<PhaseId, double> phases_left_;
  mutable std::optional<EmuTime> counted_at_;
};

}  // namespace heddle
