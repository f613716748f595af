#pragma once

#include <set>
#include <string>

#include "master/live_parts.h"

namespace heddle::master {

/// Registers workers: sends them what they need to know, and notes who was refused and who is
/// missing.
class Registration {
 public:
  /// `now` is when the wait for workers begins.
  Registration(LiveParts& parts, real::Time now);

  /// Notes a hello: that the worker came, or why it was refused.
  void note(const wire::Hello& hello, const NodeLinks::Heard& heard, real::Time now);
  /// Returns when the wait for workers ends.
  real::Time limit() const;
  /// Returns a text with the nodes for which no worker came, and the last refusal.
  std::string missing() const;

  void send_welcome(NodeId node);
  /// Tells the node's worker when to send its next heartbeat.
  void send_beat(NodeId node, real::Time now);
  /// Does the same for all live nodes.
  void send_beats(real::Time now);
  /// Records in the journal which nodes are played by workers on other hosts, and their clock
  /// offsets. Does nothing if there are none.
  void record_workers(real::Time now);

 private:
  LiveParts& parts_;
  const Scenario& scenario_;
  NodeLinks& links_;
  std::set<NodeId> came_;  ///< nodes whose workers have come
  real::Time last_came_;   ///< when the latest of these came, or when the wait began
  std::string refused_;    ///< the last refused worker, and why
};

}  // namespace heddle::master
