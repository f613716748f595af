#pragma once

#include <memory>
#include <optional>
#include <string>

#include "external/allowance.h"
#include "external/dialect.h"

namespace heddle {
class PlacementLoop;
}

namespace heddle::external {

/// A policy whose decisions a program outside of Heddle makes. Pure, like every policy: the object
/// makes requests as text, and gets the replies as PolicyReplied events. If a request is due after
/// a step, the caller of the engine takes it, passes it to the program, and passes the reply to the
/// engine as an event. Replies are therefore in the journal, and a replay makes the same decisions
/// without the program.
///
/// A reply can have actions, or a ranking: the order in which requests get containers. Heddle
/// places by it as by the order of its own schedulers, under the same rules. As a ranking can
/// depend on what was launched, the program is asked for the next one after a launch.
///
/// There is at most one request without a reply. What happens in the meantime is collected for the
/// next request.
class ExternalPolicy : public Policy {
 public:
  /// `scenario` must outlive the policy.
  ExternalPolicy(const Scenario& scenario, std::unique_ptr<Dialect> dialect);

  Decision decide(const View& view, std::span<const Event> events) override;
  bool passes(const View& view, NodeId node) override;
  EmuTime passes_until() const override;

  std::vector<Obstacle> obstacles(const View& view, JobId job) const override;
  ~ExternalPolicy() override;

  struct Request {
    std::int64_t number = 0;
    EmuTime at;
    /// Nodes whose heartbeats led to the request. They have been answered already. Launches of the
    /// reply on these nodes do not wait for the next heartbeats.
    std::set<NodeId> offers;
    std::string text;
    bool again = false;  ///< the program has to rank again, or asked for another request
    /// Returns "request 3 at 12.5 s".
    std::string name() const;
  };
  /// Returns whether the program has to decide now.
  bool due(EmuTime now) const {
    return !waits_ && (requests_ == 0 || ((due_ || again_) && now >= busy_until_));
  }
  /// Returns whether the program has to decide before anything else happens, as Heddle's own
  /// policies do.
  bool due_at_once(EmuTime now) const { return dialect_->ranks() && due(now); }
  /// Returns the next request. `cluster` and `now`: the state and the time of the last step.
  /// REQUIRES: due(now).
  Request take_request(const ClusterState& cluster, EmuTime now);
  /// Reads the reply to the request. If the program adds too much to the journal, some of the reply
  /// is left out. Error (kAborted): the reply can't be read, and must not become an event.
  Result<Reply> check(const Request& request, std::string_view reply) const;
  /// Returns true if the program has given the same reply in both.
  bool same(std::string_view recorded, std::string_view other) const {
    return dialect_->with_offers(recorded, {}) == dialect_->with_offers(other, {});
  }
  /// Returns why the run can't go on; "" if it can.
  const std::string& failure() const { return failure_; }
  /// Returns the last messages to the program: what it has not been told of yet, and the end of the
  /// run. Their replies do not count.
  std::vector<std::string> farewell(const ClusterState& cluster, EmuTime now,
                                    std::string_view status);
  /// Notes that the program has made a decision that is not carried out, because a resumed run
  /// takes the recorded one. The program is told again of what its own decision concerns.
  void discard(const Reply& reply) {
    for (const TimedAction& each : reply.actions) note(each.action);
  }

 private:
  /// Adds what the step has changed to the news.
  void gather(const View& view, std::span<const Event> events);
  /// Finds the containers that were launched since the last call. `changes`: those of the step.
  void find_launched(const ClusterState& cluster, std::span<const ContainerChange> changes);
  void take_replies(const View& view, std::span<const Event> events, Decision& decision);
  /// Adds the actions whose time has come to the decision.
  void act(EmuTime now, Decision& decision);
  /// Places containers by the program's ranking if its time has come.
  void place(const View& view, std::span<const Event> events, Decision& decision);
  /// Takes in the ranking of a reply.
  void take_ranking(Reply& reply);
  /// Returns true if a ranking could lead to a container or a reservation on the node.
  bool could_place(const View& view, NodeId node) const;
  /// Asks the program also where nothing fits, if a ranking could reserve nodes there.
  void gather_reservable(const View& view, std::span<const Event> events);
  /// Returns the requests that may get no container now, or only on other nodes than `offers`.
  std::vector<HeldBack> held_back(const View& view, const std::set<NodeId>& offers) const;
  /// Notes which rules the program's own launches in the decision do not follow, each rule once.
  void note_broken_rules(const View& view, Decision& decision);
  /// Notes what an action of the program may have changed in the program's own picture.
  void note(const Action& action);

  const bool anywhere_;
  std::unique_ptr<Dialect> dialect_;
  /// Places by the program's order; null if the protocol has no orders.
  std::unique_ptr<PlacementLoop> placement_;
  Ranked* ranked_ = nullptr;  ///< the scheduler of `placement_`
  /// A ranking whose time may not have come, and the nodes to fill.
  struct Placing {
    EmuTime at;
    Ranking ranking;
    std::vector<NodeId> offers;
  };
  std::optional<Placing> placing_;
  bool ranks_ = false;         ///< the program has sent a ranking before
  bool again_ = false;         ///< the program has to rank again, or asked for another request
  std::set<NodeId> deciding_;  ///< the offers of this decision
  std::set<std::string_view> broken_;  ///< options whose rules the program did not follow
  News news_;
  Allowance notes_;     ///< bytes of notes
  Allowance refusals_;  ///< refused actions
  std::string failure_;
  std::set<NodeId> offered_;        ///< nodes that were offered and have not changed since
  std::int64_t requests_ = 0;       ///< made so far
  EmuTime last_request_{-1};        ///< when the last one was made
  int idle_requests_ = 0;           ///< the last ones, at the same time and without news
  bool waits_ = false;              ///< the last request has no reply yet
  bool due_ = false;                ///< the program has to decide
  EmuTime busy_until_;              ///< the program's last decision takes until then
  std::vector<TimedAction> later_;  ///< actions whose time has not come, by their times
  std::optional<EmuTime> wake_;     ///< the last wake that was asked for because of later_
  std::set<EmuTime> wakes_;         ///< times at which the program wants to decide
  ContainerId next_{0};             ///< containers with lower ids are known
};

}  // namespace heddle::external
