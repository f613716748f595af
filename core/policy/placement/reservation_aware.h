#pragma once

#include "core/policy/placement/cluster_placement.h"
#include "core/policy/reduces/remaining_time.h"

namespace heddle {

extern const ExecutorPart kReservationAwarePart;

/// iKayak's executor placement. An executor is placed on the node with the most free resources. If
/// no node has room, a node is reserved. A node that will have room after its maps have ended is
/// preferred. If there is none, the node whose reduces end soonest is reserved.
class ReservationAware : public ClusterPlacement {
 public:
  /// The scenario must outlive the placement.
  ReservationAware(const Scenario& scenario, std::unique_ptr<RemainingTime> remaining);
  void observe(Draft& draft, std::span<const Event> events) override {
    remaining_->refresh(draft, events);
  }

 private:
  /// Returns the sum of what is free, what maps hold and what reduces hold.
  Resources most_room(const NodeLoad& load) const override;
  std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                  const Resources& total) const override;
  std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                     const Draft& draft) override;
  std::optional<Choice> better_than(NodeId held, const Request& request, const Nodes& candidates,
                                    const Draft& draft) override;
  std::optional<EmuTime> wait_on(NodeId node, const Request& request, const Draft& draft) override;

  /// Returns the open node that Algorithms 1 and 2 choose. Predicts remaining times only if the
  /// choice depends on them.
  std::optional<Chosen> choose_now(const Request& request, const Nodes& candidates,
                                   const Draft& draft);
  std::optional<Prospect> prospect_of(NodeId node, const Request& request, const Draft& draft);
  /// Predicts the remaining times of the node's reduces and sorts the reduces by them. Returns
  /// false if the node cannot have room before `sooner_than`. In this case, stops as soon as the
  /// predictions so far show that.
  bool predict(NodeLoad& load, const Resources& wanted, std::optional<EmuTime> sooner_than,
               const Draft& draft);
  std::string reason(const Chosen& chosen, const Resources& wanted) const;

  std::unique_ptr<RemainingTime> remaining_;
  double margin_;
};

}  // namespace heddle
