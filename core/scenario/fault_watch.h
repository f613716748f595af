#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/scenario/faults.h"

namespace heddle {

/// Tracks which of the scenario's faults have occurred, and which lost nodes are expected back.
/// Both drivers of the engine use it. Pure; emulated time is passed in.
class FaultWatch {
 public:
  /// `scenario` (emulation resolved) must outlive the object.
  explicit FaultWatch(const Scenario& scenario);

  /// Returns the next moment that is due, or nullptr if there is none. Each is returned once.
  const FaultMoment* take(EmuTime now);

  /// Returns the current conditions of the node; nullptr: no fault has changed them yet.
  const NodeConditions* conditions(NodeId node) const;

  /// Records the loss of the node now. Returns whether the node is expected back; if so, it is
  /// awaited.
  bool lost(NodeId node, EmuTime now);
  void back(NodeId node) { awaited_.erase(node); }
  /// Returns the awaited nodes that did not return in time. They are no longer awaited.
  std::vector<NodeId> take_missing(EmuTime now);
  bool awaits() const { return !awaited_.empty(); }

  /// Returns when take or take_missing next has something; nullopt: never.
  std::optional<EmuTime> next_time() const;

 private:
  const Scenario& scenario_;
  std::vector<FaultMoment> moments_;
  std::size_t next_ = 0;
  std::map<NodeId, NodeConditions> conditions_;
  std::map<NodeId, EmuTime> awaited_;  ///< awaited until this time
};

}  // namespace heddle
