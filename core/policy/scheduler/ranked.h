#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/policy/base/scheduler.h"

namespace heddle {

/// A request in the order of a program, and the nodes that its containers go to first.
struct Rank {
  PhaseId phase;
  std::vector<NodeId> nodes = {};  ///< best first; may be empty
};

/// The order in which a program outside of Heddle wants requests to get containers.
struct Ranking {
  std::vector<Rank> ranks;  ///< the other requests get nothing
  std::string reason;       ///< of the launches
  /// True if the order stays the same after a launch. Otherwise it is good for one launch, because
  /// it can depend on what jobs hold.
  bool fixed = false;
};

/// The scheduler of an external policy (external/external_policy.h). It has a program's order.
/// Everything else is decided as for Heddle's own schedulers. The scheduler pauses if it has no
/// order: at first, and after a launch by an order that is not fixed.
class Ranked : public Scheduler {
 public:
  void open(Ranking ranking) {
    ranking_ = std::move(ranking);
    paused_ = false;
  }
  void pause() { paused_ = true; }

  bool paused() const override { return paused_; }
  void refresh(Draft&) override {}
  /// If the scheduler pauses, also visits requests that the last order does not have, because the
  /// next order can have them.
  void in_order(const Round& round, const Visit& visit) override;
  std::string reason(const Request&) const override { return ranking_.reason; }
  void launched(const Draft&, const Request&) override { paused_ = paused_ || !ranking_.fixed; }
  bool prefers_nodes() const override {
    return std::ranges::any_of(ranking_.ranks,
                               [](const Rank& rank) { return !rank.nodes.empty(); });
  }
  std::span<const NodeId> preferred(const Request& request) const override;
  EmuTime passes_until() const override { return kNever; }

 private:
  Ranking ranking_;
  bool paused_ = true;
};

}  // namespace heddle
