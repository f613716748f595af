#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/scenario/faults.h"

namespace heddle {

/// Tracks which of the scenario's faults have occurred, and which lost nodes are expected back.
/// Real runs and simulations both use this class. Pure: emulated time is passed in.
class FaultWatch {
 public:
  /// `scenario` (emulation resolved) must outlive the object.
  explicit FaultWatch(const Scenario& scenario);

  /// Returns the next moment that is due, or nullptr if no moment is due. Returns each moment once.
  const FaultMoment* take(EmuTime now);

  /// Returns the current conditions of the node, or nullptr if no fault has changed them yet.
  const NodeConditions* conditions(NodeId node) const;

  /// Records that the node is lost now. Returns whether the node is expected back. If so, the node
  /// is awaited.
  bool lost(NodeId node, EmuTime now);
  void back(NodeId node) { awaited_.erase(node); }
  /// Returns the awaited nodes that did not return in time. After the call, they are not awaited.
  std::vector<NodeId> take_missing(EmuTime now);
  bool awaits() const { return !awaited_.empty(); }

  /// Returns the next time at which take() or take_missing() returns something. Returns nullopt if
  /// there is no such time.
  std::optional<EmuTime> next_time() const {
    if (next_ == moments_.size() && awaited_.empty()) return std::nullopt;
    return next_of_all();
  }

 private:
  std::optional<EmuTime> next_of_all() const;

  const Scenario& scenario_;
  std::vector<FaultMoment> moments_;
  std::size_t next_ = 0;
  std::map<NodeId, NodeConditions> conditions_;
  std::map<NodeId, EmuTime> awaited_;  ///< awaited until this time
};

}  // namespace heddle
