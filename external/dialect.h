#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"
#include "core/policy/base/policy.h"
#include "core/policy/scheduler/ranked.h"

namespace heddle::external {

/// A container that has ended since the last request.
struct Ended {
  Container container;  ///< its last state
  Outcome outcome = Outcome::kCompleted;
  EmuTime at = {};  ///< when the container ended, as far as the engine knows
};

/// A request that may get no container now, by the rules of the policy's parts.
struct HeldBack {
  PhaseId phase;
  std::string_view by;             ///< the option that sets the rule
  std::vector<NodeId> nodes = {};  ///< only on these nodes; empty: everywhere
};

/// How much of a reply was left out, because the program adds too much to the journal.
struct LeftOut {
  std::int64_t notes = 0, actions = 0;
};

/// Collects the changes since the last request to the program.
struct News {
  std::vector<Event> events;         ///< those that the program wants, and refused actions
  std::set<JobId> jobs;              ///< whose requests, containers or state have changed
  std::set<NodeId> nodes;            ///< whose free resources, reservation or liveness have changed
  std::set<ContainerId> containers;  ///< launched, started, suspended or resumed; still alive
  std::vector<Ended> ended;          ///< in the order of the ends
  std::vector<Container> gone;  ///< of `events`, of which an earlier request said that they ended
  std::set<NodeId> offers;      ///< as View::offers
  std::vector<HeldBack> held_back;
  LeftOut left_out;    ///< of the last reply
  bool again = false;  ///< the request belongs to the last decision

  /// Returns whether there is nothing of which the program has to be told.
  bool nothing() const {
    return events.empty() && jobs.empty() && nodes.empty() && containers.empty() && ended.empty() &&
           offers.empty();
  }
};

/// An action of the program, and the time at which it is to take effect.
struct TimedAction {
  EmuTime at;
  Action action;
};

/// A reply of the program.
struct Reply {
  /// When the decision is complete. The program gets no other request before that time.
  EmuTime now;
  std::vector<TimedAction> actions;  ///< by their times; in the program's order if equal
  /// The order by which Heddle is to place containers after the actions; nullopt if there is none.
  std::optional<Ranking> ranking;
  std::vector<NodeId> offers;  ///< nodes that are to be filled by the ranking
  /// The program wants another request after the actions, before anything else happens.
  bool again = false;
  std::vector<PolicyNote> notes;
  LeftOut left_out;               ///< what shortened() has left out
  std::optional<double> took_us;  ///< real time of the decision, as the program measured it
  std::string recorded;           ///< the text for the journal: without real times
};

/// The protocol of a program that decides. A dialect writes the requests and reads the replies.
/// Pure: it opens no socket. The dialect can remember what it has told the program.
class Dialect {
 public:
  virtual ~Dialect() = default;
  /// Returns the first request, which is made before all others and tells the program what never
  /// changes.
  virtual std::string hello(const View& view) = 0;
  /// Returns whether the program is to get this event.
  virtual bool wants(const Event& event) const = 0;
  /// Returns whether the program has to decide after a step, although none of the step's events is
  /// wanted. `view` has what has changed in the step.
  virtual bool due(const View& view, std::span<const Event> events) const = 0;
  /// Returns whether a heartbeat of the node would lead to a request. The node is offered with the
  /// heartbeat, unless the view says that containers can be placed anywhere.
  virtual bool due_at(const View& view, NodeId node) const = 0;
  /// Returns the next request. `number` counts from 1.
  virtual std::string request(std::int64_t number, const View& view, const News& news) = 0;
  /// Returns the last message, which says that the run is over. Returns "" if there is none.
  virtual std::string farewell(EmuTime now, std::string_view status) = 0;
  /// Reads a reply without taking it in. `now` is the time of the request. Request 0 is the first.
  /// `replayed`: the reply was accepted in the run that is replayed, and the dialect has made no
  /// requests, so it does not know what the program knew. Errors (kAborted) name the wrong field.
  virtual Result<Reply> read(std::int64_t number, std::string_view text, EmuTime now,
                             bool replayed) const = 0;
  /// Returns whether the program decides as Heddle's own policies do: replies can have rankings,
  /// and a simulation asks after each step, not once after all that happens at a time.
  virtual bool ranks() const { return false; }
  /// Adds the nodes that were offered with the request to the reply, for the journal. A replay has
  /// no requests.
  virtual std::string with_offers(std::string_view recorded, const std::set<NodeId>&) const {
    return std::string(recorded);
  }
  /// Returns the reply with no more than `notes` notes and `actions` actions, and with a field that
  /// says how many were left out. Returns a reply that has no more without such a field.
  virtual std::string shortened(std::string_view recorded, std::size_t /*notes*/,
                                std::size_t /*actions*/) const {
    return std::string(recorded);
  }
  /// Returns whether the run ends if the engine refuses a launch of the program. If false, the
  /// program is told of the refusal.
  virtual bool must_carry_out() const { return false; }
  /// Adds actions that follow from the state alone, and not from a reply.
  virtual void add_actions(const View&, Decision&) const {}
  /// Takes in a reply that read() has accepted, before the next request is made.
  virtual void take(std::int64_t number, std::string_view text) = 0;
};

}  // namespace heddle::external
