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

/// What can be told of a reduce from outside: heartbeats, starts and ends, sizes of map outputs.
/// Sizes in MiB, times in emulated seconds; all finite and not negative but for the selectivity.
struct ReduceSigns {
  bool works = false;      ///< it has all its inputs
  double maps_s = 0;       ///< until the maps before it are all complete, extrapolated
  double work_s = 0;       ///< of its own work, extrapolated (see ReduceWatch)
  double progress = 0;     ///< 0..1, as of the last report
  double input = 0;        ///< that it reads, estimated from the maps that are complete
  double to_fetch = 0;     ///< of that not read yet; 0 once it works
  double written = 0;      ///< moved beyond its input
  double speed = 0;        ///< cores it has times its node's speed; 0 while it is suspended
  double full_speed = 0;   ///< were it not suspended
  double backlog = 0;      ///< that all started reduces have yet to move, per live node
  double beside = 0;       ///< of that, what the other reduces on its node have
  double queue = 0;        ///< maps of all jobs that nobody runs yet, per live node
  double selectivity = 0;  ///< log10 of what a map hands over per what it reads, -4 to 2

  /// Plain extrapolation of what was observed: the naive prediction.
  double left_s() const { return maps_s + work_s; }
};

/// The regressors of a reduce's remaining time at a time, and what says which rules apply:
/// docs/policies.md, "Remaining times".
struct Regressors {
  Eigen::VectorXd premise, x;
};
/// `before`: as of the report before. Source: NARX, y and u lagged once, and the data.
Regressors regressors(const ReduceSigns& now, const ReduceSigns& before);
/// Their names in that order, as a model's file has them.
const std::vector<std::string>& premise_names();
const std::vector<std::string>& regressor_names();

/// Something seen of a reduce at a report.
struct Observation {
  EmuTime at;
  ReduceSigns signs;
  Regressors regressors;
};

/// Follows reduces by what is measured of them. A heartbeat is taken as a report of its node's
/// reduces if kReportEvery has passed since the one before; others are not looked at, so that few
/// have to be remembered.
///
/// What is extrapolated: of maps, that each of the phase takes as long as those that are complete
/// did on average, and as many run at a time as now; of a reduce's work, (1 - progress) / rate, the
/// rate being that since it had its inputs, suspensions not counted, and before there is any
/// progress what reduces of its phase have needed on average from there on.
class ReduceWatch {
 public:
  static constexpr EmuTime kReportEvery = emu_seconds(5);

  /// `keep`: observations are kept until the reduce has ended.
  ReduceWatch(const Scenario& scenario, bool keep)
      : scenario_(scenario), keep_(keep), to_move_(scenario.cluster.nodes.size()) {}

  /// Takes a step in; true if a heartbeat was taken as a report, which a replay then needs too.
  bool refresh(const View& view, std::span<const Event> events);
  /// Of reduces that completed in the last refresh: what was kept of each, in order, and the end.
  struct Ended {
    Container container;
    EmuTime at;
    std::vector<Observation> observations;
  };
  const std::vector<Ended>& completed() const { return completed_; }
  /// Of a live container of a reduce phase, now.
  ReduceSigns signs(const Container& reduce, const ClusterState& cluster, EmuTime now) const;
  Regressors regressors_of(const Container& reduce, const ClusterState& cluster, EmuTime now) const;
  /// Live reduces that have started, ascending.
  std::vector<ContainerId> reduces() const;
  /// When it was last measured.
  EmuTime reported(ContainerId reduce) const;
  /// Since when it has all its inputs, time in which it was suspended left out; nullopt: not yet.
  std::optional<EmuTime> worked(ContainerId reduce, EmuTime now) const;

 private:
  struct Watched {
    JobId job;
    NodeId node;
    std::optional<EmuTime> works_since;
    EmuTime suspended;  ///< since then, suspensions that are over
    std::optional<EmuTime> suspended_since;
    double progress = 0;
    EmuBytes moved;
    EmuTime reported;
    std::optional<double> input;  ///< as of the last report, or since all maps are complete
    std::optional<ReduceSigns> last, before;  ///< at the last two reports
    EmuTime last_at;
    std::vector<Observation> observations;

    EmuBytes to_move;  ///< that is in the sums

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
  std::map<JobId, std::set<ContainerId>> unready_;       ///< those that don't work yet
  std::map<NodeId, EmuTime> reported_;                   ///< when the node's last report was taken
  std::map<PhaseId, Lengths> tasks_;                     ///< completed tasks, start to end
  std::map<PhaseId, Lengths> work_;                      ///< completed reduces, from inputs to end
  std::map<PhaseId, std::pair<EmuTime, double>> begun_;  ///< first start, and seconds of tasks
  std::vector<Ended> completed_;
  // What reduces have yet to move, of all and by node, and maps that nobody runs yet, of all and by
  // job. All reduces are told the same in a step, so reports wait once one has been told.
  EmuBytes backlog_;
  std::vector<EmuBytes> to_move_;
  std::int64_t queue_ = 0;
  std::unordered_map<JobId, std::int64_t> queues_;
  std::vector<ContainerId> reported_late_;
  /// Of this step: the same for all reduces of a job.
  mutable std::map<PhaseId, double> phases_left_;
  mutable std::optional<EmuTime> counted_at_;
};

}  // namespace heddle
