#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::master {

/// Decides which nodes take no tasks because their machines fail to start them, and when these are
/// probed. Pure; times are real.
///
/// - A node is drained once kInARow starts in a row have failed there.
/// - It is probed after a pause, which doubles with each failure. Once a probe works, it takes
/// tasks.
/// - Until a task has started there, one more failure drains it again and the pause goes on
/// growing.
class DrainWatch {
 public:
  static constexpr int kInARow = 3;
  static constexpr real::Duration kFirstPause = std::chrono::seconds(1);
  static constexpr real::Duration kLongestPause = std::chrono::seconds(60);
  /// A probe without an answer is sent again after this long.
  static constexpr real::Duration kAnswer = std::chrono::seconds(10);
  /// After so many failures since it was drained, nothing is expected of a node any more. It is
  /// probed all the same.
  static constexpr int kHopeless = 3;

  /// Takes note that the node's machine could not start a task. Returns true if the node is to be
  /// drained now.
  bool failed(NodeId node, const std::string& reason, real::Time now);
  /// Takes note that a task has started there.
  void started(NodeId node);
  /// Takes the answer to a probe: `reason` is "" if it worked. Returns true if the node is to take
  /// tasks now.
  bool probed(NodeId node, const std::string& reason, real::Time now);
  /// Drops what is known of the node, as its worker is gone or is another one.
  void forget(NodeId node) { nodes_.erase(node); }
  /// Takes over a node that the master before this one had drained: it is to be probed at once.
  void recover(NodeId node, const std::string& reason);

  /// Returns the nodes to probe now, ascending.
  std::vector<NodeId> take_due(real::Time now);
  /// When take_due has some; nullopt: never.
  std::optional<real::Time> next_time() const;

  /// Returns whether nothing is expected of any drained node; true if no node is drained.
  bool hopeless() const;
  /// Returns the drained nodes and why they are, ascending.
  std::map<NodeId, std::string> drained() const;

 private:
  struct Node {
    int in_a_row = 0;
    bool drained = false;
    int failures = 0;  ///< of probes, or of starts after one that worked
    std::string reason;
    real::Time probe_at;
  };
  static real::Duration pause_after(int failures);
  static void drain(Node& node, real::Time now);

  std::map<NodeId, Node> nodes_;  ///< those at which a start failed lately
};

}  // namespace heddle::master
