#pragma once

#include "core/policy/placement/executor_placement.h"

namespace heddle {

/// iKayak's executor placement: where the most is free, else a node is reserved that will have room
/// when its maps have ended, else one whose reduces are about to.
///
/// Source: Cheng et al., "Cross-platform Resource Scheduling for Spark and MapReduce on YARN", IEEE
/// TC 2017, Algorithms 1 and 2. Parameters: control_interval, replace_margin (a placed reservation
/// moves), and whatever predicts remaining times.
/// Good at: executors that are much larger than tasks, on a busy cluster with few long reduces.
/// Bad at: where executors hold the nodes, nothing is known of when they end, and nothing is
/// reserved; maps that are long.
class ReservationAware : public ExecutorPlacement {
 public:
  /// Both must outlive it.
  ReservationAware(const Scenario& scenario, const RemainingTime& remaining);

 private:
  /// What is free, held by maps and held by reduces.
  Resources most_room(const NodeLoad& load) const override;
  std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                  const Resources& total) const override;
  std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                     const Draft& draft) override;
  std::optional<Choice> better_than(NodeId held, const Request& request, const Nodes& candidates,
                                    const Draft& draft) override;
  std::optional<EmuTime> wait_on(NodeId node, const Request& request, const Draft& draft) override;

  /// The open node that Algorithms 1 and 2 choose, remaining times being asked for where they
  /// matter.
  std::optional<Chosen> choose_now(const Request& request, const Nodes& candidates,
                                   const Draft& draft);
  std::optional<Prospect> prospect_of(NodeId node, const Request& request, const Draft& draft);
  /// Brings the node's reduces into the order of remaining time. False: it can't have room before
  /// `sooner_than`, which a few of them may be enough to see.
  bool predict(NodeLoad& load, const Resources& wanted, std::optional<EmuTime> sooner_than,
               const Draft& draft);
  std::string reason(const Chosen& chosen, const Resources& wanted) const;

  const RemainingTime& remaining_;
  double margin_;
};

}  // namespace heddle
