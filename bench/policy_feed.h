#pragma once

#include <set>
#include <vector>

#include "bench/policy_scenario.h"
#include "core/engine.h"

namespace heddle::bench {

/// The workers of `heddle bench policy`: says what each node reports, and takes in what the engine
/// answers. Nodes report in turn, each once a heartbeat period; what has happened there since is
/// told with the heartbeat. A container's work takes some heartbeats of its node, 1 to 9 drawn
/// from the seed, a part of a stage too, so that of a full node's seven containers one or two end
/// between two reports. Half of the cores and four fifths of the memory that were asked for are
/// used.
class PolicyFeed {
 public:
  /// The scenario must outlive it.
  explicit PolicyFeed(const Scenario& scenario);

  /// Goes on to the next node's heartbeat.
  void next();
  EmuTime now() const { return now_; }
  std::vector<Event> registrations() const;
  /// What the node reports. REQUIRES: next() was called since the last one.
  const std::vector<Event>& report();
  /// The heartbeat alone, as of a node on which nothing has happened.
  const std::vector<Event>& idle_report();
  void take_in(const Step& step);

  std::int64_t launched() const { return std::ssize(containers_); }
  std::int64_t ended() const { return ended_; }

 private:
  struct Running {
    NodeId node;
    Resources size;
    int left = 0;  ///< heartbeats until its work is done; 0: it has none
    int done = 0;  ///< of its work
    int part = 0;  ///< an executor's
    bool executor = false, started = false, waits = false, suspended = false;
    bool stops = false, resumes = false, finishes = false, killed = false;
  };
  void take_in(const Action& action);
  void start(const Launch& launch);
  /// Adds what has happened to the container; false: it has ended.
  bool tell(ContainerId id);
  Event heartbeat() const;
  void tell_of_time();
  int draw_length(ContainerId id, int part) const;
  Running& at(ContainerId id) { return containers_[id.value]; }

  const Scenario& scenario_;
  std::int64_t beats_ = 0;
  EmuTime now_;
  NodeId node_;
  std::vector<Running> containers_;           ///< all there ever were
  std::vector<std::vector<ContainerId>> on_;  ///< alive, by node, ascending
  std::set<EmuTime> wakes_;
  std::vector<Event> events_;  ///< the last report, kept for its room
  std::int64_t ended_ = 0;
};

}  // namespace heddle::bench
