#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/scenario/faults.h"

namespace heddle {

/// How far a run has come with its scenario's faults, and which lost nodes it waits for. Both
/// drivers of the engine have one. Pure; emulated time is passed in.
class FaultWatch {
 public:
  /// `scenario` (emulation resolved) must outlive it.
  explicit FaultWatch(const Scenario& scenario);

  /// The next moment that is due, nullptr if there is none; each is given once.
  const FaultMoment* take(EmuTime now);

  /// What holds on the node now; nullptr: nothing was ever said.
  const NodeConditions* conditions(NodeId node) const;

  /// True if the node, lost now, is expected back. Then it is waited for.
  bool lost(NodeId node, EmuTime now);
  void back(NodeId node) { awaited_.erase(node); }
  /// Nodes that have not come in time: they are waited for no more.
  std::vector<NodeId> take_missing(EmuTime now);
  bool awaits() const { return !awaited_.empty(); }

  /// When take or take_missing has something; nullopt: never.
  std::optional<EmuTime> next_time() const;

 private:
  const Scenario& scenario_;
  std::vector<FaultMoment> moments_;
  std::size_t next_ = 0;
  std::map<NodeId, NodeConditions> conditions_;
  std::map<NodeId, EmuTime> awaited_;  ///< until then
};

}  // namespace heddle
