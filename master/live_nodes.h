#pragma once

#include <string>
#include <vector>

#include "common/run_status.h"
#include "master/drain_watch.h"
#include "master/live_parts.h"

namespace heddle::master {

/// Tracks which nodes of a real run take tasks: notes that nodes are lost, that their machines fail
/// to start tasks and that they work again, and says when no node is left.
class LiveNodes {
 public:
  explicit LiveNodes(LiveParts& parts);

  /// Adds the events for the loss of the node and of its containers.
  void lose(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  /// Adds the loss of nodes that were silent for too long, and notifies the workers of the others.
  void lose_silent(real::Time now, std::vector<Event>& events);
  /// Takes note that a task has started there.
  void started(NodeId node);
  /// Takes note that the node's machine could not start a task. Drains the node after too many such
  /// failures in a row (DrainWatch).
  void start_failed(NodeId node, const std::string& reason, real::Time now,
                    std::vector<Event>& events);
  /// Takes the answer to a probe: `reason` is "" if it worked.
  void probed(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  void send_probes(real::Time now);
  /// Returns when send_probes() has something to do; nullopt: never.
  std::optional<real::Time> next_probe() const { return drains_.next_time(); }
  /// Applies an event from the journal of a previous master, before the engine sees it.
  void recover(const Event& event);

  /// Returns whether no node takes tasks or is expected to, and no task runs any more.
  bool nothing_left() const;
  /// How and why a run ends when nothing is left.
  struct End {
    RunStatus status;
    std::string reason;
  };
  End end() const;

 private:
  /// Shows on the display what has happened to the node.
  void say(NodeId node, const std::string& what, EmuTime at);
  /// Returns whether the container's end is recorded but not yet seen by the engine.
  bool ended_unseen(ContainerId id) const;

  LiveParts& parts_;
  const Engine& engine_;
  DrainWatch drains_;
  bool started_any_ = false;  ///< a task has started at some time
};

}  // namespace heddle::master
