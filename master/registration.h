#pragma once

#include <set>
#include <string>

#include "master/live_parts.h"

namespace heddle::master {

/// The registration of workers: what they are told that come, who was refused, and who is missing.
class Registration {
 public:
  /// `now` is when the wait for workers begins.
  Registration(LiveParts& parts, real::Time now);

  /// Takes note of a hello: that the worker came, or why it was refused.
  void note(const wire::Hello& hello, const NodeLinks::Heard& heard, real::Time now);
  /// Returns when the wait for workers is over.
  real::Time limit() const;
  /// Returns the nodes that nobody came for, and what was said to who tried.
  std::string missing() const;

  void send_welcome(NodeId node);
  /// Tells the node's worker when to send its next heartbeat.
  void send_beat(NodeId node, real::Time now);
  /// Does the same for all live nodes.
  void send_beats(real::Time now);
  /// Notes in the journal who plays the nodes and how their clocks differ, if other hosts do.
  void record_workers(real::Time now);

 private:
  LiveParts& parts_;
  const Scenario& scenario_;
  NodeLinks& links_;
  std::set<NodeId> came_;  ///< nodes whose workers have come
  real::Time last_came_;   ///< when the last of these did, or the wait for workers began
  std::string refused_;    ///< the last worker that said hello in vain, and why
};

}  // namespace heddle::master
