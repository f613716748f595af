#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::master {

/// Decides which nodes take no tasks because their machines fail to start them, and when to probe
/// these nodes. Pure; times are real.
///
/// - A node is drained once kInARow starts in a row have failed there.
/// - A drained node is probed after a pause, which doubles with each failure. Once a probe works,
///   the node takes tasks.
/// - Until a task has started there, one more failure drains the node again, and the pause keeps
///   growing.
class DrainWatch {
 public:
  static constexpr int kInARow = 3;
  static constexpr real::Duration kFirstPause = std::chrono::seconds(1);
  static constexpr real::Duration kLongestPause = std::chrono::seconds(60);
  /// A probe without an answer is sent again after this long.
  static constexpr real::Duration kAnswer = std::chrono::seconds(10);
  /// A node that has failed this often since it was drained is hopeless: the run does not wait for
  /// it any more, but it is still probed.
  static constexpr int kHopeless = 3;

  /// Takes note that the node's machine could not start a task. Returns true if the node is to be
  /// drained now.
  bool failed(NodeId node, const std::string& reason, real::Time now);
  /// Takes note that a task has started there.
  void started(NodeId node);
  /// Takes the answer to a probe: `reason` is "" if it worked. Returns true if the node is to take
  /// tasks now.
  bool probed(NodeId node, const std::string& reason, real::Time now);
  /// Forgets the node, because its worker is gone or has been replaced.
  void forget(NodeId node) { nodes_.erase(node); }
  /// Takes over a node that the previous master had drained. The node is probed at once.
  void recover(NodeId node, const std::string& reason);

  /// Returns the nodes to probe now, ascending.
  std::vector<NodeId> take_due(real::Time now);
  /// Returns when take_due() has a node to return; nullopt: never.
  std::optional<real::Time> next_time() const;

  /// Returns whether all drained nodes are hopeless; true if no node is drained.
  bool hopeless() const;
  /// Returns the drained nodes and why they are, ascending.
  std::map<NodeId, std::string> drained() const;

 private:
  struct Node {
    int in_a_row = 0;
    bool drained = false;
    int failures = 0;  ///< of probes, or of starts after a probe that worked
    std::string reason;
    real::Time probe_at;
  };
  static real::Duration pause_after(int failures);
  static void drain(Node& node, real::Time now);

  std::map<NodeId, Node> nodes_;  ///< nodes where a start failed recently
};

}  // namespace heddle::master
