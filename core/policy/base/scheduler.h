#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/policy/base/part.h"
#include "core/policy/base/round.h"

namespace heddle {

/// Decides which request is next. A scheduler is the part of a policy that defines the order of
/// requests. It keeps this order from step to step. refresh() takes in what changed since the last
/// step, and launched() takes in what the current draft has launched.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Takes in what changed since the last step (changed_jobs and container_changes of
  /// draft.view()). Called before all other functions, with an empty draft. Makes no decisions, but
  /// can call the draft's wake_at(), remember() and note().
  virtual void refresh(Draft& draft) = 0;

  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&)>;
  /// Calls `visit` with each request that is allowed to get a container now, in the scheduler's
  /// order, until `visit` returns false. After a launch, the caller starts a new round. The
  /// scheduler can leave out requests that are not useful in the round (Round::useful) and requests
  /// that have nothing pending in the draft. The scheduler remembers only the last visit of a
  /// round, for reason() and launched(). Therefore a caller can also visit requests without
  /// launching any.
  virtual void in_order(const Round& round, const Visit& visit) = 0;
  /// Returns in a few words why the request of the last visit is next. The launch gets this text as
  /// its reason.
  virtual std::string reason(const Request&) const { return "fits"; }
  /// Takes in that the draft has launched one container of the request.
  virtual void launched(const Draft& draft, const Request& request) = 0;

  /// Returns true if each node has a different order of requests. A round over all nodes then does
  /// not show the order in which requests are placed.
  virtual bool by_node() const { return false; }
  /// Returns the limit of the scheduler that keeps the request from a container now, for example a
  /// limit of its queue or user. Returns nullopt if there is none.
  virtual std::optional<obstacle::Limit> limit(const Draft&, const Request&) const {
    return std::nullopt;
  }
  bool allows(const Draft& draft, const Request& request) const { return !limit(draft, request); }
  /// Kills containers for requests that have waited too long. `may_have` returns true if no limit
  /// of the scheduler or of another part keeps a request from a container. Returns the nodes where
  /// a reservation was removed, so that something can be placed there at once.
  virtual std::vector<NodeId> preempt(Draft&, const Visit& /*may_have*/) { return {}; }
  /// Returns the request that gets the room which preemption has made on the node for the request's
  /// queue. Returns nullptr if there is none. The room is no longer withheld after the call, so the
  /// caller must launch the container at once.
  virtual const Request* claim(NodeId, Draft&, const Visit& /*may_have*/) { return nullptr; }
  /// Returns true if preemption has made room for the request's queue and the room is not used yet.
  /// The request must not reserve a node then.
  virtual bool expects_room(const Request&) const { return false; }
  /// Launches gangs on nodes of the scheduler's choice, and returns them. Called once per step,
  /// after all other requests had their turn. A scheduler that does so leaves gangs out of
  /// in_order().
  virtual std::vector<const Request*> place_gangs(Draft&) { return {}; }
  /// Returns what a scheduler that places gangs plans for the request. Returns nullopt if it does
  /// not place the request.
  virtual std::optional<obstacle::Backfill> planned(const Draft&, const Request&) const {
    return std::nullopt;
  }
  /// Returns true if placement stops at the first request that cannot get what it requests.
  virtual bool strict() const { return false; }
  /// Returns true if refresh and preempt do nothing at that time if nothing has changed. Returning
  /// false is always correct.
  virtual bool passes(EmuTime /*now*/) const { return false; }
};

using SchedulerPart = Part<Scheduler>;

}  // namespace heddle
