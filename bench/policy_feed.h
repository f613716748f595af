#pragma once

#include <set>
#include <vector>

#include "bench/policy_scenario.h"
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
  /// Returns the node's report. REQUIRES: next() was called since the last report.
  const std::vector<Event>& report();
  /// Returns only the heartbeat, as if nothing had happened on the node.
  const std::vector<Event>& idle_report();
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
  void tell_of_time();
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

}  // namespace heddle::bench
