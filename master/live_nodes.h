#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/run_status.h"
#include "core/scenario/fault_watch.h"
#include "core/state/cluster_state.h"
#include "master/drain_watch.h"
#include "master/live_clock.h"
#include "master/node_links.h"
#include "master/outbox.h"
#include "master/run_life.h"

namespace heddle::master {

/// Tracks which nodes of a real run can take tasks. Notes when a node is lost, when its machine
/// fails to start tasks, and when the machine works again. Also decides whether any node is left.
class LiveNodes {
 public:
  /// All references must outlive the object. `cluster`: the state of the engine.
  LiveNodes(const Scenario& scenario, const ClusterState& cluster, const RunLife& life,
            const LiveClock& clock, FaultWatch& faults, NodeLinks& links, Outbox& outbox);

  /// Adds an event for the loss of the node, and one for the loss of each of its containers.
  void lose(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  /// Adds the events for the loss of nodes that were silent for too long, and notifies the workers
  /// of all other nodes. If no worker comes back (FaultWatch::expects_none), all nodes are lost.
  void lose_silent(real::Time now, std::vector<Event>& events);
  /// Adds the event for a node that has a worker again, and no longer awaits the node.
  void back(NodeId node, EmuTime at, std::vector<Event>& events);
  /// Notes that a task has run on the node. A process that ends without being able to run its task
  /// does not count.
  void ran(NodeId node);
  /// Notes that the node's machine could not start a task. Drains the node after too many such
  /// failures in a row (DrainWatch).
  void start_failed(NodeId node, const std::string& reason, real::Time now,
                    std::vector<Event>& events);
  /// Takes the answer to a probe. `reason` says why the probe failed, and is "" if it succeeded.
  void probed(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  void send_probes(real::Time now);
  /// Returns whether a drained node is expected to take tasks again.
  bool expects_restored() const { return !drains_.hopeless(); }
  /// Returns when send_probes() has something to do, or nullopt if no node is drained.
  std::optional<real::Time> next_probe() const { return drains_.next_time(); }
  /// Notes an event from the journal of a previous master. Call recover() before the engine handles
  /// the event.
  void recover(const Event& event);
  /// Notes events that a previous master recorded while it left, and that the engine sees after the
  /// recovery.
  void recover_unseen(const std::vector<Event>& events);

  /// Returns true if no task runs any more, and no node takes tasks or is expected to take tasks
  /// later (FaultWatch::awaits). If the run only waits for workers from now on, makes a notice.
  bool nothing_left(real::Time now);
  /// Returns a sentence for the user when the run has begun to wait for workers, once; else "".
  std::string take_notice() { return std::exchange(notice_, {}); }
  /// How and why a run ends after nothing_left() has returned true.
  struct End {
    RunStatus status;
    std::string reason;
  };
  End end() const;

 private:
  /// Adds the events for the loss of all nodes, because their workers have ended.
  void lose_all(real::Time now, std::vector<Event>& events);
  bool runs_task() const;

  const Scenario& scenario_;
  const ClusterState& cluster_;
  const RunLife& life_;
  const LiveClock& clock_;
  FaultWatch& faults_;
  NodeLinks& links_;
  Outbox& outbox_;
  DrainWatch drains_;
  bool ran_any_ = false;  ///< any task has run in this run
  /// How long the run waits, if no node is left and workers are expected to come back.
  std::optional<real::Duration> wait_;
  std::string notice_;
  /// Containers whose end a previous master recorded while it left.
  std::set<ContainerId> ended_unseen_;
};

}  // namespace heddle::master
