#pragma once

#include <string>
#include <vector>

#include "common/run_status.h"
#include "master/drain_watch.h"
#include "master/live_parts.h"

namespace heddle::master {

/// Tracks which nodes of a real run can take tasks. Notes when a node is lost, when its machine
/// fails to start tasks, and when the machine works again. Also decides whether any node is left.
class LiveNodes {
 public:
  explicit LiveNodes(LiveParts& parts);

  /// Adds an event for the loss of the node, and one for the loss of each of its containers.
  void lose(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  /// Adds the events for the loss of nodes that were silent for too long, and notifies the workers
  /// of all other nodes.
  void lose_silent(real::Time now, std::vector<Event>& events);
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
  /// Returns when send_probes() has something to do, or nullopt if no node is drained.
  std::optional<real::Time> next_probe() const { return drains_.next_time(); }
  /// Notes an event from the journal of a previous master. Call recover() before the engine handles
  /// the event.
  void recover(const Event& event);

  /// Returns true if no task runs any more, and no node takes tasks or is expected to take tasks
  /// later.
  bool nothing_left() const;
  /// How and why a run ends after nothing_left() has returned true.
  struct End {
    RunStatus status;
    std::string reason;
  };
  End end() const;

 private:
  /// Returns whether the container's end is recorded but not yet seen by the engine.
  bool ended_unseen(ContainerId id) const;

  LiveParts& parts_;
  const Engine& engine_;
  DrainWatch drains_;
  bool ran_any_ = false;  ///< any task has run in this run
};

}  // namespace heddle::master
