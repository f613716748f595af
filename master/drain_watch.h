#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::master {

/// Decides which nodes are drained, that is, get no tasks because their machines fail to start
/// tasks. Also decides when to probe these nodes. Pure. Times are real.
///
/// - A node is drained once kInARow starts in a row have failed there.
/// - A drained node is probed after a pause, and the pause doubles with each failure. After a
///   successful probe, the node gets tasks again.
/// - After a successful probe, the first failure drains the node again, and the pause continues to
///   grow. Once a task has run on the node, the node counts as healthy.
class DrainWatch {
 public:
  static constexpr int kInARow = 3;
  static constexpr real::Duration kFirstPause = std::chrono::seconds(1);
  static constexpr real::Duration kLongestPause = std::chrono::seconds(60);
  /// A probe that gets no answer is sent again after this time.
  static constexpr real::Duration kAnswer = std::chrono::seconds(10);
  /// A node is hopeless if it has failed this often since it was drained. The master still probes a
  /// hopeless node, but the run no longer waits for it.
  static constexpr int kHopeless = 3;

  /// Notes that the node's machine could not start a task. Returns true if the node must now be
  /// drained.
  bool failed(NodeId node, const std::string& reason, real::Time now);
  /// Notes that a task has run on the node.
  void ran(NodeId node);
  /// Takes the answer to a probe. `reason` says why the probe failed, and is "" if it succeeded.
  /// Returns true if the node gets tasks again from now on.
  bool probed(NodeId node, const std::string& reason, real::Time now);
  /// Forgets the node, because its worker is gone or has been replaced.
  void forget(NodeId node) { nodes_.erase(node); }
  /// Notes a node that the previous master had drained. The node is probed at once.
  void recover(NodeId node, const std::string& reason);

  /// Returns the nodes to probe now, ascending.
  std::vector<NodeId> take_due(real::Time now);
  /// Returns when take_due() has a node to return, or nullopt if no node is drained.
  std::optional<real::Time> next_time() const;

  /// Returns whether all drained nodes are hopeless. Returns true if no node is drained.
  bool hopeless() const;
  /// Returns the drained nodes in ascending order, and why each node was drained.
  std::map<NodeId, std::string> drained() const;

 private:
  struct Node {
    int in_a_row = 0;
    bool drained = false;
    int failures = 0;  ///< failed probes, and failed starts after a successful probe
    std::string reason;
    real::Time probe_at;
  };
  static real::Duration pause_after(int failures);
  static void drain(Node& node, real::Time now);

  std::map<NodeId, Node> nodes_;  ///< nodes where a start failed recently
};

}  // namespace heddle::master
