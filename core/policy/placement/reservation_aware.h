#pragma once

#include "core/policy/placement/cluster_placement.h"
#include "core/policy/reduces/remaining_time.h"

namespace heddle {

extern const ExecutorPart kReservationAwarePart;

/// iKayak's executor placement. An executor goes to the node with the most free. If none has room,
/// a node is reserved: one that will have room when its maps have ended, else one whose reduces end
/// soonest.
class ReservationAware : public ClusterPlacement {
 public:
  /// The scenario must outlive the placement.
  ReservationAware(const Scenario& scenario, std::unique_ptr<RemainingTime> remaining);
  void observe(Draft& draft, std::span<const Event> events) override {
    remaining_->refresh(draft, events);
  }

 private:
  /// Returns the sum of what is free, held by maps and held by reduces.
  Resources most_room(const NodeLoad& load) const override;
  std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                  const Resources& total) const override;
  std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                     const Draft& draft) override;
  std::optional<Choice> better_than(NodeId held, const Request& request, const Nodes& candidates,
                                    const Draft& draft) override;
  std::optional<EmuTime> wait_on(NodeId node, const Request& request, const Draft& draft) override;

  /// Returns the open node that Algorithms 1 and 2 choose. Asks for remaining times only if they
  /// matter.
  std::optional<Chosen> choose_now(const Request& request, const Nodes& candidates,
                                   const Draft& draft);
  std::optional<Prospect> prospect_of(NodeId node, const Request& request, const Draft& draft);
  /// Sorts the node's reduces by remaining time. Returns false if the node can't have room before
  /// `sooner_than`; the predictions of a few reduces may be enough to see that.
  bool predict(NodeLoad& load, const Resources& wanted, std::optional<EmuTime> sooner_than,
               const Draft& draft);
  std::string reason(const Chosen& chosen, const Resources& wanted) const;

  std::unique_ptr<RemainingTime> remaining_;
  double margin_;
};

}  // namespace heddle
