#pragma once

#include <set>
#include <vector>

#include "bench/results.h"
#include "bench/scenarios.h"
#include "core/engine.h"

namespace heddle::bench {

/// Acts as the workers in `heddle bench policy`: makes the reports of nodes and takes in the
/// engine's answers. The nodes report one after the other, and each node reports once per heartbeat
/// period. The heartbeat of a node brings everything that has happened on the node since its last
/// report. The work of a container, or of one part of a stage, takes 1 to 9 heartbeats of its node.
/// The number is drawn from the seed. Therefore, one or two of the seven containers of a full node
/// end between two reports. Containers use half of the cores and four fifths of the memory that
/// they requested.
class PolicyFeed {
 public:
  /// Makes the feed. The scenario must outlive it.
  explicit PolicyFeed(const Scenario& scenario);

  /// Advances to the next node's heartbeat.
  void next();
  EmuTime now() const { return now_; }
  std::vector<Event> registrations() const;
  /// Returns the node's report. If `idle`, returns only the heartbeat, as if nothing had happened
  /// on the node. REQUIRES: next() was called since the last report.
  const std::vector<Event>& report(bool idle = false);
  void take_in(const Step& step);

  std::int64_t launched() const { return std::ssize(containers_); }
  std::int64_t ended() const { return ended_; }

 private:
  struct Running {
    NodeId node;
    Resources size;
    int left = 0;  ///< heartbeats until its work is done; 0: it has no work
    int done = 0;  ///< heartbeats of work done
    int part = 0;  ///< for an executor: number of its current part
    bool executor = false, started = false, waits = false, suspended = false;
    bool stops = false, resumes = false, finishes = false, killed = false;
  };
  void take_in(const Action& action);
  void start(const Launch& launch);
  /// Adds the container's events. Returns false if the container has ended.
  bool tell(ContainerId id);
  Event heartbeat() const;
  int draw_length(ContainerId id, int part) const;
  Running& at(ContainerId id) { return containers_[id.value]; }

  const Scenario& scenario_;
  std::int64_t beats_ = 0;
  EmuTime now_;
  NodeId node_;
  std::vector<Running> containers_;           ///< all containers so far
  std::vector<std::vector<ContainerId>> on_;  ///< live containers by node, ascending
  std::set<EmuTime> wakes_;
  std::vector<Event> events_;  ///< the last report, kept to reuse its memory
  std::int64_t ended_ = 0;
};

/// Returns whether the policy places executors in its own way. Such policies are also measured with
/// a second load, which has only executors.
bool has_executor_load(const PolicySpec& policy);

/// Feeds heartbeats (PolicyFeed) to the engine with the load's policy, in three stages. The first
/// stage lasts until the cluster is full. The second stage has the heartbeats that are measured.
/// The third stage has heartbeats from nodes on which nothing has happened. Submits jobs so that
/// about `pending` tasks wait.
///
/// Returns the row, without `scheduler`. `beat_us`, `decide_us` and `idle_us` are CPU times per
/// heartbeat. `decision_us` and `step_us` are wall times of single decisions and steps. Submissions
/// are separate steps. Their time counts only in placements_per_s.
wire::Json measure_policy(const PolicyLoad& load);

extern const BenchForm kPolicyForm;

/// Formats the results for people, with published rates of other systems.
std::string format_policy_results(const wire::Json& results);

}  // namespace heddle::bench
