#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/policy/base/part.h"
#include "core/policy/base/round.h"

namespace heddle {

/// Which request next: an order over requests, one part of a policy (policies are compositions).
/// It keeps its order from step to step: refresh takes in what changed, launched what the step in
/// the making has changed since.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Takes in what changed since the last step (changed_jobs and container_changes of
  /// draft.view()), before anything else; the draft is still empty. Nothing is decided here, but
  /// the draft may be asked to wake, to remember, or to note.
  virtual void refresh(Draft& draft) = 0;

  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&)>;
  /// Calls `visit` with the requests that may have a container now, in the order in which they
  /// should, until it returns false; after a launch the caller starts a new round. Requests that
  /// are not useful in the round, or have nothing pending in its draft, may be left out. Nothing is
  /// kept of it beyond the last visit, so that it may also be called only to look.
  virtual void in_order(const Round& round, const Visit& visit) = 0;
  /// Why the request that was just visited goes there now: its launch's reason, in a few words.
  virtual std::string reason(const Request&) const { return "fits"; }
  /// The draft has launched one container of the request.
  virtual void launched(const Draft& draft, const Request& request) = 0;

  /// The order differs from node to node, so that there is none without one.
  virtual bool by_node() const { return false; }
  /// The limit of its own (a queue's, a user's) that keeps the request from having a container now;
  /// nullopt: none does.
  virtual std::optional<obstacle::Limit> limit(const Draft&, const Request&) const {
    return std::nullopt;
  }
  bool allows(const Draft& draft, const Request& request) const { return !limit(draft, request); }
  /// Kills what others have waited for too long. `may_have`: no limit, of the scheduler's or
  /// another's, keeps the request from having a container. Returns nodes on which something can
  /// be placed at once, as a reservation no longer is in the way.
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
  /// True: as long as nothing changes, refresh and preempt do nothing at that time. False is always
  /// right.
  virtual bool passes(EmuTime /*now*/) const { return false; }
};

using SchedulerPart = Part<Scheduler>;

}  // namespace heddle
