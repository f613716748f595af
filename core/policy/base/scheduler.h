#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/policy/base/part.h"
#include "core/policy/base/round.h"

namespace heddle {

/// Decides which request is next: an order over requests, and one part of a policy (policies are
/// compositions). A scheduler keeps its order from step to step: refresh() takes in what changed
/// since the last step, launched() what the current draft has launched.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Takes in what changed since the last step (changed_jobs and container_changes of
  /// draft.view()). Called before anything else, with an empty draft. Decides nothing, but may ask
  /// the draft to wake, to remember, or to note.
  virtual void refresh(Draft& draft) = 0;

  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&)>;
  /// Calls `visit` with each request that may have a container now, in the scheduler's order, until
  /// `visit` returns false. After a launch, the caller starts a new round. The scheduler may leave
  /// out requests that are not useful in the round (Round::useful) and requests that have nothing
  /// pending in the draft. Of the round, the scheduler remembers only the last visit, for reason()
  /// and launched(). Therefore a caller can also visit requests without launching any.
  virtual void in_order(const Round& round, const Visit& visit) = 0;
  /// Returns why the request that was just visited goes there now, in a few words. This is the
  /// reason of its launch.
  virtual std::string reason(const Request&) const { return "fits"; }
  /// Takes in that the draft has launched one container of the request.
  virtual void launched(const Draft& draft, const Request& request) = 0;

  /// Returns true if each node has a different order of requests. A round over all nodes then does
  /// not show the order in which requests are placed.
  virtual bool by_node() const { return false; }
  /// Returns the scheduler's own limit (a queue's, a user's) that keeps the request from a
  /// container now; nullopt if none does.
  virtual std::optional<obstacle::Limit> limit(const Draft&, const Request&) const {
    return std::nullopt;
  }
  bool allows(const Draft& draft, const Request& request) const { return !limit(draft, request); }
  /// Kills containers for requests that have waited too long. `may_have` returns true if no limit,
  /// of the scheduler or of another part, keeps a request from a container. Returns the nodes on
  /// which something can be placed at once because a reservation is no longer in the way.
  virtual std::vector<NodeId> preempt(Draft&, const Visit& /*may_have*/) { return {}; }
  /// Returns the request that is to have a container on the node now, in room that was made and
  /// withheld there for its queue; nullptr if there is none. The room is given back, so the caller
  /// has to launch the container at once.
  virtual const Request* claim(NodeId, Draft&, const Visit& /*may_have*/) { return nullptr; }
  /// Returns whether room that was made for the request's queue is still to come, so that the
  /// request must not reserve a node.
  virtual bool expects_room(const Request&) const { return false; }
  /// Returns true if the placement stops at the first request that cannot get what it asks for.
  virtual bool strict() const { return false; }
  /// Returns true if refresh and preempt do nothing at that time as long as nothing changes. False
  /// is always right.
  virtual bool passes(EmuTime /*now*/) const { return false; }
};

using SchedulerPart = Part<Scheduler>;

}  // namespace heddle
